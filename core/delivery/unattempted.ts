/** Why a job made no attempt, for logs, metrics and explanations. */

import type { Instant } from '../model/time.ts';

/**
 * What an attempt waits for: the end of a pause of its receiver, the start of its readers' day, the end of quiet hours, the
 * end of a snooze, or a send slot that the rate limit allows.
 */
type WaitCause = 'receiver-paused' | 'day-start' | 'quiet-hours' | 'snoozed' | 'rate-limit';

/** A time before which the attempt must not be made. */
export interface Wait {
  readonly until: Instant;
  readonly because: WaitCause;
}

/**
 * `missing`: there is no such delivery; `outdated`: the attempt was made, the delivery is over or it was rescheduled since
 * the job was queued; `changed`: another process changed the delivery after it was read; `gathering`: another job gathers the
 * deliveries of the subscription; `gathered`: a group that was sent before carries the delivery.
 */
type StaleCause = 'missing' | 'outdated' | 'changed' | 'gathering' | 'gathered';

export interface Stale {
  readonly kind: 'stale';
  readonly because: StaleCause;
}

/** The delivery is on the agenda at a later time. */
export interface Postponed extends Wait {
  readonly kind: 'postponed';
}

/** The subscription is paused or disabled. */
export interface Held {
  readonly kind: 'held';
}

/** A digest for all people became one delivery for each of them. */
interface Split {
  readonly kind: 'split';
}

/** The rate did not allow to send it in time. It has failed. */
export interface TooLate {
  readonly kind: 'too-late';
}

/** Its subscription was removed, and another one has its name. It has failed. */
export interface Dropped {
  readonly kind: 'dropped';
}

export type Unattempted = Stale | Postponed | Held | Split | TooLate | Dropped;

export const stale = (because: StaleCause): Stale => ({ kind: 'stale', because });
