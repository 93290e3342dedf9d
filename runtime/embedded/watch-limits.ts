/**
 * The current limits of each subscription's lane. Rereads them every few seconds, because another process may change them
 * while this one serves. Returns the last values read and never waits.
 */

import { kindOfGroup } from '../../adapters/stored-job.ts';
import { type LaneLimits, limitsOf } from '../../core/delivery/lanes.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import type { ChannelRegistry } from '../../core/ports/channel.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';

/** Soon enough for a person who changes a limit, rare enough to cost nothing. */
export const READ_LIMITS_EVERY: Duration = 2 * SECOND;

/** For subscriptions added or removed since the last read. They have few jobs, so a low limit is enough. */
const UNKNOWN: LaneLimits = { concurrency: 1 };

/** Work of the Slack app waits for Slack and for its own turn. With an owner it never takes the places of all deliveries. */
const TASKS: LaneLimits = { concurrency: 1, owner: 'tasks of the Slack app' };

/** Of a group that is no subscription, or one that was not read. */
export const limitsOfUnknown = (group: string): LaneLimits => (kindOfGroup(group) === 'task' ? TASKS : UNKNOWN);

/** `now` in milliseconds of any steady clock. */
export async function watchLimits(
  subscriptions: Pick<SubscriptionStore, 'list'>,
  channels: ChannelRegistry,
  now: () => number,
): Promise<(subscription: string) => LaneLimits> {
  let listed: readonly Subscription[] = [];
  let limits: ReadonlyMap<string, LaneLimits> = new Map();
  const read = async () => {
    const all = await subscriptions.list();
    // The store returns the same list as long as nothing has changed.
    if (all !== listed) limits = new Map(all.map((one) => [one.name, limitsOf(one, channels)]));
    listed = all;
  };
  await read();
  let readAt = now();
  return (subscription) => {
    if (now() - readAt >= READ_LIMITS_EVERY) {
      readAt = now();
      // Keep the old limits until the next read succeeds; a broken store shows in the writes.
      read().catch(() => {});
    }
    return limits.get(subscription) ?? limitsOfUnknown(subscription);
  };
}
