/** The committed state of a record and the step from one state to the next: the only thing events are derived from. */

import type { Fields, RecordKey, Value } from './record.ts';
import type { Instant } from './time.ts';

/** What today makes of a record, e.g. `{ closed: false }`. Flat, so that two of them are quickly compared. */
export type Stage = Readonly<Record<string, boolean | number | null>>;

/**
 * Why a snapshot was committed. A `baseline` is what was there before we looked first: it is never news. `delivery`: an
 * attempt showed how a subscription's receiver is; `person`: somebody asked for it.
 */
export type Cause = 'baseline' | 'poll' | 'tick' | 'delivery' | 'person';

/** The person behind a change. */
export interface Author {
  readonly id: string;
  /** null where the API does not tell. */
  readonly name: string | null;
}

export interface Snapshot {
  readonly key: RecordKey;
  /** 1 for the first commit of a record, then one more each time. Never goes back, not even when a record returns. */
  readonly version: number;
  readonly record: Fields;
  readonly stage: Stage;
  /** When the record was found to be gone; null while it is there. A gone record keeps its snapshot and version. */
  readonly deletedAt: Instant | null;
  readonly committedAt: Instant;
  readonly cause: Cause;
  /** The change happened in this window: after our last look (null: never looked before), before this one. */
  readonly occurred: { readonly after: Instant | null; readonly before: Instant };
  /** Who made the change, where a source asks for it and it can be told without doubt. @default - nobody knows */
  readonly by?: Author;
  /** When time alone will next change the stage; null: never. This is the record's place on the agenda. */
  readonly nextMoment: Instant | null;
}

export interface Transition {
  /** null: the record is new to us. */
  readonly before: Snapshot | null;
  readonly after: Snapshot;
}

export interface Change {
  readonly field: string;
  readonly from: Value;
  readonly to: Value;
}
