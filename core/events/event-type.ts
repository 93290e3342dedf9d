/** What an entry of the catalogue says about a type of event: all that anybody needs to derive, show or document it. */

import type { Day } from '../model/calendar.ts';
import type { EventData, TidingsEvent } from '../model/event.ts';
import type { Fields } from '../model/record.ts';
import type { Change, Snapshot, Transition } from '../model/snapshot.ts';

/** How a message about it should look: `good` news, `plain` news, something that is `soon` due, or `late` and wrong. */
export type Urgency = 'good' | 'plain' | 'soon' | 'late';

/** JSON Schema of a value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A transition that fires it, told by what differs from the sample record of the resource (see sample-records.ts). */
export interface Example {
  /** null: the record is new. */
  readonly before: Fields | null;
  readonly after: Fields;
  /** The day of the look; the day before it for the state before. @default 2026-11-14 */
  readonly on?: Day;
  /** The record was gone before, or is gone now. @default - it is there */
  readonly gone?: 'before' | 'after';
}

export interface EventType {
  /** `task.closed` */
  readonly type: string;
  /** One line for people. */
  readonly meaning: string;
  /** When it fires, and when it does not. */
  readonly when: string;
  /** Fires because a day came, not because anybody did anything. @default false */
  readonly byTime?: boolean;
  /** Tells of a record that is gone; all others are about records that are there. @default false */
  readonly ofGone?: boolean;
  readonly urgency: Urgency;
  /** Whether this transition is such an event; `changes` are those of watched fields. */
  readonly fires: (transition: Transition, changes: readonly Change[]) => boolean;
  /**
   * Of a state rather than an act: whether it still holds, given the record as it is now. People are not told of what
   * is over. @default - it happened, and stays so
   */
  readonly holds?: (now: Snapshot, event: TidingsEvent) => boolean;
  /** What it tells besides record and changes, as `data.details`. @default - nothing */
  readonly details?: {
    readonly properties: Readonly<Record<string, JsonSchema>>;
    readonly of: (transition: Transition) => Fields;
  };
  /** What happened, as a person would say it in one line. */
  readonly say: (data: EventData) => string;
  readonly example: Example;
}
