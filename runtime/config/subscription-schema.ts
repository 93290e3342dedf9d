/** The shape of a subscription in `tidings.yaml`: who wants which events, where, when and in which words. */

import * as z from 'zod';
import { HTTP_FORMATS, WEEKDAYS } from '../../core/model/subscription.ts';
import { parseDuration } from '../../core/model/time.ts';
import { duration, name, PACE, secret, text, url, whenSection } from './values.ts';

const http = z.strictObject({
  url: url.describe('Where events are posted. https, unless network.allowHttp is on.'),
  secret: secret.describe(
    "Signs each request: 'whsec_' and base64 of 24 to 64 random bytes, or 'whsk_' and an Ed25519 key to sign as v1a. A secret.",
  ),
  headers: z
    .record(z.string(), text('expected the header’s value as text'), { error: 'expected headers as names with values' })
    .optional()
    .describe('Headers sent with every request. Values are secrets. Default: none.'),
  auth: z
    .strictObject({
      basic: z
        .strictObject({
          user: text('expected a user name').describe('The user name.'),
          password: secret.describe('The password. A secret.'),
        })
        .optional()
        .describe('Basic authentication.'),
      bearer: secret.optional().describe('A bearer token. A secret.'),
    })
    .refine(({ basic, bearer }) => (basic === undefined) !== (bearer === undefined), {
      error: 'expected either basic or bearer',
      when: whenSection,
    })
    .optional()
    .describe('For an endpoint behind a login. Default: none.'),
  format: z
    .enum(HTTP_FORMATS, { error: `expected one of ${HTTP_FORMATS.join(', ')}` })
    .optional()
    .describe(
      'What the body holds: the whole event (cloudevents), ids and a link (thin), or type, timestamp and data (standard). Default: cloudevents.',
    ),
});

const slack = z
  .strictObject({
    webhook: secret.optional().describe('The incoming webhook’s URL. A secret.'),
    token: secret
      .optional()
      .describe('A bot’s token, instead of a webhook: then each record has a thread of its own. A secret.'),
    channel: text('expected a channel such as #finance, or its id')
      .optional()
      .describe('Where the bot posts: a channel’s id or #name.'),
    api: url.optional().describe('Slack’s API, where a workspace lives elsewhere. Default: https://slack.com/api/.'),
    mentions: z
      .record(z.string(), text('expected a member id such as U0123456789'), {
        error: 'expected mail addresses or names with Slack member ids',
      })
      .optional()
      .describe('Mail addresses (or names) of people with their Slack member ids: who is assigned is mentioned.'),
  })
  .refine(
    ({ webhook, token, channel, api, mentions }) =>
      webhook === undefined
        ? token !== undefined && channel !== undefined
        : [token, channel, api, mentions].every((part) => part === undefined),
    { error: 'expected either webhook, or token with channel', when: whenSection },
  );

const email = z.strictObject({
  to: z
    .array(z.email({ error: 'expected a mail address' }), { error: 'expected a list of mail addresses' })
    .min(1, { error: 'expected at least one mail address' })
    .describe('Who gets the mail, each their own copy.'),
});

