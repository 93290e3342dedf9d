/** The schemas of subscriptions in requests and responses. The config's own schema validates the keys of the config. */

import * as z from 'zod';
import { HTTP_CONTENT_TYPES, HTTP_FORMATS } from '../../../adapters/channels/http/settings.ts';
import { MAX_EVENT_TYPES, subscriptionSchema } from '../../../runtime/config/subscription-schema.ts';
import { url } from '../../../runtime/config/values.ts';
import { deliverySchema } from '../http/delivery-schemas.ts';
import { forecastMessageSchema } from '../http/forecast-schema.ts';
import {
  eventSchema,
  givenInstantSchema,
  instantSchema,
  nameSchema,
  sinceSchema,
  typeGlobSchema,
} from '../http/schemas.ts';
import { HTTP_KEYS, URL_KEYS } from './subscription-input.ts';
import { VERIFICATIONS } from './verify-endpoint.ts';

const section = z.record(z.string(), z.unknown());

/** The keys of the config in a response, as they are written. */
const configKeys = {
  where: section
    .optional()
    .describe('An EventBridge pattern, see docs/filters.md. Default: all events of these types.'),
  gather: z.string().optional().describe('How long messages for people are gathered: 30s.'),
  digest: section.optional().describe('One message at a fixed time: { at, days }.'),
  quiet: section.optional().describe('Hours without messages: { from, until, days }.'),
  dayStartsAt: z.string().optional().describe('When the day of the readers starts: 08:00, or off.'),
  timeZone: z.string().optional(),
  rate: z.string().optional().describe('The maximum rate: 30/m.'),
  concurrency: z.int().optional(),
  template: section.optional().describe('Liquid templates, see docs/templates.md.'),
};

export const subscriptionViewSchema = z
  .strictObject({
    id: z.string().describe('The same as the name: what platforms keep to delete the subscription.'),
    name: z.string(),
    active: z.boolean().describe('Whether messages are sent: it is neither paused nor disabled.'),
    events: z.array(z.string()),
    url: z.string().optional().describe('Of an HTTP endpoint.'),
    to: z.record(z.string(), section).describe('The channel and its settings. Secrets are hidden.'),
    ...configKeys,
    address: z.string().describe('The receiver in a few words, without secrets.'),
    state: z.enum(['ok', 'failing', 'paused', 'disabled']),
    reason: z.string().nullable().describe('The last error; null while the receiver is healthy.'),
    failingSince: instantSchema.nullable().describe('When the first failure since the last success happened.'),
    pausedUntil: instantSchema.nullable().describe('Until when a failing receiver is not tried.'),
    unsubscribed: z
      .array(z.string())
      .describe(
        'Addresses of readers who unsubscribed with the link in a mail. They get none until they subscribe again.',
      ),
    declared: z.boolean().describe('Whether the config declares it: then the API cannot change it.'),
    owner: z
      .string()
      .nullable()
      .describe(
        'The id of the key that made it; `slack:` and the id of the Slack channel that subscribed itself; null: the operator.',
      ),
    madeBy: z
      .strictObject({
        name: z.string().describe('The user name in Slack.'),
        channel: z.string().nullable().describe('The channel as people know it: #finance. Null: not known.'),
      })
      .nullable()
      .describe('The person in Slack who made it. Null: it was not made in Slack.'),
    createdAt: instantSchema.nullable(),
    expiresAt: instantSchema.nullable(),
    removeWhenGone: z.boolean().describe('Whether 410 Gone removes it.'),
    bothSecretsUntil: instantSchema.nullable().describe('During a rotation: until when both secrets sign.'),
  })
  .meta({ id: 'Subscription' });

export type SubscriptionView = z.output<typeof subscriptionViewSchema>;

export const newSubscriptionSchema = subscriptionViewSchema
  .extend({
    secret: z.string().nullable().describe('The signing secret. Shown once. Null if the channel does not sign.'),
  })
  .meta({ id: 'NewSubscription' });

export const subscriptionPageSchema = z
  .strictObject({ data: z.array(subscriptionViewSchema), next: z.string().nullable() })
  .meta({ id: 'SubscriptionPage' });

const { gather, digest, quiet, dayStartsAt, timeZone, rate, concurrency } = subscriptionSchema.shape;
/** The keys of the config in a request. */
const optionKeys = {
  ...{ where: configKeys.where, gather, digest, quiet, dayStartsAt, timeZone, rate, concurrency },
  template: configKeys.template,
};

const hookUrl = url.optional().describe('Another name of url, for REST-hook platforms: 410 Gone then removes it.');

/** Documents the request. It is validated as a part of the config is, with the same messages. */
const inputKeys = {
  url: url.optional().describe('The endpoint, short for to.http.url. Either url or to.'),
  targetUrl: hookUrl,
  target_url: hookUrl,
  hookUrl,
  hook_url: hookUrl,
  event: typeGlobSchema.optional().describe('A single event type, short for events.'),
  events: z
    .array(typeGlobSchema)
    .min(1)
    .max(MAX_EVENT_TYPES)
    .optional()
    .describe("Event types; '*' matches any characters."),
  query: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe('Words such as task.overdue daily 08:30, instead of events, where, digest and quiet. See docs/query.md.'),
  to: z.record(z.string(), section).optional().describe('Exactly one channel with its settings, as in the config.'),
  format: z.enum(HTTP_FORMATS).optional().describe('Beside url: the body, as to.http.format.'),
  contentType: z.enum(HTTP_CONTENT_TYPES).optional().describe('Beside url: the content type of requests.'),
  headers: z.record(z.string(), z.string()).optional().describe('Beside url: further headers. Stored encrypted.'),
  auth: section.optional().describe('Beside url: basic or bearer, as to.http.auth. Stored encrypted.'),
  ...optionKeys,
  expiresAt: givenInstantSchema.nullable().optional().describe('From then on it gets no new events. Default: never.'),
  removeWhenGone: z
    .boolean()
    .optional()
    .describe('Whether 410 Gone removes it. Default: true with targetUrl and the like.'),
  verify: z
    .enum(VERIFICATIONS)
    .optional()
    .describe('How the endpoint is asked for its consent. Default: ping for keys without operate, else none.'),
  active: z
    .boolean()
    .optional()
    .describe('false: it starts paused, or is paused. Default: a new one is active, a known one stays as it is.'),
};

