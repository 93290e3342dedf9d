/** The schemas of all responses and of requests other than subscriptions. The OpenAPI document is generated from them. */

import * as z from 'zod';
import { SCOPES } from '../../../core/model/api-key.ts';
import { SUBJECT_PATTERN } from '../../../core/model/event.ts';
import { RATE_PATTERN } from '../../../core/model/rate.ts';

export type OpenApiNode = Record<string, unknown>;

const INSTANT = "expected a timestamp with its offset, such as '2026-11-14T09:00:00Z'";
const SINCE = "expected a timestamp with its offset, such as '2026-11-14T09:00:00Z', or how long ago, such as '2d'";

/** The pattern of an existing day, such as 2028-02-29. */
const DAY_PATTERN = z.regexes.date.source.slice(1, -1);
const HOUR_AND_MINUTE = '(?:[01]\\d|2[0-3]):[0-5]\\d';
/** An existing day, a time and an offset: from the year 100 on, as `parseInstant` reads it. */
const INSTANT_PATTERN = `(?!00)${DAY_PATTERN}T${HOUR_AND_MINUTE}(?::[0-5]\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]${HOUR_AND_MINUTE})`;

/** An instant as we store it. */
export const instantSchema = z
  .string()
  .meta({ format: 'date-time', description: 'UTC with milliseconds.', examples: ['2026-11-14T09:00:00.000Z'] });

/** An instant in a request. */
export const givenInstantSchema = z
  .string({ error: INSTANT })
  .regex(new RegExp(`^${INSTANT_PATTERN}$`), { error: INSTANT })
  .meta({ description: 'A timestamp with its offset.', examples: ['2126-11-14T09:00:00Z'] });

/** An instant, or a duration before now: `2d`. */
export const sinceSchema = z
  .string({ error: SINCE })
  .regex(new RegExp(`^(?:${INSTANT_PATTERN}|\\d{1,9}[smh]|\\d{1,7}d)$`), { error: SINCE })
  .meta({ description: 'A timestamp with its offset, or how long ago: 30m, 2h, 2d.', examples: ['2d'] });

const AHEAD =
  "expected a timestamp with its offset, such as '2026-11-14T09:00:00Z', or how long from now, such as '2d'";
/** An instant, or a duration from now: `2d`. */
export const aheadSchema = z
  .string({ error: AHEAD })
  .regex(new RegExp(`^(?:${INSTANT_PATTERN}|\\d{1,4}[smhd])$`), { error: AHEAD })
  .meta({ description: 'A timestamp with its offset, or how long from now: 30m, 2h, 2d.', examples: ['2d'] });

export const nameSchema = z
  .string({ error: 'expected a name of at most 64 letters, digits, - and _' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, { error: 'expected a name of at most 64 letters, digits, - and _' });

const SUBJECT = "expected a record such as 'task/123'";
export const subjectSchema = z
  .string({ error: SUBJECT })
  .max(200, { error: SUBJECT })
  .regex(SUBJECT_PATTERN, { error: SUBJECT });

const LIMIT = 'expected a whole number from 1 to 200';
export const limitSchema = z
  .int({ error: LIMIT })
  .min(1, { error: LIMIT })
  .max(200, { error: LIMIT })
  .describe('How many to return. Default: 50.');
const CURSOR = 'expected the next of an earlier page of this list';
export const cursorSchema = z
  .string({ error: CURSOR })
  .max(8000, { error: CURSOR })
  .regex(/^[A-Za-z0-9_-]+$/, { error: CURSOR })
  .describe('The `next` of an earlier page: continue after it.');

export const typeGlobSchema = z
  .string({ error: "expected an event type or a pattern such as 'task.*'" })
  .regex(/^[a-z*][a-z0-9_.*-]{0,99}$/, { error: "expected an event type or a pattern such as 'task.*'" });

const page = <T extends z.ZodType>(item: T, description: string) =>
  z.strictObject({
    data: z.array(item),
    next: z.string().nullable().describe(description),
  });

const json = z.unknown();
const fields = z.record(z.string(), json);

export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string().describe('Stable: programs may rely on it.'),
    detail: z.string().describe('What happened and what to do.'),
    errors: z
      .array(
        z.strictObject({
          pointer: z.string(),
          detail: z.string(),
          position: z.int().optional().describe('In a query: the index of the first character of the word.'),
          word: z.string().optional().describe('In a query: the word.'),
        }),
      )
      .optional()
      .describe('Each wrong field: a JSON pointer into the body, or the name of a query parameter.'),
  })
  .meta({ id: 'Problem', description: 'Problem details, RFC 9457.' });

