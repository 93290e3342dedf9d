/** Types for what a run records about each poll, which is the input of the oracle. */

import type { Role } from '../../simulator/simulator.ts';
import type { DayRules } from './calendar.ts';

export type RawRecord = Readonly<Record<string, string | null>>;

/** What the token's person sees of the account. Without a limit they see all records. */
export interface Sight {
  /** A project that is hidden with all that belongs to it. @default - none */
  readonly hiddenProject?: string;
  /** Of the tasks, only those that this person owns or is assigned to are shown. @default - all */
  readonly ownTasksOf?: string;
  /** ISO instant since which this is so. */
  readonly since: string;
}

/** One complete response that Tidings received. */
export interface RecordedResponse {
  /** Number of the last journal entry at that time. */
  readonly seq: number;
  readonly role: Role;
  /** The person of the token. */
  readonly person: string;
  readonly sight: Sight;
  /** Whether the API says that the token sees all records: it names the role, and the role is Administrator. */
  readonly seesAll: boolean;
  /** A request for one record. */
  readonly isSingle: boolean;
  /** The records in the response. */
  readonly ids: readonly string[];
  /** The id of a record that the response reported as not found, or null. */
  readonly missingId: string | null;
  /** The id of a record whose request failed, or null: whether it exists is not known. */
  readonly failedId: string | null;
  /** A failed request for the token's person: what was not found before it is not proven. */
  readonly isUnconfirmed: boolean;
  /** Of records whose moments had come: each that it shows is confirmed. */
  readonly isDueRead: boolean;
}

export interface Observation {
  readonly resource: string;
  readonly kind: 'delta' | 'open' | 'sweep';
  /** False when the scan failed. Its responses up to the failure still count. */
  readonly succeeded: boolean;
  /** False when it may have missed records. */
  readonly complete: boolean;
  /** Up to here time-driven changes were committed after it; null: none were. */
  readonly settledUntil: string | null;
  /** The first sweep with another role: records that appear or disappear are not news. */
  readonly newIdentity: boolean;
  readonly responses: readonly RecordedResponse[];
}

/** One instant: the scans of its poll, in order. */
export interface Moment {
  /** ISO instant in UTC. */
  readonly at: string;
  /** Nothing was due, so this poll read nothing and noticed no other rules. @default false */
  readonly isIdle?: boolean;
  readonly rules: DayRules;
  /** The zone that Tidings uses; null: it knows none yet. */
  readonly timeZone: string | null;
  readonly observations: readonly Observation[];
  /** Milliseconds by which the dates of the API's responses are ahead of the account's clock, negative: behind. */
  readonly clockOffset: number;
}

/** The events of one observed change of a record, with their types in alphabetical order. */
export interface ExpectedEvents {
  readonly at: string;
  readonly subject: string;
  readonly types: readonly string[];
  /** When each of them really happened, in the order of `types`. */
  readonly when: readonly TrueInstants[];
  /** The modification date that the task had then, in milliseconds. @default - it is no task */
  readonly modifiedAt?: number;
  /** Its modification date went back, and a response before did not prove that it was up to date. @default false */
  readonly isHeld?: boolean;
  /** The client of a task at that time: filters decide by it who gets the event. @default - not judged */
  readonly clientid?: string | null;
}

/** When an event really happened. */
export interface TrueInstants {
  /** Its window must contain all of these. */
  readonly all: readonly string[];
  /** If there are none, its window must contain one of these: several changes together caused the event. */
  readonly any: readonly string[];
}
