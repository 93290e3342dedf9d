/** Reads deliveries with their attempts, and retries them. */

import * as z from 'zod';
import { retryNow } from '../../core/delivery/retry.ts';
import { MAX_RESPONSE_BYTES } from '../../core/model/byte-budget.ts';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from '../../core/model/delivery.ts';
import { auditedChange } from '../../core/ports/audit-store.ts';
import type { DeliveryPage } from '../../core/ports/delivery-store.ts';
import { assertDeliveriesWithin, keepVisible } from './deliveries-within.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { assertMayChange, type Caller, seesAll } from './http/caller.ts';
import { deliveryPageSchema, deliverySchema } from './http/delivery-schemas.ts';
import { fillPage } from './http/fill-page.ts';
import { notFound, Problem } from './http/problem.ts';
import { takeQuota } from './http/quotas.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import { cursorSchema, instantSchema, limitSchema, nameSchema } from './http/schemas.ts';
import { retriedSchema, retryDeliveries, retrySchema } from './retry-deliveries.ts';
import { findSubscriptionFor } from './subscriptions/subscriptions.ts';
import { viewDeliveries, viewDelivery } from './view-delivery.ts';

export interface ListDeliveriesQuery {
  readonly status?: DeliveryStatus;
  readonly after?: string;
  readonly limit: number;
}

/** How many deliveries are read at a time for a key that may not see the events of all of them. */
const READ_SIZE = 100;

/** Newest first. */
export async function listDeliveries(api: ApiPorts, caller: Caller, subscription: string, query: ListDeliveriesQuery) {
  await findSubscriptionFor(api, caller, subscription);
  const read = (after = query.after, limit = query.limit) =>
    api.deliveries.page({ ...query, after, limit, subscription, maxBytes: MAX_RESPONSE_BYTES });
  if (seesAll(caller)) return viewPage(api, caller, await read());
  const { items, cursor, more } = await fillPage(api, caller, {
    limit: query.limit,
    after: query.after,
    read: async (after, size) => {
      const { deliveries, cursor } = await read(after, size);
      return { items: deliveries, cursor, more: cursor !== undefined };
    },
    keep: (deliveries) => keepVisible(api, caller, deliveries),
    readSize: caller.events === undefined ? 1 : READ_SIZE,
  });
  return viewPage(api, caller, { deliveries: items, cursor: more ? cursor : undefined });
}

/** Of all subscriptions, for callers that see all. */
export async function listAllDeliveries(api: ApiPorts, caller: Caller, query: ListDeliveriesQuery) {
  return viewPage(api, caller, await api.deliveries.page({ ...query, maxBytes: MAX_RESPONSE_BYTES }));
}

const viewPage = async (api: ApiPorts, caller: Caller, { deliveries, cursor }: DeliveryPage) => ({
  data: await viewDeliveries(api, caller, deliveries),
  next: cursor ?? null,
});

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
      nextDelivery: own[0]?.delivery ?? '',
    })),
  };
}

const END_OF_TIME = '9999-12-31T23:59:59.999Z';

export async function getDelivery(api: ApiPorts, caller: Caller, id: string) {
  return viewDelivery(api, caller, await findDeliveryFor(api, caller, id));
}

/** Throws 404 for a delivery that does not exist for the caller. */
export async function findDeliveryFor(api: ApiPorts, caller: Caller, id: string): Promise<Delivery> {
  const delivery = await api.deliveries.get(id);
  if (delivery === undefined) throw notFound(`delivery '${id}'`);
  // Deliveries of removed subscriptions are visible to those who see all.
  if (seesAll(caller)) return delivery;
  await findSubscriptionFor(api, caller, delivery.subscription).catch((error: unknown) => {
    throw error instanceof Problem && error.status === 404 ? notFound(`delivery '${id}'`) : error;
  });
  if ((await keepVisible(api, caller, [delivery])).length === 0) throw notFound(`delivery '${id}'`);
  return delivery;
}

/** One more attempt now, whatever its schedule. */
export async function retryDelivery(api: ApiPorts, caller: Caller, id: string) {
  const delivery = await findDeliveryFor(api, caller, id);
  const subscription = await api.subscriptions.get(delivery.subscription);
  assertMayChange(caller, subscription ?? { name: delivery.subscription, events: [] });
  // A success ends a pause after failures, and sends what is held.
  await assertDeliveriesWithin(api, caller, delivery.subscription);
  await takeQuota(api, caller, 'deliveries');
  await auditedChange(api, caller, { action: 'delivery.retried', target: `delivery/${id}` }, async () => {
    if (await retryNow(api, id)) return;
    throw new Problem(409, 'TIDINGS_API_FINISHED', {
      detail: `delivery '${id}' is ${delivery.status}: it cannot be retried`,
    });
  });
  return getDelivery(api, caller, id);
}

