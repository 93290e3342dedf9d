/** Shows callers who they are, what they may do, and how much of it is left. */

import * as z from 'zod';
import { SCOPES } from '../../core/model/api-key.ts';
import type { ApiPorts } from './http/api-ports.ts';
import type { Caller } from './http/caller.ts';
import { MAX_LONG_REQUESTS } from './http/open-requests.ts';
import { readRates } from './http/quotas.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import { readStorage } from './http/storage-quota.ts';
import { readShownUnits } from './http/unit-quota.ts';

async function getMe(api: ApiPorts, caller: Caller) {
  const { kind, id, name, scopes, events } = caller;
  const longRequests = api.longRequests === undefined ? null : { limit: MAX_LONG_REQUESTS };
  const units = await readShownUnits(api, caller);
  const quotas = { ...(await readRates(api, caller)), units, ...(await readStorage(api, caller)), longRequests };
  return { kind, id, name: name ?? null, scopes, events: events ?? null, quotas };
}

const rateQuotaSchema = z
  .strictObject({
    limit: z.int(),
    per: z.string().describe('The time in which so many are allowed: 1m.'),
    burst: z.int().describe('How many of them at once.'),
    used: z.int().describe('How many of the burst are used up now. It recovers with time.'),
  })
  .meta({ id: 'RateQuota' });

const amountQuotaSchema = z.strictObject({ limit: z.int(), used: z.int() }).meta({ id: 'AmountQuota' });

const meSchema = z
  .strictObject({
    kind: z.string().describe('`key`, or how else the caller was identified.'),
    id: z.string(),
    name: z.string().nullable(),
    scopes: z.array(z.enum(SCOPES)),
    events: z.array(z.string()).nullable().describe('The event types it may see; null: all.'),
    quotas: z
      .strictObject({
        requests: rateQuotaSchema,
        changes: rateQuotaSchema.nullable().describe('Requests that have an entry in the audit trail.'),
        previews: rateQuotaSchema.nullable().describe('Filter tests, previews, forecasts and tests.'),
        replays: rateQuotaSchema.nullable().describe('Replays, and retries of many deliveries.'),
        deliveries: rateQuotaSchema
          .nullable()
          .describe(
            'Deliveries that replays, retries and tests open or attempt again. A resume counts as 10, a test as one for each 5 KB of its event besides.',
          ),
        units: rateQuotaSchema
          .nullable()
          .describe(
            'Only in AWS, null elsewhere: read units of DynamoDB that its requests consume; a write unit counts as 5. Counted to within 200. More than the burst is a debt, which is paid back first.',
          ),
        subscriptions: amountQuotaSchema.nullable(),
        bytes: amountQuotaSchema.nullable().describe('Of its subscriptions as JSON.'),
        comparisons: amountQuotaSchema
          .nullable()
          .describe(
            'What the filters of its subscriptions compare an event with at most: each field, section and operator counts as one in each combination of `$or` branches, a wildcard as 50, and each of its asterisks after the tenth as one more.',
          ),
        longRequests: z
          .strictObject({ limit: z.int() })
          .nullable()
          .describe('How many requests at a time may wait for an endpoint, or search for more than a second.'),
      })
      .describe('Null where there is no limit: only keys have them all.'),
  })
  .meta({ id: 'Me' });

export const meRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/me',
    operation: 'getMe',
    summary: 'Get the key of the request, with its quotas',
    tag: 'keys',
    scopes: ['read', 'subscribe'],
    responses: { 200: { description: 'The caller.', schema: meSchema } },
    run: async (api, { caller }) => ok(await getMe(api, caller)),
  }),
];
