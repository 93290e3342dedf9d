/** The committed state of a record, and the transition between two states. Events are derived from transitions only. */

import type { Fields, RecordKey, Value } from './record.ts';
import { between, type Instant, SECOND } from './time.ts';

/** The facts of a record that depend on the day, e.g. `{ overdue: true }`. Flat, for fast comparison. */
export type Stage = Readonly<Record<string, boolean | number | null>>;

/**
 * Why a snapshot was committed. `baseline`: the record existed before the first scan, which sends no events.
 * `delivery`: an attempt changed the health of a receiver; `person`: a user requested it.
 */
export type Cause = 'baseline' | 'poll' | 'tick' | 'delivery' | 'person';

/** The person behind a change. */
export interface Author {
  readonly id: string;
  /** null when the API does not name the person. */
  readonly name: string | null;
}

export interface Snapshot {
  readonly key: RecordKey;
  /** Starts at 1 and increases with each commit. Never decreases, even when a deleted record returns. */
  readonly version: number;
  /** How far restored backups raised the version. Event ids leave it out. @default 0 */
  readonly versionOffset?: number;
  /** When a backup was last restored. @default - never, or by a version that did not store it */
  readonly restoredAt?: Instant;
  readonly record: Fields;
  readonly stage: Stage;
  /** When the deletion was detected; null while the record exists. A deleted record keeps its snapshot and version. */
  readonly deletedAt: Instant | null;
  readonly committedAt: Instant;
  /** When a row last changed the record: time and rules restage it without one. @default - `committedAt` */
  readonly rowAt?: Instant;
  readonly cause: Cause;
  /** The change happened in this window: after a scan that would have shown it (null: unknown), and not after `before`. */
  readonly occurred: { readonly after: Instant | null; readonly before: Instant };
  /** Who made the change, if the source has `attribution` and the author is certain. @default - unknown */
  readonly by?: Author;
  /** What happened, as a hash: a part of event ids. @default - not stored; ids cover the version only, as in 0.1 */
  readonly digest?: string;
  /** The first snapshot of a record that may have existed before: the token may only not have shown it. @default - it is new */
  readonly appeared?: true;
  /** It may be deleted from then on. @default - it stays */
  readonly expiresAt?: Instant;
  /** When time alone changes the stage next; null: never. Tick restages the record then. */
  readonly nextMoment: Instant | null;
}

/** When a row of the API last changed the record. */
export function rowInstant({ rowAt, committedAt }: Pick<Snapshot, 'rowAt' | 'committedAt'>): Instant {
  return rowAt ?? committedAt;
}

/** The version if no backup had been restored: a change that is found again after a restore has the same one. */
export function versionBeforeRestores({ version, versionOffset = 0 }: Snapshot): number {
  return version - versionOffset;
}

/** Whether the change certainly happened after the last restore: then nobody found it before. */
export function isAfterRestores({ restoredAt, occurred }: Snapshot): boolean {
  return restoredAt !== undefined && occurred.after !== null && occurred.after >= restoredAt;
}

/** No record is committed more often for long. */
const MIN_COMMIT_INTERVAL = SECOND / 100;

/** For several commits at once, and for a backup of a machine whose clock was ahead. */
const MIN_RAISE = 1000;

/** By how much a restore raises versions: by more than can have been committed since the backup was made. */
export function raiseAfterRestore(madeAt: Instant, now: Instant): number {
  return MIN_RAISE + Math.ceil(Math.max(0, between(madeAt, now)) / MIN_COMMIT_INTERVAL);
}

/** As a part of a snapshot. */
export function offsetFrom({ versionOffset = 0, restoredAt }: Restores = {}): Restores {
  if (versionOffset === 0) return {};
  return restoredAt === undefined ? { versionOffset } : { versionOffset, restoredAt };
}

type Restores = Pick<Snapshot, 'versionOffset' | 'restoredAt'>;

/** Facts that a digest lists for as long as they hold. Stores index the snapshots that have one. */
const OPEN_FACTS = ['overdue', 'dueSoon', 'pastEnd', 'endingSoon'];

/** Whether a digest may list the record. */
export function isOpenItem({ deletedAt, stage }: Pick<Snapshot, 'deletedAt' | 'stage'>): boolean {
  return deletedAt === null && OPEN_FACTS.some((fact) => stage[fact] === true);
}

export interface Transition {
  /** null: the record is new. */
  readonly before: Snapshot | null;
  readonly after: Snapshot;
}

export interface Change {
  readonly field: string;
  readonly from: Value;
  readonly to: Value;
}

/** A snapshot with this cause and a deletion date is out of sight: no deletion was emitted. */
export const OUT_OF_SIGHT_CAUSE: Cause = 'baseline';

export function isOutOfSight({ deletedAt, cause }: Snapshot): boolean {
  return deletedAt !== null && cause === OUT_OF_SIGHT_CAUSE;
}
