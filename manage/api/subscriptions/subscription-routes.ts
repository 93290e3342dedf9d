/** Routes of subscriptions. */

import * as z from 'zod';
import { defineRoute, ok, type Route, type RouteResult } from '../http/route.ts';
import { cursorSchema, limitSchema, nameSchema } from '../http/schemas.ts';
import { replayForCaller } from './replay-for-caller.ts';
import { pauseForCaller, previewSubscription, rotateForCaller, testForCaller } from './subscription-actions.ts';
import {
  countSchema,
  newSubscriptionSchema,
  previewInputSchema,
  previewSchema,
  replayInputSchema,
  resubscribeInputSchema,
  rotationSchema,
  subscriptionInputSchema,
  subscriptionPageSchema,
  subscriptionPatchSchema,
  subscriptionPutSchema,
  subscriptionViewSchema,
  testInputSchema,
  testResultSchema,
} from './subscription-schemas.ts';
import {
  createSubscription,
  deleteSubscription,
  getSubscription,
  listSubscriptions,
  type MadeSubscription,
  patchSubscription,
  putSubscription,
  type TaggedSubscription,
} from './subscriptions.ts';
import { resubscribeReader } from './unsubscribed-readers.ts';

const tag = 'subscriptions';
const path = '/subscriptions/{name}';
const params = { name: nameSchema };
const scopes = ['read', 'subscribe'] as const;
/** Of the caller's own subscriptions, or of all with `operate`. */
const change = ['subscribe'] as const;

const answer = ({ view, etag }: TaggedSubscription): RouteResult => ({ status: 200, body: view, headers: { etag } });

const answerMade = (made: MadeSubscription): RouteResult =>
  made.isNew
    ? {
        status: 201,
        body: { ...made.view, secret: made.secret ?? null },
        headers: { etag: made.etag, location: `/v1/subscriptions/${made.view.name}` },
      }
    : answer(made);

const examples = {
  'an endpoint': { url: 'https://billing.example.com/tidings', events: ['invoice.*'] },
  'a REST hook': { targetUrl: 'https://hooks.example.com/1', event: 'task.closed' },
  'a query': { url: 'https://ops.example.com/tidings', query: 'task.overdue project:"Website relaunch"', rate: '30/m' },
};

const made = {
  description: 'It was made. The signing secret is shown once.',
  schema: newSubscriptionSchema,
  etag: true,
  links: Object.fromEntries(
    [
      ...['get', 'patch', 'delete', 'test', 'pause', 'resume', 'rotate', 'replay', 'preview'].map(
        (verb) => `${verb}Subscription`,
      ),
      'listSubscriptionDeliveries',
    ].map((operation) => [operation, { name: '$response.body#/name' }]),
  ),
} as const;
const changed = { description: 'The subscription.', schema: subscriptionViewSchema, etag: true } as const;

