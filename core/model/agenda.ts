/** Time-triggered work, ordered by instant. The due time is stored on the snapshot or delivery; poll and tick read it. */

import type { RecordKey } from './record.ts';
import type { Instant } from './time.ts';

/** A snapshot whose stage changes at this moment. */
export interface StageMoment {
  readonly at: Instant;
  readonly kind: 'stage';
  readonly key: RecordKey;
}

/** A delivery to be queued at this moment, for the attempt with this number. */
export interface AttemptMoment {
  readonly at: Instant;
  readonly kind: 'attempt';
  readonly delivery: string;
  readonly subscription: string;
  readonly attempt: number;
}
