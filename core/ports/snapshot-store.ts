/** Port: the committed snapshots, and the feed of their transitions. */

import type { StageMoment } from '../model/agenda.ts';
import type { RecordKey } from '../model/record.ts';
import type { Snapshot, Transition } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';

export interface SnapshotWrite {
  readonly snapshot: Snapshot;
  /** The version that must be stored for the write to succeed; 0 if the record must be new. */
  readonly expected: number;
}

/** `conflict`: another writer committed first and nothing was written; read and compare again. */
export type CommitOutcome = 'committed' | 'conflict';

/** Which moments to read. */
export interface MomentRange {
  /** @default - of all sources */
  readonly source?: string;
  /** Only with a source. @default - of all resources */
  readonly resource?: string;
  /** Of these alone, whatever their source. @default - of all */
  readonly resources?: ReadonlySet<string> | undefined;
  /** Not included. @default - from the first moment on */
  readonly after?: Instant;
  /** Included. */
  readonly until: Instant;
}

export interface SnapshotStore {
  /** May be cached for one turn of the event loop, so another process's write shows a moment later. */
  get(key: RecordKey): Promise<Snapshot | undefined>;

  /** The existing ones, by id, read without a cache. `ids` may be empty and may repeat. */
  getMany(source: string, resource: string, ids: readonly string[]): Promise<ReadonlyMap<string, Snapshot>>;

  /** All snapshots of a resource in id order (see compareIds), including deleted records. */
  list(source: string, resource: string): AsyncIterable<Snapshot>;

  /**
   * The snapshots of a resource that a digest may list (see isOpenItem), in id order. Reads only those. An index may lag a
   * moment behind the commits.
   */
  listOpen(source: string, resource: string): AsyncIterable<Snapshot>;

  /**
   * Writes each snapshot on its own condition and returns one outcome each, in order. A commit and its feed entry are
   * atomic. `baseline` snapshots may be left out of the feed: no event is derived from them.
   */
  commit(writes: readonly SnapshotWrite[]): Promise<readonly CommitOutcome[]>;

  /** Deletes those of a resource that expired before this instant, where they do not expire by themselves. The feed has no entry of it. */
  removeExpired(source: string, resource: string, now: Instant): Promise<void>;

  /** Snapshots whose next moment is in the range, earliest first. An index may lag a moment behind the commits. */
  due(range: MomentRange, limit: number): Promise<readonly StageMoment[]>;
}

/** The kept transitions of a record, for `explain`. The pipeline does not read it. */
export interface History {
  /** The newest `limit` transitions, oldest first. Baselines may be missing, as in the feed. */
  transitionsOf(key: RecordKey, limit: number): Promise<readonly Transition[]>;
}

export interface FeedEntry {
  readonly position: number;
  readonly transition: Transition;
}

/** Up to and including where a consumer has processed the feed. */
export interface FeedMark {
  readonly consumer: string;
  /** null: it has come to its end, and holds back nothing. */
  readonly position: number | null;
}

/** The feed as a pull interface. DynamoDB pushes its stream instead and has no implementation. */
export interface ChangeFeed {
  /** Unacknowledged entries of the consumer, oldest first. @param after only those behind this position. @default - all */
  read(consumer: string, limit: number, after?: number): Promise<readonly FeedEntry[]>;
  /** The marks of all consumers that have processed anything. */
  marks(): Promise<readonly FeedMark[]>;
  /** Marks everything up to and including this position as processed. A lower position has no effect. @param position null forgets the consumer */
  acknowledge(consumer: string, position: number | null): Promise<void>;
  /** Deletes entries committed before this instant that every consumer has acknowledged. */
  prune(before: Instant): Promise<void>;
}
