/** Reads recorded events, and explains what became of one. */

import * as z from 'zod';
import { MAX_SHOWN_DELIVERIES } from '../../core/delivery/explain-event.ts';
import { sayEvent } from '../../core/events/catalogue.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { MAX_RESPONSE_BYTES } from '../../core/model/byte-budget.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import { HOUR, hourOf, plus } from '../../core/model/time.ts';
import { effectiveSubscriptions } from '../../runtime/inspect/effective-subscriptions.ts';
import { explainEventAlone } from '../../runtime/inspect/explain.ts';
import { findNames } from '../../runtime/inspect/id-names.ts';
import { keepVisible } from './deliveries-within.ts';
import { compileSearch } from './event-search.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, canSee, isWithin, seesAll, seesRecords } from './http/caller.ts';
import { explainedEventSchema } from './http/delivery-schemas.ts';
import { fillPage } from './http/fill-page.ts';
import { notFound, Problem } from './http/problem.ts';
import { parsePeriodStart } from './http/read-request.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import {
  cursorSchema,
  eventPageSchema,
  instantSchema,
  limitSchema,
  nameSchema,
  sinceSchema,
  subjectSchema,
  typeGlobSchema,
} from './http/schemas.ts';
import { runWithinBudget } from './http/work-budget.ts';
import { viewDeliveriesOfEvent } from './view-delivery.ts';

export interface ListEventsQuery {
  readonly type?: string;
  readonly subject?: string;
  readonly source?: string;
  readonly text?: string;
  readonly since?: string;
  readonly until?: string;
  readonly after?: string;
  readonly order?: 'oldest' | 'newest';
  readonly limit: number;
}

/** The cursor of a reader who has got nothing yet. Without one, it would show whether there are events that the caller does not see. */
const START = 'start';

/** Where the oldest come first, the cursor of the last page continues with events that are recorded later. */
export async function listEvents(api: ApiPorts, caller: Caller, query: ListEventsQuery) {
  const { type, subject, source, text, since, until, after, order = 'oldest', limit } = query;
  const now = api.clock.now();
  if (after !== undefined && after.startsWith('<') !== (order === 'newest')) throw wrongOrder(order);
  const position = after === START ? undefined : after;
  // Events beyond the types of the key are not read at all: neither a page nor its end shows that there are some.
  const isAsked = compileGlob(type ?? '*');
  const types = caller.events ?? (type === undefined ? undefined : [type]);
  const search = compileSearch({ text, source });
  const isNarrower = caller.events !== undefined && type !== undefined;
  const matches = isNarrower
    ? (event: TidingsEvent) => isAsked(event.type) && (search === undefined || search(event))
    : search;
  const read = (from = position, size = limit) =>
    api.events.list({
      limit: size,
      maxBytes: MAX_RESPONSE_BYTES,
      first: order,
      types,
      subject,
      matches,
      ...(since === undefined ? {} : { since: parsePeriodStart(since, now) ?? now }),
      ...(until === undefined ? {} : { until: parsePeriodStart(until, now) ?? now }),
      after: from,
    });
  const { events, cursor, more } = await readPage();
  return { data: events, next: order === 'oldest' ? (cursor ?? START) : more ? (cursor ?? null) : null, more };

  async function readPage() {
    if (caller.events !== undefined) {
      // A store without an index of types reads a limited number of others, and then ends the page.
      const filled = await fillPage(api, caller, {
        limit,
        after: position,
        read: async (from, size) => {
          const { events: items, ...rest } = await read(from, size);
          return { items, ...rest };
        },
      });
      return { ...filled, events: filled.items };
    }
    if (search === undefined) return read();
    // The caller chooses what is searched for, and so how much is read.
    return runWithinBudget(api, caller, async (pace) => {
      const page = await read();
      await pace();
      return page;
    });
  }
}

/** How many hours back events are counted at most. */
const MAX_COUNTED_HOURS = 7 * 24;

/** How many events are counted at most. */
const MAX_COUNTED_EVENTS = 100_000;

/**
 * For each hour up to now, oldest first, hours without events too; fewer hours if they have more events than are counted. Only
 * for callers that see all event types.
 */
export async function countEvents(api: ApiPorts, caller: Caller, hours: number) {
  if (caller.events !== undefined) {
    const detail = 'a key with event types cannot count the events of others: list its own';
    throw new Problem(403, 'TIDINGS_API_SCOPE', { detail });
  }
  const last = hourOf(api.clock.now());
  const starts = Array.from({ length: hours }, (_, index) => plus(last, (index - hours + 1) * HOUR));
  const { counts, uncounted } = await api.events.countByHour(starts[0] ?? last, MAX_COUNTED_EVENTS);
  const counted = uncounted === undefined ? starts : starts.filter((hour) => hour > uncounted);
  return {
    data: counted.map((hour) => ({ hour, count: counts.get(hour) ?? 0 })),
    truncated: uncounted !== undefined,
  };
}

