/** All that happens only because time passes, ordered by instant. Kept with the things themselves, read by tick. */

import type { RecordKey } from './record.ts';
import type { Instant } from './time.ts';

/** A snapshot whose stage changes at this moment. */
export interface StageMoment {
  readonly at: Instant;
  readonly kind: 'stage';
  readonly key: RecordKey;
}

/** A delivery to be put on the queue at this moment, for its attempt of this number. */
export interface AttemptMoment {
  readonly at: Instant;
  readonly kind: 'attempt';
  readonly delivery: string;
  readonly subscription: string;
  readonly attempt: number;
}
