/** Which deliveries a caller may see or send: of the subscription that has the name now, with events within the event types of its key. */

import { type Delivery, type DeliveryStatus, isDeliveryOf } from '../../core/model/delivery.ts';
import { memoize } from '../../core/model/memoize.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { beyondKey, type Caller, isWithin, seesAll } from './http/caller.ts';
import { runWithinBudget } from './http/work-budget.ts';

/**
 * Those that the caller may see: all for one that sees all, and of other callers none of an earlier subscription of the name, which may
 * have been another's, and none with events beyond the key. A subscription may have had other event types before.
 */
export async function keepVisible(
  api: Pick<ApiPorts, 'events' | 'subscriptions'>,
  caller: Caller,
  deliveries: readonly Delivery[],
): Promise<readonly Delivery[]> {
  if (seesAll(caller)) return deliveries;
  const subscriptionOf = memoize((name: string) => api.subscriptions.get(name));
  const owners = await Promise.all(deliveries.map(({ subscription }) => subscriptionOf(subscription)));
  const own = deliveries.filter((delivery, index) => {
    const owner = owners[index];
    return owner !== undefined && isDeliveryOf(owner, delivery);
  });
  return keepWithin(api, caller, own);
}

/** Those whose events the caller may all see. */
async function keepWithin(
  { events }: Pick<ApiPorts, 'events'>,
  caller: Caller,
  deliveries: readonly Delivery[],
): Promise<readonly Delivery[]> {
  if (caller.events === undefined || deliveries.length === 0) return deliveries;
  const recorded = await events.getMany([...new Set(deliveries.flatMap((delivery) => delivery.events))]);
  const within = new Set(recorded.flatMap(({ id, type }) => (isWithin(caller, type) ? [id] : [])));
  return deliveries.filter((delivery) => delivery.events.every((id) => within.has(id)));
}

/** What is sent when a subscription is resumed, or gets another address. */
const UNSENT: readonly DeliveryStatus[] = ['waiting', 'pending', 'held'];
const PAGE_SIZE = 100;

/** Throws if a subscription has deliveries of these statuses whose events the caller may not see. */
export async function assertDeliveriesWithin(
  api: Pick<ApiPorts, 'events' | 'deliveries' | 'config' | 'workLimits' | 'beginLong' | 'assertUnitsLeft'>,
  caller: Caller,
  subscription: string,
  statuses: readonly DeliveryStatus[] = UNSENT,
): Promise<void> {
  if (caller.events === undefined) return;
  /** Events that were read already: a replay has many deliveries of one event. */
  const within = new Set<string>();
  await runWithinBudget(api, caller, async (pace) => {
    for (const status of statuses) {
      for (let after: string | undefined, isEnd = false; !isEnd; ) {
        const page = await api.deliveries.page({ subscription, status, limit: PAGE_SIZE, after });
        const unknown = page.deliveries.filter(({ events }) => !events.every((id) => within.has(id)));
        const kept = await keepWithin(api, caller, unknown);
        if (kept.length < unknown.length) throw beyondKey(caller, `a ${status} delivery of '${subscription}'`);
        for (const id of kept.flatMap(({ events }) => events)) within.add(id);
        after = page.cursor;
        isEnd = after === undefined;
        await pace();
      }
    }
  });
}
