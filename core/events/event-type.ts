/** An entry of the catalogue: the rule, texts, schema and example of one event type. */

import type { Day } from '../model/calendar.ts';
import type { EventData, TidingsEvent } from '../model/event.ts';
import type { Fields } from '../model/record.ts';
import type { Change, Snapshot, Transition } from '../model/snapshot.ts';

/** How a message about the event looks: `good` news, `plain` news, `soon` due, or `late`, which needs action. */
export type Urgency = 'good' | 'plain' | 'soon' | 'late';

/** JSON Schema of a value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A transition that fires the event, given as differences from the sample record of the resource (sample-records.ts). */
interface Example {
  /** Null for a new record. */
  readonly before: Fields | null;
  readonly after: Fields;
  /** The day of the poll; the state before is of the previous day. @default 2026-11-14 */
  readonly on?: Day;
  /** In which state the record is deleted. @default - in neither */
  readonly gone?: 'before' | 'after';
  /** The record may not be new, see `ofAppeared`. @default - it is */
  readonly appeared?: true;
}

export interface EventType {
  /** `task.closed` */
  readonly type: string;
  /** One sentence for the docs and `tidings types`. */
  readonly meaning: string;
  /** When it fires, and when it does not, for the docs. */
  readonly when: string;
  /** Fires because time passes, not because a person changed something. @default false */
  readonly byTime?: boolean;
  /**
   * Whether the event is about a record that may not be new, but only be shown for the first time. Of those, only such an
   * event and events by time are true. @default false
   */
  readonly ofAppeared?: boolean;
  /** Whether the event is about a deleted record; all others are about existing ones. @default false */
  readonly ofGone?: boolean;
  readonly urgency: Urgency;
  /** Whether the transition fires this event; `changes` are those of watched fields. */
  readonly fires: (transition: Transition, changes: readonly Change[]) => boolean;
  /**
   * For an event about a state, such as overdue: whether the state still holds for the current snapshot. Messages to people
   * leave out events that no longer hold. @default - the event is about an act and always holds
   */
  readonly holds?: (now: Snapshot, event: TidingsEvent) => boolean;
  /**
   * For an event about an act, such as closed: whether a later change undid it. Messages to people leave out what was undone
   * while they waited. @default - every changed field has its former value again
   */
  readonly undone?: (now: Snapshot, event: TidingsEvent) => boolean;
  /**
   * The fact of the stage that a digest lists for as long as it holds, and whether it does so by default.
   * @default - a digest lists the event once
   */
  readonly open?: { readonly fact: string; readonly byDefault: boolean };
  /** Computes `data.details`, and describes it for the schema. @default - the event has no details */
  readonly details?: {
    readonly properties: Readonly<Record<string, JsonSchema>>;
    readonly of: (transition: Transition) => Fields;
    /** For an event about an act: what of its details is still true of the record, which was `recorded` then. @default - all of them */
    readonly now?: (details: Fields, record: Fields, recorded: Fields) => Fields;
  };
  /** The event as one line of text for people, who read times in this zone. */
  readonly say: (data: EventData, timeZone: string) => string;
  /**
   * Several of them in one phrase: `payments received on 2 invoices`. One record may have several events.
   * @default - made from the type: `2 tasks overdue`
   */
  readonly sayMany?: (records: number, events: number) => string;
  /**
   * The weight among the events of one change. A message for people leads with the heaviest.
   * @default - by urgency: late 400, soon 300, good 200, plain 100
   */
  readonly weight?: number;
  /** Types whose news the sentence contains: a message does not add them to it. @default - none */
  readonly covers?: readonly string[];
  /** The phrase that a message adds to the sentence of a heavier event. @default - the sentence without the name of the record */
  readonly add?: (data: EventData) => string;
  readonly example: Example;
}
