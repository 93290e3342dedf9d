/**
 * Limits how many failures of the subscriptions of one key are announced. A key may make one subscription after the other whose receiver
 * responds with 410: the event of each would send people hundreds of messages a minute. announced-changes.ts limits those of one subscription.
 */

import { type Clock, HOUR } from '../model/time.ts';
import type { BucketSize } from '../model/token-bucket.ts';
import type { RequestLimiter } from '../ports/request-limiter.ts';
import { isFailureAnnounced, withoutAnnouncement } from './receivers/announced-changes.ts';
import type { Health } from './receivers/health-state.ts';

const ANNOUNCED_FAILURES: BucketSize = { burst: 100, interval: HOUR / 100 };

interface LimitPorts {
  /** @default - all are announced */
  readonly requestLimiter?: RequestLimiter;
  readonly clock: Clock;
}

/**
 * The same change of a health, without the announcement if the key has none left.
 * @param owner the key; undefined: it is a subscription of the operator, whose failures are all announced
 * @param health as last read
 */
export async function limitAnnouncements(
  { requestLimiter, clock }: LimitPorts,
  owner: string | undefined,
  health: Health,
  change: (before: Health) => Health,
): Promise<(before: Health) => Health> {
  if (owner === undefined || requestLimiter === undefined || !isFailureAnnounced(health, change(health))) return change;
  const at = clock.now();
  if ((await requestLimiter.take(`${owner} announced`, ANNOUNCED_FAILURES, at)) === 0) return change;
  return (before) => {
    const after = change(before);
    return isFailureAnnounced(before, after) ? withoutAnnouncement(before, after, at) : after;
  };
}
