/** What the comparison needs from each service that it measures. */

import type { Accepted, Load } from './load.ts';

export interface Contender {
  readonly name: string;
  /** How it accepts a message, for the table. */
  readonly accept: string;
  /** Throws with the name of the variable to correct when the service cannot be used. @default - nothing to check */
  check?(): Promise<void>;
  /** Every message goes to each of these addresses. */
  open(endpoints: readonly string[]): Promise<OpenContender>;
}

export interface OpenContender {
  run(load: Load): Promise<readonly Accepted[]>;
  /** Processes whose CPU time and memory count, without their descendants. Empty if they are unknown. */
  readonly pids: readonly number[];
  /** Throws unless the outcome of every delivery is stored. @default - not checked */
  assertSettled?(): Promise<void>;
  /** Removes what `open` made. */
  close(): Promise<void>;
}
