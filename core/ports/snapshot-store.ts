/** Port: the committed snapshots, and the feed of transitions their commits leave behind. */

import type { StageMoment } from '../model/agenda.ts';
import type { RecordKey } from '../model/record.ts';
import type { Snapshot, Transition } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';

export interface SnapshotWrite {
  readonly snapshot: Snapshot;
  /** Version that must be in the store for the write to count; 0: the record must be new. */
  readonly expected: number;
}

/** `conflict`: somebody else committed first. Nothing was written; read again and compare anew. */
export type CommitOutcome = 'committed' | 'conflict';

export interface SnapshotStore {
  /** May know no more than was read in the same turn of the event loop: what another process writes shows a moment later. */
  get(key: RecordKey): Promise<Snapshot | undefined>;

  /** Those that exist, by id, as they are now. Asking for an id twice or for none is fine. */
  getMany(source: string, resource: string, ids: readonly string[]): Promise<ReadonlyMap<string, Snapshot>>;

  /** All of a resource in id order (see compareIds), deleted ones included. */
  list(source: string, resource: string): AsyncIterable<Snapshot>;

  /**
   * Writes each snapshot on its own condition, one outcome each, in order. A commit and its transition in the
   * feed are one act. `baseline` snapshots may be left out of the feed: nothing is ever derived from them.
   */
  commit(writes: readonly SnapshotWrite[]): Promise<readonly CommitOutcome[]>;

  /** Snapshots whose next moment has come, earliest first. */
  due(until: Instant, limit: number): Promise<readonly StageMoment[]>;
}

/** What became of a record, as far back as it is kept: for people who ask why. No verb of the pipeline reads it. */
export interface History {
  /** The newest this many, oldest first. Baselines may be missing, as in the feed. */
  transitionsOf(key: RecordKey, limit: number): Promise<readonly Transition[]>;
}

export interface FeedEntry {
  readonly position: number;
  readonly transition: Transition;
}

/** The pulled form of the feed. Where a platform pushes transitions instead, nobody implements this. */
export interface ChangeFeed {
  /** What the consumer has not acknowledged yet, oldest first. Reading twice gives the same. */
  read(consumer: string, limit: number): Promise<readonly FeedEntry[]>;
  /** Everything up to and including this position is done. Going back has no effect. */
  acknowledge(consumer: string, position: number): Promise<void>;
  /** Forgets entries committed before this instant that every consumer has acknowledged. */
  prune(before: Instant): Promise<void>;
}