const tag = 'deliveries';
const status = z.enum(DELIVERY_STATUSES, { error: `expected one of ${DELIVERY_STATUSES.join(', ')}` });
const query = z.strictObject({
  status: status.optional(),
  after: cursorSchema.optional(),
  limit: limitSchema.optional(),
});
const page = {
  200: {
    description: 'A page of deliveries with their attempts, newest first.',
    schema: deliveryPageSchema,
    links: {
      getDelivery: { id: '$response.body#/data/0/id' },
      retryDelivery: { id: '$response.body#/data/0/id' },
    },
  },
};

const waitingSchema = z
  .strictObject({
    count: z.int(),
    more: z.boolean().describe('Whether there are more than were counted.'),
    data: z.array(
      z.strictObject({
        subscription: z.string(),
        count: z.int(),
        retrying: z.int().describe('Those with at least one failed attempt.'),
        nextAt: instantSchema.describe('When the first of them is due.'),
        nextDelivery: z.string().describe('The id of the first of them: its `wait` says what it waits for.'),
      }),
    ),
  })
  .meta({ id: 'Waiting' });

function assertSeesAll(caller: Caller): void {
  if (seesAll(caller)) return;
  const detail = 'a key with event types sees its own deliveries: read those of each of its subscriptions';
  throw new Problem(403, 'TIDINGS_API_SCOPE', { detail });
}

export const deliveryRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/subscriptions/{name}/deliveries',
    operation: 'listSubscriptionDeliveries',
    summary: 'List the deliveries of a subscription with their attempts',
    tag,
    scopes: ['read', 'subscribe'],
    params: { name: nameSchema },
    query,
    responses: page,
    errors: [404],
    run: async (api, { caller, params: { name = '' }, query }) =>
      ok(await listDeliveries(api, caller, name, { limit: 50, ...query })),
  }),
  defineRoute({
    method: 'get',
    path: '/deliveries',
    operation: 'listDeliveries',
    summary: 'List the deliveries of all subscriptions',
    tag,
    scopes: ['read'],
    query,
    responses: page,
    run: async (api, { caller, query }) => {
      assertSeesAll(caller);
      return ok(await listAllDeliveries(api, caller, { limit: 50, ...query }));
    },
  }),
  defineRoute({
    method: 'post',
    path: '/deliveries/retry',
    operation: 'retryDeliveries',
    quota: 'replays',
    summary: 'Retry deliveries of a subscription',
    description:
      'Oldest first, spread over time. One call retries about 10,000: call again until `next` is null. Count all with dryRun.',
    tag,
    scopes: ['subscribe'],
    body: retrySchema,
    responses: { 202: { description: 'How many are retried.', schema: retriedSchema } },
    errors: [404],
    run: async (api, { caller, body }) => ({ status: 202, body: await retryDeliveries(api, caller, body) }),
  }),
  defineRoute({
    method: 'get',
    path: '/deliveries/waiting',
    operation: 'countWaiting',
    summary: 'Count the deliveries that wait for an attempt',
    description:
      'Up to 1,000, by subscription: new ones, retries, and messages that wait for their digest or a time of day.',
    tag,
    scopes: ['read'],
    responses: { 200: { description: 'The numbers.', schema: waitingSchema } },
    run: async (api, { caller }) => {
      assertSeesAll(caller);
      return ok(await countWaiting(api));
    },
  }),
  defineRoute({
    method: 'get',
    path: '/deliveries/{id}',
    operation: 'getDelivery',
    summary: 'Get a delivery with its attempts',
    tag,
    scopes: ['read', 'subscribe'],
    responses: { 200: { description: 'The delivery.', schema: deliverySchema } },
    errors: [404],
    run: async (api, { caller, params: { id = '' } }) => ok(await getDelivery(api, caller, id)),
  }),
  defineRoute({
    method: 'post',
    path: '/deliveries/{id}/retry',
    operation: 'retryDelivery',
    summary: 'Retry a delivery now',
    tag,
    scopes: ['subscribe'],
    responses: { 202: { description: 'It is attempted in a moment.', schema: deliverySchema } },
    errors: [404, 409],
    run: async (api, { caller, params: { id = '' } }) => ({ status: 202, body: await retryDelivery(api, caller, id) }),
  }),
];
