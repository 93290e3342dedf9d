/** How many recorded events a filter would have matched, with samples: before a subscription counts. */

import * as z from 'zod';
import { sayEvent } from '../../core/events/catalogue.ts';
import { visitMatches } from '../../core/filters/backtest.ts';
import { createByteBudget, MAX_RESPONSE_BYTES, takeFitting } from '../../core/model/byte-budget.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Steps } from '../../core/model/steps.ts';
import { DAY, type Instant, plus } from '../../core/model/time.ts';
import type { EventFilter } from '../../runtime/config/validate-subscription.ts';
import { isConfigSection } from '../../runtime/config/values.ts';
import { eventFilterFor } from './events-within.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, seesAll } from './http/caller.ts';
import { invalid } from './http/problem.ts';
import { parsePeriodStart } from './http/read-request.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import { eventSchema, instantSchema, sinceSchema } from './http/schemas.ts';
import { assertFilterWithinQuota } from './http/storage-quota.ts';
import { runWithinBudget, workInSteps } from './http/work-budget.ts';
import { inputOptions } from './subscriptions/read-input.ts';
import { readFilterInput } from './subscriptions/subscription-input.ts';
import { filterViewSchema, subscriptionInputSchema } from './subscriptions/subscription-schemas.ts';

/** The newest matching events that are returned. */
const MAX_SAMPLES = 10;
const DEFAULT_DAYS = 7;

export async function testFilter(api: ApiPorts, caller: Caller, body: unknown) {
  if (!isConfigSection(body)) throw invalid([{ pointer: '', detail: 'expected an object' }]);
  const { since, until, ...filter } = body;
  const now = api.clock.now();
  const period = {
    since: readTime(since, '/since', now) ?? plus(now, -DEFAULT_DAYS * DAY),
    until: readTime(until, '/until', now) ?? now,
  };
  const { events, where, digest, quiet } = await workInSteps(api, caller, readFilter(api, caller, filter));
  assertFilterWithinQuota(api, caller, where);
  const isVisible = await eventFilterFor(api, caller);
  const byType = new Map<string, number>();
  const newest: TidingsEvent[] = [];
  const recorded = await runWithinBudget(api, caller, (pace) =>
    visitMatches(
      api.events,
      { events, where },
      period,
      (event) => {
        byType.set(event.type, (byType.get(event.type) ?? 0) + 1);
        newest.push(event);
        if (newest.length > MAX_SAMPLES) newest.shift();
      },
      { types: caller.events, isVisible, pace },
    ),
  );
  return {
    ...period,
    filter: { events, where, digest, quiet },
    // Beside the number of those that it sees, it would show that of the others.
    recorded: seesAll(caller) ? recorded : null,
    matched: [...byType.values()].reduce((sum, count) => sum + count, 0),
    byType: Object.fromEntries(byType),
    samples: takeFitting(
      newest.toReversed().map((event) => ({ line: sayEvent(event), event })),
      createByteBudget(MAX_RESPONSE_BYTES),
    ),
  };
}

const KEYS = ['query', 'event', 'events', 'where', 'since', 'until'];

function* readFilter(api: ApiPorts, caller: Caller, body: Readonly<Record<string, unknown>>): Steps<EventFilter> {
  const unknown = Object.keys(body).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) throw invalid(unknown.map((key) => ({ pointer: `/${key}`, detail: 'unknown key' })));
  return yield* readFilterInput(body, inputOptions(api, caller, 'filter'));
}

function readTime(text: unknown, pointer: string, now: Instant): Instant | undefined {
  if (text === undefined) return undefined;
  const parsed = sinceSchema.safeParse(text);
  if (!parsed.success) throw invalid([{ pointer, detail: parsed.error.issues[0]?.message ?? 'expected a time' }]);
  return parsePeriodStart(parsed.data, now);
}

const filterSchema = z
  .strictObject({
    event: subscriptionInputSchema.shape.event,
    events: subscriptionInputSchema.shape.events,
    where: subscriptionInputSchema.shape.where,
    query: subscriptionInputSchema.shape.query,
    since: sinceSchema.optional().describe('Default: 7 days ago.'),
    until: sinceSchema.optional().describe('Default: now.'),
  })
  .meta({
    id: 'FilterInput',
    description: 'Needs event, events or query.',
    oneOf: ['event', 'events', 'query'].map((key) => ({ required: [key] })),
    dependentSchemas: { query: { not: { required: ['where'] } } },
  });

const filterResultSchema = z
  .strictObject({
    since: instantSchema,
    until: instantSchema,
    filter: filterViewSchema,
    recorded: z.int().nullable().describe('Events recorded in the period; null for a key that does not see all.'),
    matched: z.int(),
    byType: z.record(z.string(), z.int()),
    samples: z.array(z.strictObject({ line: z.string(), event: eventSchema })).describe('The newest that match.'),
  })
  .meta({ id: 'FilterResult' });

export const filterRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/filters/test',
    operation: 'testFilter',
    readsOnly: true,
    quota: 'previews',
    summary: 'Count the recorded events that a filter would have matched',
    tag: 'events',
    scopes: ['read', 'subscribe'],
    body: filterSchema,
    examples: { 'event types': { events: ['task.*'], since: '7d' }, 'a query': { query: 'invoice.paid total>=500' } },
    bodyIs: 'checked by run',
    responses: { 200: { description: 'The number of events, with samples.', schema: filterResultSchema } },
    run: async (api, { caller, body }) => ok(await testFilter(api, caller, body)),
  }),
];
