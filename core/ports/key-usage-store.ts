/** Port: what the subscriptions of each key take up, counted so that making one need not read the others. */

import type { Instant } from '../model/time.ts';

export interface KeyUsage {
  /** How many subscriptions it owns. */
  readonly subscriptions: number;
  /** The bytes of these subscriptions as JSON. */
  readonly bytes: number;
  /** What their filters compare an event with at most. @default - not counted, by an earlier version */
  readonly comparisons?: number;
  readonly changedAt: Instant;
  /** When all of them were counted: the filter of one that had expired by then is not in `comparisons`. @default - an earlier version counted them */
  readonly countedAt?: Instant;
}

export interface KeyUsageStore {
  /** Sees every write that has ended. Undefined if nothing was counted yet. */
  get(key: string): Promise<KeyUsage | undefined>;
  /** Replaces what is stored if it is still `expected`. Returns whether it was: of concurrent calls, one succeeds. */
  replace(key: string, expected: KeyUsage | undefined, next: KeyUsage): Promise<boolean>;
}
