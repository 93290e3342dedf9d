/** The schemas of deliveries and their attempts in responses. */

import * as z from 'zod';
import { DELAY_CAUSES } from '../../../core/delivery/explain-wait.ts';
import { DELIVERY_STATUSES } from '../../../core/model/delivery.ts';
import { eventSchema, instantSchema, namesSchema } from './schemas.ts';

const attemptSchema = z
  .strictObject({
    number: z.int(),
    at: instantSchema,
    ms: z.number(),
    outcome: z
      .enum(['accepted', 'retry', 'gave-up', 'skipped'])
      .describe('skipped: nothing was sent, because all events were outdated, or every reader has unsubscribed.'),
    status: z.int().optional().describe('The HTTP status of the response.'),
    requestId: z.string().optional().describe('The id that the receiver gave the request.'),
    body: z.string().optional().describe('The first 4 KB of the response.'),
    code: z.string().optional(),
    message: z.string().optional(),
    reached: z.array(z.string()).optional().describe('Recipients of a mail who accepted it.'),
    ownFault: z.int().optional(),
    omitted: z
      .array(z.string())
      .optional()
      .describe('Events that a message to one person left out: they were outdated, or concerned others by then.'),
  })
  .meta({ id: 'Attempt' });

const readerSchema = z
  .strictObject({
    person: z.string().describe('main/5; main/ is no one, whose messages go to the fallback.'),
    name: z.string().nullable().describe('Null for no one, and for a key that may not see events of people.'),
    address: z.string().nullable().describe('Where the message goes. Null as the name, or if there is none.'),
  })
  .meta({ id: 'Reader' });

const waitSchema = z
  .strictObject({
    because: z.enum(DELAY_CAUSES),
    until: instantSchema.nullable().describe('Null: until the subscription is resumed.'),
    reason: z.string().optional().describe('The last error of the receiver.'),
    since: instantSchema.optional().describe('Since when events are gathered.'),
  })
  .meta({ id: 'Wait' });

export const deliverySchema = z
  .strictObject({
    id: z.string(),
    subscription: z.string(),
    events: z.array(z.string()),
    status: z.enum(DELIVERY_STATUSES),
    createdAt: instantSchema,
    settledAt: instantSchema.nullable(),
    dueAt: instantSchema.nullable().describe('When it is queued for its next attempt.'),
    attempts: z.array(attemptSchema),
    into: z.string().optional().describe('The delivery that carries its events, if they were gathered.'),
    mark: z.enum(['replay', 'test']).optional(),
    notBefore: instantSchema.optional().describe('It is not sent before: the start of its readers’ day.'),
    standing: z
      .array(z.strictObject({ source: z.string(), day: z.string(), subjects: z.array(z.string()).optional() }))
      .optional()
      .describe('A digest of what is open: of which source and day, and of which records.'),
    person: z.string().optional().describe('The only reader: the source and the id of a person, such as main/5.'),
    reader: readerSchema.nullable().describe('The only reader by name; null: all receivers of the subscription.'),
    wait: waitSchema.nullable().describe('Why it is not attempted now; null: it is over, or is due now.'),
    skipped: z
      .string()
      .nullable()
      .describe('Why it was settled without being sent; null: it was sent, or is not settled.'),
  })
  .meta({ id: 'Delivery' });

export const deliveryPageSchema = z
  .strictObject({
    data: z.array(deliverySchema),
    next: z.string().nullable().describe('The cursor of the next page; null when nothing follows.'),
  })
  .meta({ id: 'DeliveryPage' });

const verdict = z
  .object({ wanted: z.boolean(), because: z.string().optional() })
  .catchall(z.unknown())
  .nullable()
  .describe('Whether its filters match the event, and if not, why. Null if the subscription was removed.');

export const explainedEventSchema = z
  .strictObject({
    event: eventSchema,
    rule: z.strictObject({ meaning: z.string(), when: z.string() }).nullable(),
    line: z.string().describe('The event in one line for people.'),
    names: namesSchema,
    deliveries: z
      .array(deliverySchema)
      .describe(
        'Up to 2,000. If they would be larger than 1.25 MB, some have only their last attempt, without its response.',
      ),
    subscriptions: z
      .array(
        z.strictObject({
          subscription: z.string(),
          verdict,
          delivery: z.string().nullable().describe('The id of the delivery that carries the event.'),
          earlier: z
            .array(z.string())
            .describe('The ids of those that carried it to the same reader before it was sent again.'),
          receiverPaused: z.record(z.string(), z.unknown()).nullable(),
        }),
      )
      .describe('Each subscription that the caller may see: who got the event, and why others did not.'),
  })
  .meta({ id: 'ExplainedEvent' });