const BUS = "expected the name of an event bus such as 'default', or its ARN";
const bus = z.strictObject({
  name: z
    .string({ error: BUS })
    .regex(/^(arn:aws[\w-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[\w./-]{1,256}$/, { error: BUS })
    .prefault('default')
    .describe('The bus: its name, or its ARN where it is of another account or region.'),
});

const TIME = "expected a time of day such as '08:30'";
const timeOfDay = z.string({ error: TIME }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: TIME });

const weekdays = z
  .array(z.enum(WEEKDAYS, { error: `expected one of ${WEEKDAYS.join(', ')}` }), { error: 'expected a list of days' })
  .min(1, { error: 'expected at least one day' });

const digest = z.strictObject({
  at: timeOfDay.describe('When, in the subscription’s zone.'),
  days: weekdays.optional().describe('On which days. Default: every day.'),
});

const quiet = z
  .strictObject({
    from: timeOfDay.optional().describe('From this time of day, past midnight if need be …'),
    until: timeOfDay.optional().describe('… until this one.'),
    days: weekdays.optional().describe('Days that are quiet as a whole. Default: none.'),
  })
  .refine(({ from, until, days }) => (from === undefined) === (until === undefined) && (from ?? days) !== undefined, {
    error: 'expected from with until, or days, or all of them',
    when: whenSection,
  });

const RATE = "expected a rate such as '1/s', '30/m' or '500/h'";
const rate = z
  .string({ error: RATE })
  .regex(/^[1-9]\d{0,5}\/[smh]$/, { error: RATE })
  .transform((text) => {
    const [count = '1', unit = 's'] = text.split('/');
    return { count: Number(count), per: parseDuration(`1${unit}`) ?? 1000 };
  });

const template = z.strictObject({
  text: text('expected a template').optional().describe('Slack: the message. Mail: the plain text.'),
  subject: text('expected a template').optional().describe('Mail: the subject.'),
  html: text('expected a template').optional().describe('Mail: the HTML body. Default: none when text is given.'),
  body: z
    .json({ error: 'expected a JSON shape whose texts are templates' })
    .optional()
    .describe('Http: the shape of the body, whose texts are templates.'),
});

const CHANNEL = 'expected exactly one of http, slack, email, bus';
const GLOBS = "expected a list of event types such as [task.closed, 'invoice.*']";

export const subscriptionSchema = z.strictObject({
  name: name.describe('Names it in logs, commands and messages; unique.'),
  events: z
    .array(text("expected an event type such as task.closed, or 'invoice.*'"), { error: GLOBS })
    .min(1, { error: GLOBS })
    .describe("Which event types, '*' standing for any run of characters."),
  where: z
    .record(z.string(), z.unknown(), {
      error: 'expected a pattern as in EventBridge, fields with lists of alternatives',
    })
    .optional()
    .describe(
      'Which of these events, by content: a pattern as in EventBridge, see docs/filters.md. Default: all of them.',
    ),
  to: z
    .strictObject(
      {
        http: http.optional().describe('A webhook.'),
        slack: slack.optional().describe('A Slack channel.'),
        email: email.optional().describe('Mail.'),
        bus: bus.optional().describe('An EventBridge bus: each event as it is, for rules of your own. In AWS only.'),
      },
      { error: CHANNEL },
    )
    .refine((to) => Object.keys(to).length === 1, { error: CHANNEL, when: whenSection })
    .describe('Where to: exactly one channel.'),
  gather: duration
    .refine((millis) => millis <= 3_600_000, { error: "expected a duration of at most '1h'" })
    .optional()
    .describe(
      'How long slack and email gather what comes up, to tell it in one message; 0s: never. Default: 30s. Http and bus get each event.',
    ),
  digest: digest.optional().describe('One message at a set time, of what is still true then. Default: none.'),
  quiet: quiet
    .optional()
    .describe('When slack and email are silent; what comes up is told afterwards. Default: never.'),
  timeZone: text("expected an IANA zone such as 'Europe/Berlin'")
    .optional()
    .describe('The zone of digest, quiet hours and times told. Default: that of the source.'),
  rate: rate.optional().describe("How fast at the most, as '1/s' or '30/m'. Default: slack 1/s, else no bound."),
  concurrency: z
    .int({ error: PACE })
    .min(1, { error: PACE })
    .max(64, { error: 'expected at most 64' })
    .optional()
    .describe(
      'Requests at the same time, at the most; in AWS of each function that delivers. Default: 8 for http and bus, 1 for slack and email.',
    ),
  template: template
    .optional()
    .describe('Liquid templates in place of our own words, see docs/templates.md. Default: our own.'),
});