export async function getEvent(api: ApiPorts, caller: Caller, id: string) {
  const event = await findEvent(api, caller, id);
  // Others are not explained: the time that it takes would show how many there are. Removed ones are visible to callers that see all.
  const only = seesAll(caller)
    ? undefined
    : (await effectiveSubscriptions(api.config, api.subscriptions)).filter((one) => canSee(caller, one));
  const explained = await runWithinBudget(
    api,
    caller,
    (pace) => explainEventAlone(api, api.config, event, { only, pace }),
    { mayWait: true },
  );
  const names = only?.map(({ name }) => name);
  const ofEvent = await api.deliveries.listByEvent(id, names, MAX_SHOWN_DELIVERIES);
  const deliveries = await keepVisible(api, caller, ofEvent);
  const shown = new Set(deliveries.map((one) => one.id));
  const [resource = ''] = event.subject.split('/');
  const named = await findNames(api, [event.data], {
    source: sourceName(event),
    resource,
    mayRead: (one) => seesRecords(caller, one),
  });
  return {
    event,
    rule: explained.rule,
    line: sayEvent(event),
    names: named,
    deliveries: await viewDeliveriesOfEvent(api, caller, deliveries),
    subscriptions: explained.subscriptions.map(({ subscription, verdict, delivery, earlier, receiverPaused }) => ({
      subscription,
      verdict,
      delivery: delivery?.id ?? null,
      earlier: earlier.map(({ id }) => id).filter((one) => shown.has(one)),
      receiverPaused,
    })),
  };
}

/** Throws 404 for an event that does not exist for the caller. */
export async function findEvent(api: Pick<ApiPorts, 'events'>, caller: Caller, id: string): Promise<TidingsEvent> {
  const event = await api.events.get(id);
  if (event === undefined || !isWithin(caller, event.type)) throw notFound(`event '${id}'`);
  return event;
}

/** The events that are still kept and that the caller may see, by id. */
export async function findEvents(
  api: Pick<ApiPorts, 'events'>,
  caller: Caller,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TidingsEvent>> {
  const recorded = await api.events.getMany([...new Set(ids)]);
  return new Map(recorded.filter(({ type }) => isWithin(caller, type)).map((event) => [event.id, event]));
}

function wrongOrder(order: string): Problem {
  const detail = `expected the next of a page with order=${order}`;
  return new Problem(400, 'TIDINGS_API_QUERY', { detail: `after: ${detail}`, errors: [{ pointer: 'after', detail }] });
}

const HOURS = `expected a whole number from 1 to ${MAX_COUNTED_HOURS}`;
const hoursSchema = z
  .int({ error: HOURS })
  .min(1, { error: HOURS })
  .max(MAX_COUNTED_HOURS, { error: HOURS })
  .describe('How many hours, the current one included. Default: 24.');

const countsSchema = z
  .strictObject({
    data: z.array(z.strictObject({ hour: instantSchema, count: z.int() })),
    truncated: z.boolean().describe('Whether older hours are left out, because they have too many events.'),
  })
  .meta({ id: 'EventCounts' });

export const eventRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/events',
    operation: 'listEvents',
    summary: 'List recorded events',
    description:
      'Also the way for systems that cannot be reached: read to the end, keep `next`, and poll with `after`. Each event comes once. A page has at most 2.5 MB.',
    tag: 'events',
    scopes: ['read'],
    query: z.strictObject({
      type: typeGlobSchema.optional().describe("An event type, or a pattern such as 'task.*'."),
      subject: subjectSchema.optional().describe('The record: task/123. Tests are none of its events.'),
      source: nameSchema.optional().describe('The name of a source.'),
      text: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(
          'Words that all occur in the sentence, the names or the ids of the event. One call reads up to 1,000 others.',
        ),
      since: sinceSchema.optional(),
      until: sinceSchema.optional(),
      after: cursorSchema.optional(),
      order: z.enum(['oldest', 'newest']).optional().describe('Which come first. Default: oldest.'),
      limit: limitSchema.optional(),
    }),
    responses: {
      200: {
        description: 'A page of events.',
        schema: eventPageSchema,
        links: { getEvent: { id: '$response.body#/data/0/id' }, listEvents: { after: '$response.body#/next' } },
      },
    },
    run: async (api, { caller, query }) =>
      ok(await listEvents(api, caller, { limit: 50, ...query } as ListEventsQuery)),
  }),
  defineRoute({
    method: 'get',
    path: '/events/counts',
    operation: 'countEvents',
    summary: 'Count the events of each hour',
    description: `The last hours up to now, oldest first. At most ${MAX_COUNTED_EVENTS.toLocaleString('en')} events are counted, the newest ones: hours before these are left out.`,
    tag: 'events',
    scopes: ['read'],
    query: z.strictObject({ hours: hoursSchema.optional() }),
    responses: { 200: { description: 'The number of events of each hour.', schema: countsSchema } },
    run: async (api, { caller, query: { hours = 24 } }) => ok(await countEvents(api, caller, hours)),
  }),
  defineRoute({
    method: 'get',
    path: '/events/{id}',
    operation: 'getEvent',
    summary: 'Get an event, its deliveries, and why others did not get it',
    tag: 'events',
    scopes: ['read'],
    responses: { 200: { description: 'The event.', schema: explainedEventSchema } },
    errors: [404],
    run: async (api, { caller, params }) => ok(await getEvent(api, caller, params.id ?? '')),
  }),
];
