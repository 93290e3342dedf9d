/** Reads deliveries with their attempts, and retries them. */

import { type RetryAllOptions, type RetryResult, retryAll, retryNow } from '../../core/delivery/retry.ts';
import type { Delivery, DeliveryStatus } from '../../core/model/delivery.ts';
import { auditedChange } from '../../core/ports/audit-store.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { assertMayChange, type Caller, seesAll } from './http/caller.ts';
import { parsePeriodStart } from './http/period.ts';
import { notFound, Problem } from './http/problem.ts';
import { findChangeable, findSubscriptionFor } from './subscriptions/subscriptions.ts';

/** Without what only the pipeline needs. */
export function viewDelivery({ slot: _, ...delivery }: Delivery) {
  return delivery;
}

export interface ListDeliveriesQuery {
  readonly status?: DeliveryStatus;
  readonly after?: string;
  readonly limit: number;
}

/** Newest first. */
export async function listDeliveries(api: ApiPorts, caller: Caller, subscription: string, query: ListDeliveriesQuery) {
  await findSubscriptionFor(api, caller, subscription);
  const { deliveries, cursor } = await api.deliveries.page({ ...query, subscription });
  return { data: deliveries.map(viewDelivery), next: cursor ?? null };
}

/** Of all subscriptions, for callers that see all. */
export async function listAllDeliveries(api: ApiPorts, query: ListDeliveriesQuery) {
  const { deliveries, cursor } = await api.deliveries.page(query);
  return { data: deliveries.map(viewDelivery), next: cursor ?? null };
}

/** Reads up to this many: more are counted as this many. */
const MAX_WAITING = 1000;

/** How many deliveries wait for an attempt, by subscription, those that are due first. For callers that see all. */
export async function countWaiting(api: ApiPorts) {
  const moments = await api.agenda.due(END_OF_TIME, MAX_WAITING);
  const bySubscription = Map.groupBy(moments, ({ subscription }) => subscription);
  return {
    count: moments.length,
    more: moments.length === MAX_WAITING,
    data: [...bySubscription].map(([subscription, own]) => ({
      subscription,
      count: own.length,
      retrying: own.filter(({ attempt }) => attempt > 1).length,
      nextAt: own[0]?.at ?? api.clock.now(),
    })),
  };
}

const END_OF_TIME = '9999-12-31T23:59:59.999Z';

export async function getDelivery(api: ApiPorts, caller: Caller, id: string) {
  return viewDelivery(await findDeliveryFor(api, caller, id));
}

/** Throws 404 for a delivery that does not exist for the caller. */
export async function findDeliveryFor(api: ApiPorts, caller: Caller, id: string): Promise<Delivery> {
  const delivery = await api.deliveries.get(id);
  if (delivery === undefined) throw notFound(`delivery '${id}'`);
  // Deliveries of removed subscriptions are visible to those who see all.
  if (!seesAll(caller)) {
    await findSubscriptionFor(api, caller, delivery.subscription).catch(() => {
      throw notFound(`delivery '${id}'`);
    });
  }
  return delivery;
}

/** One more attempt now, whatever its schedule. */
export async function retryDelivery(api: ApiPorts, caller: Caller, id: string) {
  const delivery = await findDeliveryFor(api, caller, id);
  const subscription = await api.subscriptions.get(delivery.subscription);
  assertMayChange(caller, subscription ?? { name: delivery.subscription });
  await auditedChange(api, caller, { action: 'delivery.retried', target: `delivery/${id}` }, async () => {
    if (await retryNow(api, id)) return;
    throw new Problem(409, 'TIDINGS_API_FINISHED', {
      detail: `delivery '${id}' is ${delivery.status}: it cannot be retried`,
    });
  });
  return getDelivery(api, caller, id);
}

export interface RetryRequest extends Pick<RetryAllOptions, 'subscription' | 'position' | 'dryRun'> {
  /** @default failed */
  readonly status?: RetryAllOptions['status'];
  readonly since?: string;
}

/** One call retries about this many: it has to end before API Gateway does. */
const MAX_RETRIED = 10_000;

/** Retries deliveries of one subscription, oldest first, spread over time. Returns their number, and where the next call continues. */
export async function retryDeliveries(api: ApiPorts, caller: Caller, request: RetryRequest) {
  const { subscription, status = 'failed', since, position, dryRun = false } = request;
  await findChangeable(api, caller, subscription);
  const now = api.clock.now();
  const from = since === undefined ? undefined : (parsePeriodStart(since, now) ?? now);
  const asked = { subscription, status, position, since: from };
  if (dryRun) return { ...(await retryAll(api, { ...asked, dryRun })), dryRun };
  // Nothing to retry is no change, and has no entry in the audit trail.
  const some = await retryAll(api, { ...asked, dryRun: true, limit: 1 });
  if (some.count === 0) return { ...some, dryRun };
  const entry = { action: 'deliveries.retried', target: `subscription/${subscription}` };
  const retry = () => retryAll(api, { ...asked, limit: MAX_RETRIED });
  const retried = await auditedChange(api, caller, entry, retry, {
    detailsOf: ({ count }: RetryResult) => ({ count, status }),
  });
  return { ...retried, dryRun };
}