export const eventSchema = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string(),
    type: z.string(),
    source: z.string(),
    subject: z.string(),
    time: instantSchema,
    datacontenttype: z.literal('application/json'),
    dataschema: z.string().optional(),
    test: z.literal(true).optional(),
    data: fields,
  })
  .meta({ id: 'Event', description: 'The CloudEvents envelope, as receivers get it. See docs/events.md.' });

export const eventPageSchema = page(
  eventSchema,
  'The cursor of the next page. Never null where the oldest come first: keep it and poll for newer events. A page may be short, and even empty, with more to come.',
)
  .extend({ more: z.boolean().describe('Whether more events may follow at once.') })
  .meta({ id: 'EventPage' });

export const eventTypeSchema = z
  .strictObject({
    type: z.string(),
    resource: z.string(),
    meaning: z.string(),
    when: z.string(),
    urgency: z.enum(['good', 'plain', 'soon', 'late']),
    byTime: z.boolean().describe('Whether it is caused by the passing of time.'),
    schema: fields.describe('JSON Schema of the event.'),
    example: eventSchema.nullable(),
  })
  .meta({ id: 'EventType' });

export const namesSchema = z
  .record(z.string(), z.record(z.string(), z.string()))
  .describe(
    'The names of the ids in the changes, by field and id, as far as they are known: { statusid: { 7: Staged } }.',
  );

const changeSchema = z.strictObject({ field: z.string(), from: json, to: json });

const recordSchema = z
  .strictObject({
    source: z.string(),
    resource: z.string(),
    id: z.string(),
    record: fields,
    stage: fields.describe('What today makes of the record, such as overdue.'),
    version: z.int(),
    committedAt: instantSchema,
    deletedAt: instantSchema.nullable(),
    ahead: z
      .array(z.strictObject({ at: instantSchema, events: z.array(z.string()) }))
      .describe('Future changes by time alone.'),
    reading: fields.describe('Whether and when it is read from the API.'),
    names: namesSchema,
    history: z
      .array(
        z.strictObject({
          version: z.int(),
          at: instantSchema,
          cause: z.string(),
          occurred: z.strictObject({ after: instantSchema.nullable(), before: instantSchema }),
          changes: z.array(changeSchema),
          stage: z.array(changeSchema),
          life: z.string().nullable().describe('new, deleted or restored, if it was found so.'),
          events: z.array(z.string()),
          silence: z.string().nullable().describe('Why this version caused no event.'),
        }),
      )
      .describe('Its versions, oldest first, as far as they are kept.'),
    events: z.array(eventSchema),
    more: z.boolean().describe('Whether older versions are left out, because all would take more than 2.5 MB.'),
  })
  .meta({ id: 'Record' });

export const recordsSchema = z.strictObject({ data: z.array(recordSchema) }).meta({ id: 'Records' });

export const sourceSchema = z
  .object({ source: z.string(), state: z.string(), reason: z.string().nullable(), resources: z.array(fields) })
  .catchall(json)
  .meta({ id: 'Source', description: 'Health, quota, cadences, next scans and forecast of a source.' });

const amountSchema = (max: number) =>
  z
    .int({ error: `expected a whole number from 1 to ${max}` })
    .min(1, { error: `expected a whole number from 1 to ${max}` })
    .max(max, { error: `expected a whole number from 1 to ${max}` });
