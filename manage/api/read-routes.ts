/** Routes that read: event types, events, records and filters. */

import * as z from 'zod';
import { listEventTypes } from './event-types.ts';
import { countEvents, getEvent, type ListEventsQuery, listEvents, MAX_COUNTED_HOURS } from './events.ts';
import { testFilter } from './filters.ts';
import { forecastEvents } from './forecast.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import {
  aheadSchema,
  cursorSchema,
  eventPageSchema,
  eventSchema,
  eventTypeSchema,
  explainedEventSchema,
  instantSchema,
  limitSchema,
  nameSchema,
  recordsSchema,
  sinceSchema,
  typeGlobSchema,
} from './http/schemas.ts';
import { getRecord } from './records.ts';
import { filterViewSchema, subscriptionInputSchema } from './subscriptions/subscription-schemas.ts';

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
    recorded: z.int().nullable().describe('Events recorded in the period; null for a key with event types.'),
    matched: z.int(),
    byType: z.record(z.string(), z.int()),
    samples: z.array(z.strictObject({ line: z.string(), event: eventSchema })).describe('The newest that match.'),
  })
  .meta({ id: 'FilterResult' });

const HOURS = `expected a whole number from 1 to ${MAX_COUNTED_HOURS}`;
const hoursSchema = z
  .int({ error: HOURS })
  .min(1, { error: HOURS })
  .max(MAX_COUNTED_HOURS, { error: HOURS })
  .describe('How many hours, the current one included. Default: 24.');

const countsSchema = z
  .strictObject({ data: z.array(z.strictObject({ hour: instantSchema, count: z.int() })) })
  .meta({ id: 'EventCounts' });

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
  })
  .meta({ id: 'Forecast' });

export const readRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/event-types',
    operation: 'listEventTypes',
    summary: 'List the event types',
    description: 'Those of the catalogue and of the config, as far as the key may see them.',
    tag: 'events',
    scopes: ['read', 'subscribe'],
    responses: { 200: { description: 'The event types.', schema: z.strictObject({ data: z.array(eventTypeSchema) }) } },
    run: async (api, { caller }) => ok(listEventTypes(api, caller)),
  }),
  defineRoute({
    method: 'get',
    path: '/events',
    operation: 'listEvents',
    summary: 'List recorded events',
    description:
      'Also the way for systems that cannot be reached: read to the end, keep `next`, and poll with `after`. Each event comes once.',
    tag: 'events',
    scopes: ['read'],
    query: z.strictObject({
      type: typeGlobSchema.optional().describe("An event type, or a pattern such as 'task.*'."),
      subject: z.string().min(1).max(200).optional().describe('The record: task/123.'),
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
    description: 'The last hours up to now, oldest first.',
    tag: 'events',
    scopes: ['read'],
    query: z.strictObject({ hours: hoursSchema.optional() }),
    responses: { 200: { description: 'The number of events of each hour.', schema: countsSchema } },
    run: async (api, { caller, query: { hours = 24 } }) => ok(await countEvents(api, caller, hours)),
  }),
  defineRoute({
    method: 'get',
    path: '/forecast',
    operation: 'forecastEvents',
    summary: 'List the events that time will bring',
    description: 'If nothing changes: due dates, reminders, ends. Nothing is sent.',
    tag: 'events',
    scopes: ['read'],
    query: z.strictObject({ until: aheadSchema.optional(), limit: limitSchema.optional() }),
    responses: { 200: { description: 'The first events, in the order in which they fire.', schema: forecastSchema } },
    run: async (api, { caller, query }) => ok(await forecastEvents(api, caller, { limit: 50, ...query })),
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
  defineRoute({
    method: 'get',
    path: '/records/{resource}/{id}',
    operation: 'getRecord',
    summary: 'Get a record: its snapshot, stage, next moments and events',
    tag: 'events',
    scopes: ['read'],
    query: z.strictObject({ source: nameSchema.optional().describe('Default: every source that has the record.') }),
    responses: { 200: { description: 'The record in each source that has it.', schema: recordsSchema } },
    errors: [404],
    run: async (api, { caller, params, query }) =>
      ok(await getRecord(api, caller, params.resource ?? '', params.id ?? '', query)),
  }),
  defineRoute({
    method: 'post',
    path: '/filters/test',
    operation: 'testFilter',
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
