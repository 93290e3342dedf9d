/** Removes a subscription whose receiver answered 410 Gone, if it was made as a REST hook. Others are disabled. */

import { deliveryId } from '../../model/delivery.ts';
import { isSameValue } from '../../model/json.ts';
import type { Subscription } from '../../model/subscription.ts';
import type { Clock } from '../../model/time.ts';
import type { AuditStore } from '../../ports/audit-store.ts';
import type { SubscriptionStore } from '../../ports/subscription-store.ts';

export interface RemoveGonePorts {
  readonly subscriptions: SubscriptionStore;
  /** @default - the removal is not recorded */
  readonly audit?: AuditStore;
  readonly clock: Clock;
}

class ChangedSince extends Error {}

/** @param seen the subscription that the attempt was made for: one that has another receiver by now stays */
export async function removeGone(ports: RemoveGonePorts, seen: Subscription): Promise<void> {
  const { name, to } = seen;
  if (seen.removeWhenGone !== true) return;
  const assertUnchanged = (stored: Subscription) => {
    if (stored.declared || !isSameValue(stored.to, to)) throw new ChangedSince();
  };
  try {
    if (!(await ports.subscriptions.remove(name, assertUnchanged))) return;
  } catch (error) {
    if (error instanceof ChangedSince) return;
    throw error;
  }
  const at = ports.clock.now();
  await ports.audit?.append({
    id: `aud_${deliveryId('gone', name, at).slice('dlv_'.length)}`,
    at,
    by: { kind: 'receiver', id: name },
    action: 'subscription.removed',
    target: `subscription/${name}`,
    details: { because: '410 Gone' },
  });
}