const RATE = "expected a rate such as '1/s', '30/m' or '500/h', of at most 999999";
const rateSchema = z.string({ error: RATE }).regex(RATE_PATTERN, { error: RATE });

export const keyQuotasSchema = z
  .strictObject({
    subscriptions: amountSchema(1_000_000).optional(),
    bytes: amountSchema(1_000_000_000).optional().describe('Of its subscriptions as JSON.'),
    comparisons: amountSchema(1_000_000_000)
      .optional()
      .describe('What the filters of its subscriptions may compare an event with at most.'),
    requests: rateSchema.optional().describe("Such as '1200/m'."),
    changes: rateSchema.optional().describe('Requests that have an entry in the audit trail.'),
    previews: rateSchema.optional().describe('Filter tests, previews, forecasts and tests.'),
    replays: rateSchema.optional().describe('Replays, and retries of many deliveries.'),
    deliveries: rateSchema.optional().describe('Deliveries of its replays, retries and tests.'),
    units: rateSchema
      .optional()
      .describe('Only in AWS: read units of DynamoDB that its requests consume. A write unit counts as 5.'),
  })
  .meta({ id: 'KeyQuotas' });

export const keySchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    events: z.array(z.string()).nullable().describe('The event types it may see; null: all.'),
    createdAt: instantSchema,
    createdBy: z.string(),
    lastUsedAt: instantSchema.nullable().describe('To within five minutes.'),
    expiresAt: instantSchema.nullable(),
    quotas: keyQuotasSchema
      .nullable()
      .describe('What it may use, where that differs from other keys; null: nothing does.'),
    subscriptions: z.int().describe('How many subscriptions it made that exist.'),
  })
  .meta({ id: 'Key' });

export const newKeySchema = keySchema
  .extend({ token: z.string().describe('The key itself. Shown once: only its hash is stored.') })
  .meta({ id: 'NewKey' });

/** No control characters, and none that change the direction of the text around them: `HIDDEN_CHARACTER` of keys.ts. */
const VISIBLE_NAME = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]*$';

const SCOPE = `expected one of ${SCOPES.join(', ')}`;
export const keyInputSchema = z
  .strictObject({
    name: z
      .string({ error: 'expected a name of at most 100 characters' })
      .min(1, { error: 'expected a name of at most 100 characters' })
      .max(100, { error: 'expected a name of at most 100 characters' })
      .meta({ pattern: VISIBLE_NAME })
      .describe('Who uses it.'),
    scopes: z
      .array(z.enum(SCOPES, { error: SCOPE }), { error: 'expected a list of scopes' })
      .min(1, { error: 'expected at least one scope' }),
    events: z
      .array(typeGlobSchema, { error: 'expected a list of event types' })
      .min(1, { error: 'expected at least one event type' })
      .optional()
      .describe('The event types it may see and subscribe to. Default: all.'),
    expiresAt: givenInstantSchema.optional().describe('Default: never.'),
    quotas: keyQuotasSchema
      .optional()
      .describe('What it may use instead of what the config says for all keys. Default: that.'),
  })
  .meta({
    id: 'KeyInput',
    description: 'The scope admin sees everything: it takes no event types.',
    not: { required: ['events'], properties: { scopes: { contains: { const: 'admin' } } } },
  });

const auditEntrySchema = z
  .strictObject({
    id: z.string(),
    at: instantSchema,
    by: z.strictObject({ kind: z.string(), id: z.string(), name: z.string().optional() }),
    action: z.string(),
    target: z.string(),
    details: fields.optional(),
    outcome: z
      .enum(['started', 'refused'])
      .optional()
      .describe(
        'started: the change may have been made, because the server ended before it could say. refused: nothing was changed. Missing: it was made.',
      ),
  })
  .meta({ id: 'AuditEntry' });

export const auditPageSchema = page(auditEntrySchema, 'The cursor of the next page; null when nothing follows.').meta({
  id: 'AuditPage',
});
