/** The section `manage.api` of the config. */

import * as z from 'zod';
import { rate } from './subscription-schema.ts';
import { text } from './values.ts';

const wholeNumber = z.int({ error: 'expected a whole number' }).positive({ error: 'expected a number greater than 0' });

const ORIGIN = "expected an origin such as 'https://app.example.com'";
export const apiSchema = z.strictObject({
  auth: z
    .enum(['keys', 'iam'], { error: 'expected keys or iam' })
    .prefault('keys')
    .describe('Who may call it: holders of keys, or in AWS identities of IAM, whose requests are signed with SigV4.'),
  rate: rate.optional().describe("Requests of each key, such as '600/m' or '20/s'. Default: 600/m."),
  quotas: z
    .strictObject({
      subscriptions: wholeNumber.optional().describe('How many subscriptions a key may have. Default: 1000.'),
      bytes: wholeNumber
        .optional()
        .describe('How many bytes of JSON the subscriptions of a key may take. Default: 2000000.'),
      comparisons: wholeNumber
        .optional()
        .describe(
          'What the filters of the subscriptions of a key may compare an event with at most; a wildcard counts as 50, an operator of a list ten times, and a text in any case by its length if it is not ASCII. Default: 20000.',
        ),
      changes: rate
        .optional()
        .describe("Requests of each key that change something, such as '3000/h'. Default: 3000/h."),
      previews: rate
        .optional()
        .describe("Filter tests, previews, forecasts and tests of each key, such as '60/m'. Default: 60/m."),
      replays: rate
        .optional()
        .describe("Replays, and retries of many deliveries, of each key, such as '60/h'. Default: 60/h."),
      deliveries: rate
        .optional()
        .describe("Deliveries of the replays, retries and tests of each key, such as '20000/h'. Default: 20000/h."),
      units: rate
        .optional()
        .describe(
          "Only in AWS: read units of DynamoDB that the requests of each key consume, such as '120000/m'; a write unit counts as 5. Default: 120000/m.",
        ),
    })
    .optional()
    .describe('What each key may use beside its rate. GET /v1/me shows it. Default: the defaults of its keys.'),
  cors: z
    .array(
      text(ORIGIN).refine((origin) => URL.parse(origin)?.origin === origin, { error: ORIGIN }),
      { error: `expected a list: ${ORIGIN.slice(9)}` },
    )
    .optional()
    .describe('Origins of web pages that may call it. Default: none.'),
});
