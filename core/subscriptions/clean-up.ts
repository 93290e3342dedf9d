/** Deletes what is past the retention period, subscriptions that expired, and the health of those that are gone. */

import { markGone, sweepHealth } from '../delivery/receivers/sweep-health.ts';
import { prune, type RetentionPorts } from '../events/retention.ts';
import { UsageError } from '../model/errors.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import { isExpired, KEPT_AFTER_EXPIRY, type Subscription } from '../model/subscription.ts';
import { type Duration, plus } from '../model/time.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';

export interface CleanUpPorts extends RetentionPorts {
  readonly subscriptions: SubscriptionStore;
  /** The health of subscriptions. */
  readonly snapshots: SnapshotStore;
  /** Called after each subscription that is removed, which waits for the disk, and after each row that is read. @default - all in one go */
  readonly pace?: Pace;
}

export async function cleanUp(ports: CleanUpPorts, retention: Duration): Promise<void> {
  await prune(ports, retention);
  await removeExpired(ports, retention);
  await sweepHealth(ports, retention);
}

/** Some days after their end: until then their last deliveries are retried. */
async function removeExpired(ports: CleanUpPorts, retention: Duration): Promise<void> {
  const { subscriptions, clock, pace = UNPACED } = ports;
  const before = plus(clock.now(), -KEPT_AFTER_EXPIRY);
  // Its program may declare it again meanwhile.
  const assertExpired = (stored: Subscription) => {
    if (isExpired(stored, before)) return;
    throw new UsageError('TIDINGS_API_CHANGED', `subscription '${stored.name}' was added again`);
  };
  for (const one of await subscriptions.list()) {
    if (!isExpired(one, before)) continue;
    try {
      if (await subscriptions.remove(one.name, assertExpired)) await markGone(ports, one.name, retention);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
    await pace();
  }
}
