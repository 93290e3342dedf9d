/** Reads deliveries with their attempts, and retries them. */

import { rampUp } from '../../core/delivery/expedite.ts';
import { retryNow } from '../../core/delivery/hold.ts';
import type { Delivery, DeliveryStatus } from '../../core/model/delivery.ts';
import type { ApiPorts } from './api-ports.ts';
import { auditedChange } from './audited-change.ts';
import { assertMayChange, type Caller, seesAll } from './caller.ts';
import { parsePeriodStart } from './period.ts';
import { notFound, Problem } from './problem.ts';
import { findChangeable, findSubscriptionFor } from './subscriptions.ts';

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

export interface RetryRequest {
  readonly subscription: string;
  readonly status?: DeliveryStatus;
  readonly since?: string;
  readonly dryRun?: boolean;
}

/** One call retries up to this many: it has to end before API Gateway does. */
const MAX_RETRIED = 10_000;
const PAGE_SIZE = 200;

/** Retries deliveries of one subscription, oldest first, spread over time. Returns their number. */
export async function retryDeliveries(api: ApiPorts, caller: Caller, request: RetryRequest) {
  const { subscription: name, status = 'failed', since, dryRun = false } = request;
  await findChangeable(api, caller, name);
  const now = api.clock.now();
  const from = since === undefined ? '' : (parsePeriodStart(since, now) ?? now);
  const found: string[] = [];
  for (let after: string | undefined, isEnd = false; !isEnd && found.length < MAX_RETRIED; ) {
    const page = await api.deliveries.page({ subscription: name, status, limit: PAGE_SIZE, after });
    found.push(...page.deliveries.filter(({ createdAt }) => createdAt >= from).map(({ id }) => id));
    after = page.cursor;
    isEnd = after === undefined || page.deliveries.some(({ createdAt }) => createdAt < from);
  }
  if (dryRun) return { count: found.length, dryRun };
  if (found.length === 0) return { count: 0, dryRun };
  const retry = async () => {
    let count = 0;
    for (const id of found.reverse()) if (await retryNow(api, id, rampUp(now, count))) count += 1;
    return count;
  };
  const entry = { action: 'deliveries.retried', target: `subscription/${name}` };
  const count = await auditedChange(api, caller, entry, retry, (retried) => ({ count: retried, status }));
  return { count, dryRun };
}
