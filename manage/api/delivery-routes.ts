/** Routes of deliveries. */

import * as z from 'zod';
import { DELIVERY_STATUSES } from '../../core/model/delivery.ts';
import {
  countWaiting,
  getDelivery,
  listAllDeliveries,
  listDeliveries,
  retryDeliveries,
  retryDelivery,
} from './deliveries.ts';
import { type Caller, seesAll } from './http/caller.ts';
import { Problem } from './http/problem.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import {
  cursorSchema,
  deliveryPageSchema,
  deliverySchema,
  instantSchema,
  limitSchema,
  nameSchema,
  sinceSchema,
} from './http/schemas.ts';

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

const retrySchema = z
  .strictObject({
    subscription: nameSchema,
    status: z.enum(['failed', 'pending', 'held', 'waiting']).optional().describe('Default: failed.'),
    since: sinceSchema.optional().describe('Only deliveries since then. Default: all.'),
    position: z
      .int()
      .min(0)
      .optional()
      .describe('The `next` of the call before, so that both are spread as one. Default: 0.'),
    dryRun: z.boolean().optional().describe('Only counts. Default: false.'),
  })
  .meta({ id: 'RetryInput' });

const retriedSchema = z
  .strictObject({
    count: z.int().describe('Deliveries that are retried. One that is due earlier anyway is not counted.'),
    dryRun: z.boolean(),
    next: z.int().nullable().describe('The `position` of the next call; null if nothing is left.'),
  })
  .meta({ id: 'Retried' });

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
      return ok(await listAllDeliveries(api, { limit: 50, ...query }));
    },
  }),
  defineRoute({
    method: 'post',
    path: '/deliveries/retry',
    operation: 'retryDeliveries',
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