const RECEIVERS = [...URL_KEYS, 'to'];
const FILTERS = ['event', 'events', 'query'];
const required = (key: string) => ({ required: [key] });

/** Rules of JSON Schema for a new subscription. The checks of the config report them as errors. */
const rules = {
  allOf: [{ oneOf: RECEIVERS.map(required) }, { oneOf: FILTERS.map(required) }],
  dependentSchemas: {
    query: { not: { anyOf: ['where', 'digest', 'quiet'].map(required) } },
    to: { not: { anyOf: HTTP_KEYS.map(required) } },
  },
};

const NEEDS = 'Needs url (or one of its other names) or to, and event, events or query.';
export const subscriptionInputSchema = z
  .strictObject({ name: nameSchema.optional().describe('Default: a new name.'), ...inputKeys })
  .meta({ id: 'SubscriptionInput', description: NEEDS, ...rules });

export const subscriptionPutSchema = z
  .strictObject({
    name: nameSchema.optional().describe('The name in the path, if it is given.'),
    ...inputKeys,
  })
  .meta({ id: 'SubscriptionDeclaration', description: NEEDS, ...rules });

const NULLABLE = ['format', 'contentType', 'headers', 'auth'];

/** Null removes an optional key. */
export const subscriptionPatchSchema = z
  .strictObject(
    Object.fromEntries(
      Object.entries(inputKeys).map(([key, schema]) => [
        key,
        Object.hasOwn(optionKeys, key) || NULLABLE.includes(key) ? (schema as z.ZodOptional).nullable() : schema,
      ]),
    ),
  )
  .meta({
    id: 'SubscriptionPatch',
    description: 'Only what changes. null removes an optional key.',
  });

/** What POST /filters/test tried, as a subscription would have it. */
export const filterViewSchema = z
  .strictObject({
    events: z.array(z.string()),
    where: configKeys.where,
    digest: configKeys.digest,
    quiet: configKeys.quiet,
  })
  .describe('What was tried. A query is shown as what it stands for.');

export const testResultSchema = z
  .strictObject({
    delivery: deliverySchema,
    event: eventSchema.nullable(),
    attempted: z.boolean().describe('False if no attempt was made in time: read the delivery later.'),
  })
  .meta({ id: 'TestResult' });

export const testInputSchema = z
  .strictObject({ type: typeGlobSchema.optional().describe('Default: any type that the subscription matches.') })
  .meta({ id: 'TestInput' });

export const rotationSchema = z
  .strictObject({
    secret: z.string().describe('The new signing secret. Shown once.'),
    bothSecretsUntil: instantSchema.describe('Until then every request carries the signatures of both secrets.'),
    bothUntil: instantSchema.describe('The same as bothSecretsUntil. Deprecated.').meta({ deprecated: true }),
  })
  .meta({ id: 'Rotation' });

export const resubscribeInputSchema = z
  .strictObject({
    address: z
      .string({ error: 'expected the address of a reader who unsubscribed' })
      .min(1, { error: 'expected the address of a reader who unsubscribed' })
      .max(320, { error: 'expected the address of a reader who unsubscribed' })
      .describe('One of `unsubscribed`.'),
  })
  .meta({ id: 'ResubscribeInput' });

export const replayInputSchema = z
  .strictObject({
    since: sinceSchema.optional(),
    until: sinceSchema.optional().describe('Default: now.'),
    type: typeGlobSchema.optional().describe('Default: all types that the subscription matches.'),
    event: z.string().min(1).optional().describe('One event by its id, even if the subscription does not match it.'),
    person: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Only with event: one of its readers, such as main/5. Default: everyone whom it concerns.'),
    dryRun: z.boolean().optional().describe('Only counts. Default: false.'),
  })
  .meta({
    id: 'ReplayInput',
    description: 'Either event, or since with the options beside it.',
    oneOf: ['event', 'since'].map(required),
  });

export const countSchema = z
  .strictObject({
    count: z.int().describe('How many events.'),
    messages: z
      .int()
      .describe('How many messages: one for each event and reader, before those that are sent together are gathered.'),
    dryRun: z.boolean(),
  })
  .meta({ id: 'Count' });

export const previewInputSchema = z
  .strictObject({ until: givenInstantSchema.optional().describe('Default: 24 hours from now.') })
  .meta({ id: 'PreviewInput' });

export const previewSchema = z
  .strictObject({
    from: instantSchema,
    until: instantSchema,
    events: z
      .array(z.strictObject({ at: instantSchema, type: z.string(), subject: z.string(), line: z.string() }))
      .describe('Events that the passing of time will cause, if nothing changes before: the first 2.5 MB of them.'),
    count: z.int().describe('How many there are.'),
    messages: z.array(forecastMessageSchema).describe('What it sends in the period: digests, and what waits already.'),
    message: section.nullable().describe('An example of its message, rendered; null if it matches no known type.'),
  })
  .meta({ id: 'Preview' });
