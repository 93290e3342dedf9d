/** What the passing of time will bring: events that fire if nothing changes, and which subscriptions get them. */

import * as z from 'zod';
import { sayEvent } from '../../core/events/catalogue.ts';
import { sourceName } from '../../core/model/event.ts';
import type { Pace } from '../../core/model/pace.ts';
import { DAY, parseDuration, parseInstant, plus } from '../../core/model/time.ts';
import { effectiveSubscriptions } from '../../runtime/inspect/effective-subscriptions.ts';
import { type ForecastMessage, forecastMessages } from '../../runtime/inspect/forecast-messages.ts';
import { type Preview, preview, sendTimeOf } from '../../runtime/inspect/preview.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, canSee, seesAll, typeFilterFor } from './http/caller.ts';
import { forecastMessageSchema } from './http/forecast-schema.ts';
import { Problem } from './http/problem.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import { aheadSchema, instantSchema, limitSchema } from './http/schemas.ts';
import { runWithinBudget } from './http/work-budget.ts';

export interface ForecastQuery {
  /** An instant, or how long from now. @default - 24 hours from now */
  readonly until?: string;
  readonly limit: number;
}

/** The first ones, in the order in which they fire. */
export async function forecastEvents(api: ApiPorts, caller: Caller, { until: end, limit }: ForecastQuery) {
  const from = api.clock.now();
  const until = end === undefined ? plus(from, DAY) : (parsePeriodEnd(end, from) ?? from);
  if (until < from) {
    const detail = 'expected a time in the future';
    throw new Problem(400, 'TIDINGS_API_QUERY', { detail: `until: ${detail}`, errors: [{ pointer: 'until', detail }] });
  }
  const { events, unsettled, messages } = await runWithinBudget(api, caller, async (pace) => {
    const all = await effectiveSubscriptions(api.config, api.subscriptions);
    // Not the others: their filters would take up the time that the caller has, and show how many there are.
    const only = all.filter((one) => canSee(caller, one));
    const shows = typeFilterFor(caller);
    const previewed = await preview(api, api.config, { from, until }, from, { only, shows, pace });
    return { ...previewed, messages: await forecastFor(api, caller, previewed, pace) };
  });
  return {
    from,
    until,
    count: events.length,
    unsettled,
    data: events.slice(0, limit).map(({ at, event, to, sentAt }) => ({
      at,
      type: event.type,
      source: sourceName(event),
      subject: event.subject,
      line: sayEvent(event),
      subscriptions: seesAll(caller) ? to.map((name) => ({ name, sentAt: sendTimeOf({ at, sentAt }, name) })) : [],
    })),
    messages: messages.slice(0, limit),
  };
}

/** What the subscriptions of a preview will send, without what the caller may not see: a message with other events too is one without them. */
export async function forecastFor(
  api: ApiPorts,
  caller: Caller,
  previewed: Preview,
  pace: Pace,
): Promise<readonly ForecastMessage[]> {
  const options = { shows: typeFilterFor(caller), isConfined: !seesAll(caller), pace };
  return forecastMessages(api, previewed, api.clock.now(), options);
}

/** Undefined for text that is neither an instant nor a duration. */
function parsePeriodEnd(text: string, from: string): string | undefined {
  const ahead = parseDuration(text);
  return ahead === undefined ? parseInstant(text) : plus(from, ahead);
}

const forecastSchema = z
  .strictObject({
    from: instantSchema,
    until: instantSchema,
    count: z.int().describe('How many there are in the period.'),
    unsettled: z.array(z.string()).describe('Sources whose zone or rules have changed since their last poll.'),
    data: z.array(
      z.strictObject({
        at: instantSchema,
        type: z.string(),
        source: z.string(),
        subject: z.string(),
        line: z.string(),
        subscriptions: z
          .array(z.strictObject({ name: z.string(), sentAt: instantSchema }))
          .describe('Who gets it, and when it is sent. Empty for a key with event types.'),
      }),
    ),
    messages: z
      .array(forecastMessageSchema)
      .describe('What subscriptions send in the period, digests included: the first ones, up to the limit.'),
  })
  .meta({ id: 'Forecast' });

export const forecastRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/forecast',
    operation: 'forecastEvents',
    quota: 'previews',
    summary: 'List the events that time will bring, and the messages ahead',
    description: 'If nothing changes: due dates, reminders, ends, digests, and what waits already. Nothing is sent.',
    tag: 'events',
    scopes: ['read'],
    query: z.strictObject({ until: aheadSchema.optional(), limit: limitSchema.optional() }),
    responses: { 200: { description: 'The first events, in the order in which they fire.', schema: forecastSchema } },
    errors: [422],
    run: async (api, { caller, query }) => ok(await forecastEvents(api, caller, { limit: 50, ...query })),
  }),
];
