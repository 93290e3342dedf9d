/** The schema of a message ahead, which the forecast and the preview of a subscription have. */

import * as z from 'zod';
import { instantSchema } from './schemas.ts';

/** A message that a subscription will send. */
export const forecastMessageSchema = z
  .strictObject({
    subscription: z.string(),
    at: instantSchema.describe('When it is sent.'),
    zone: z.string().describe('The zone that its readers think in.'),
    kind: z
      .enum(['digest', 'message', 'events'])
      .describe('A digest or another message for people; or events, which programs get one by one.'),
    title: z.string().describe('Such as: 40 tasks overdue.'),
    count: z.int().describe('The number of records.'),
    types: z.array(z.string()).describe('The types of its events.'),
    people: z.int().nullable().describe('How many people get one each; null: all receivers get the same.'),
    isHeld: z.boolean().describe('Whether it will be held, because the subscription is paused or disabled.'),
  })
  .meta({ id: 'ForecastMessage' });