export const subscriptionRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/subscriptions',
    operation: 'listSubscriptions',
    summary: 'List subscriptions',
    tag,
    scopes,
    query: z.strictObject({
      url: z.string().max(1000).optional().describe('Only those of this endpoint.'),
      after: cursorSchema.optional(),
      limit: limitSchema.optional(),
    }),
    responses: { 200: { description: 'A page of subscriptions, by name.', schema: subscriptionPageSchema } },
    run: async (api, { caller, query }) => ok(await listSubscriptions(api, caller, { limit: 50, ...query })),
  }),
  defineRoute({
    method: 'post',
    path: '/subscriptions',
    operation: 'createSubscription',
    summary: 'Subscribe an endpoint',
    description:
      'Takes `url` or `to`, and `events`. `targetUrl`, `hookUrl` and `event` are accepted too, so that REST-hook platforms need no code.',
    tag,
    scopes: change,
    body: subscriptionInputSchema,
    examples,
    bodyIs: 'checked by run',
    responses: { 201: made },
    errors: [409],
    run: async (api, { caller, body, request }) => answerMade(await createSubscription(api, caller, body, request)),
  }),
  defineRoute({
    method: 'put',
    path,
    operation: 'putSubscription',
    summary: 'Declare a subscription at start-up',
    description: 'Makes it, or changes it to what the request says. Repeating the request changes nothing.',
    tag,
    scopes: change,
    params,
    body: subscriptionPutSchema,
    examples,
    bodyIs: 'checked by run',
    ifMatch: true,
    responses: { 200: changed, 201: made },
    errors: [409, 412],
    run: async (api, { caller, params: { name = '' }, body, ifMatch }) =>
      answerMade(await putSubscription(api, caller, name, body, ifMatch)),
  }),
  defineRoute({
    method: 'get',
    path,
    operation: 'getSubscription',
    summary: 'Get a subscription',
    tag,
    scopes,
    params,
    responses: { 200: changed },
    errors: [404],
    run: async (api, { caller, params: { name = '' } }) => answer(await getSubscription(api, caller, name)),
  }),
  defineRoute({
    method: 'patch',
    path,
    operation: 'patchSubscription',
    summary: 'Change a subscription',
    tag,
    scopes: change,
    params,
    body: subscriptionPatchSchema,
    examples: {
      'another rate': { rate: '30/m' },
      'no filter and no end': { where: null, expiresAt: null },
      'another query': { query: 'invoice.paid' },
    },
    bodyIs: 'checked by run',
    ifMatch: true,
    responses: { 200: changed },
    errors: [404, 409, 412],
    run: async (api, { caller, params: { name = '' }, body, ifMatch }) =>
      answer(await patchSubscription(api, caller, name, body, ifMatch)),
  }),
  defineRoute({
    method: 'delete',
    path,
    operation: 'deleteSubscription',
    summary: 'Remove a subscription',
    description: 'Its unsent deliveries are dropped. 204 also if it does not exist, 404 for a text that is no name.',
    tag,
    scopes: change,
    params,
    ifMatch: true,
    responses: { 204: { description: 'It does not exist any more.' } },
    errors: [404, 409, 412],
    run: async (api, { caller, params: { name = '' }, ifMatch }) => {
      await deleteSubscription(api, caller, name, ifMatch);
      return { status: 204 };
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/test`,
    operation: 'testSubscription',
    quota: 'previews',
    summary: 'Send a test event and show the response',
    tag,
    scopes: change,
    params,
    body: testInputSchema,
    bodyIs: 'may be missing',
    responses: { 200: { description: 'The test delivery.', schema: testResultSchema } },
    errors: [404],
    run: async (api, { caller, params: { name = '' }, body }) => ok(await testForCaller(api, caller, name, body)),
  }),
  ...(['pause', 'resume'] as const).map((verb) =>
    defineRoute({
      method: 'post',
      path: `${path}/${verb}`,
      operation: `${verb}Subscription`,
      summary: verb === 'pause' ? 'Hold its deliveries' : 'Send what was held, and go on',
      tag,
      scopes: change,
      params,
      responses: { 200: changed },
      errors: [404],
      run: async (api, { caller, params: { name = '' } }) =>
        answer(await pauseForCaller(api, caller, name, verb === 'resume')),
    }),
  ),
  defineRoute({
    method: 'post',
    path: `${path}/rotate`,
    operation: 'rotateSubscription',
    summary: 'Replace the signing secret',
    description: 'For 24 hours every request carries the signatures of both secrets.',
    tag,
    scopes: change,
    params,
    responses: { 200: { description: 'The new secret, shown once.', schema: rotationSchema } },
    errors: [404, 409],
    run: async (api, { caller, params: { name = '' }, request }) =>
      ok(await rotateForCaller(api, caller, name, request)),
  }),
  defineRoute({
    method: 'post',
    path: `${path}/replay`,
    operation: 'replaySubscription',
    quota: 'replays',
    summary: 'Send recorded events again',
    description:
      'They keep their ids and are marked as replays. Many are spread over minutes. Count first with dryRun.',
    tag,
    scopes: change,
    params,
    body: replayInputSchema,
    examples: { 'count two days': { since: '2d', dryRun: true } },
    responses: { 202: { description: 'How many events are sent.', schema: countSchema } },
    errors: [404],
    run: async (api, { caller, params: { name = '' }, body, request }) => ({
      status: 202,
      body: await replayForCaller(api, caller, name, body, request),
    }),
  }),
  defineRoute({
    method: 'post',
    path: `${path}/resubscribe`,
    operation: 'resubscribeReader',
    summary: 'Subscribe a reader again who has unsubscribed',
    description: 'Only if the reader asked for it. The audit trail names who did it.',
    tag,
    scopes: change,
    params,
    body: resubscribeInputSchema,
    responses: { 200: changed },
    errors: [404],
    run: async (api, { caller, params: { name = '' }, body: { address } }) =>
      answer(await resubscribeReader(api, caller, name, address)),
  }),
  defineRoute({
    method: 'post',
    path: `${path}/preview`,
    operation: 'previewSubscription',
    readsOnly: true,
    quota: 'previews',
    summary: 'Show what time will bring, and an example of its message',
    tag,
    scopes,
    params,
    body: previewInputSchema,
    bodyIs: 'may be missing',
    responses: { 200: { description: 'Nothing is sent.', schema: previewSchema } },
    errors: [404],
    run: async (api, { caller, params: { name = '' }, body }) => ok(await previewSubscription(api, caller, name, body)),
  }),
];
