/** What a run writes down about each look of Tidings at the account, for the oracle to judge by. Only the words for it. */

import type { Role } from '../../simulator/simulator.ts';

export type RawRecord = Readonly<Record<string, string | null>>;

/** One answer that reached Tidings whole. */
export interface RecordedResponse {
  /** The journal had come to this entry. */
  readonly seq: number;
  readonly role: Role;
  /** The records it showed. */
  readonly ids: readonly string[];
  /** The record it said is not there; null when it was about others. */
  readonly missingId: string | null;
}

export interface Observation {
  readonly resource: string;
  readonly kind: 'delta' | 'open' | 'sweep';
  /** False when the scan failed; what it had read until then was seen all the same. */
  readonly succeeded: boolean;
  /** False when it may have missed records. */
  readonly complete: boolean;
  /** Whether time-driven changes up to now were committed after it. */
  readonly settled: boolean;
  readonly responses: readonly RecordedResponse[];
}

/** One instant: the scans of its poll, in order. */
export interface Moment {
  /** ISO instant in UTC. */
  readonly at: string;
  readonly observations: readonly Observation[];
}

/** The events of one observed change of a record, with their types in alphabetical order. */
export interface ExpectedEvents {
  readonly at: string;
  readonly subject: string;
  readonly types: readonly string[];
}
