/** Routes that read: event types, events, records and filters. */

import * as z from 'zod';
import { listEventTypes } from './event-types.ts';
import { getEvent, type ListEventsQuery, listEvents } from './events.ts';
import { testFilter } from './filters.ts';
import { getRecord } from './records.ts';
import { defineRoute, ok, type Route } from './route.ts';
import {
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
} from './schemas.ts';
import { subscriptionInputSchema } from './subscription-schemas.ts';

const filterSchema = z
  .strictObject({
    event: subscriptionInputSchema.shape.event,
    events: subscriptionInputSchema.shape.events,
    where: subscriptionInputSchema.shape.where,
    since: sinceSchema.optional().describe('Default: 7 days ago.'),
    until: sinceSchema.optional().describe('Default: now.'),
  })
  .meta({ id: 'FilterInput' });

const filterResultSchema = z
  .strictObject({
    since: instantSchema,
    until: instantSchema,
    recorded: z.int().nullable().describe('Events recorded in the period; null for a key with event types.'),
    matched: z.int(),
    byType: z.record(z.string(), z.int()),
    samples: z.array(z.strictObject({ line: z.string(), event: eventSchema })).describe('The newest that match.'),
  })
  .meta({ id: 'FilterResult' });

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
      since: sinceSchema.optional(),
      until: sinceSchema.optional(),
      after: cursorSchema.optional(),
      order: z.enum(['oldest', 'newest']).optional().describe('Which come first. Default: oldest.'),
      limit: limitSchema.optional(),
    }),
    responses: { 200: { description: 'A page of events.', schema: eventPageSchema } },
    run: async (api, { caller, query }) =>
      ok(await listEvents(api, caller, { limit: 50, ...query } as ListEventsQuery)),
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
    bodyIs: 'checked by run',
    responses: { 200: { description: 'The number of events, with samples.', schema: filterResultSchema } },
    run: async (api, { caller, body }) => ok(await testFilter(api, caller, body)),
  }),
];
