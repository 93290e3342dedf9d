/** The schema of a subscription in `tidings.yaml`: which events it gets, where, when, and with which template. */

import * as z from 'zod';
import type { ChannelDefinition } from '../../adapters/channels/definition.ts';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { formatRate, parseRate, RATE_PATTERN } from '../../core/model/rate.ts';
import { WEEKDAYS } from '../../core/model/subscription.ts';
import { duration, listNames, name, PACE, schemaKit, text, whenSection, ZONE } from './values.ts';

const TIME = "expected a time of day such as '08:30'";
const timeOfDay = z.string({ error: TIME }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: TIME });

const DAY_START = "expected a time of day such as '08:00', or off";
const dayStart = z.string({ error: DAY_START }).regex(/^(([01]\d|2[0-3]):[0-5]\d|off)$/, { error: DAY_START });

const weekdays = z
  .array(z.enum(WEEKDAYS, { error: `expected one of ${WEEKDAYS.join(', ')}` }), { error: 'expected a list of days' })
  .min(1, { error: 'expected at least one day' });

const digest = z.strictObject({
  at: timeOfDay.describe('The time of day of the digest, in the subscription’s time zone.'),
  days: weekdays.optional().describe('The days of the digest. Default: every day.'),
  list: z
    .enum(['open', 'new'], { error: 'expected open or new' })
    .optional()
    .describe(
      'open: everything that is overdue, due soon or past its end at that time, until it is done. new: the events since the last digest. Default: open for task.overdue, task.due_soon and invoice.overdue, new for other event types.',
    ),
  groupBy: z
    .enum(['project', 'person'], { error: 'expected project or person' })
    .optional()
    .describe('The headings of the list: projects, or the people who are assigned. Default: project.'),
});

const quiet = z
  .strictObject({
    from: timeOfDay.optional().describe('Start of the quiet hours. They may span midnight. Default: no quiet hours.'),
    until: timeOfDay.optional().describe('End of the quiet hours. Required with from. Default: no quiet hours.'),
    days: weekdays.optional().describe('Days that are quiet all day. Default: none.'),
  })
  .refine(({ from, until, days }) => (from === undefined) === (until === undefined) && (from ?? days) !== undefined, {
    error: 'expected from and until, or days, or all three',
    when: whenSection,
  })
  .meta({
    dependentRequired: { from: ['until'], until: ['from'] },
    anyOf: [{ required: ['from'] }, { required: ['days'] }],
  });

const RATE = "expected a rate such as '1/s', '30/m' or '500/h'";
const RATE_LIMIT = 'expected a rate of at most 999999 per second, minute or hour';
export const rate = z
  .string({ error: RATE })
  .regex(RATE_PATTERN, {
    error: ({ input }) => (/^[1-9]\d{6,}\/[smh]$/.test(String(input)) ? RATE_LIMIT : RATE),
  })
  .transform(parseRate);

/** Each template part of any channel, with the channels that have it: `slack and teams: the message.` */
const templatePart = (name: string) => {
  const having = CHANNELS.flatMap(({ name: channel, templateParts }: ChannelDefinition) => {
    const part = templateParts[name];
    return part === undefined ? [] : [{ channel, ...part }];
  });
  const meanings = [...Map.groupBy(having, ({ summary }) => summary)].map(
    ([summary, members]) => `${listNames(members.map(({ channel }) => channel))}: ${summary}.`,
  );
  const isJson = having.some(({ form }) => form === 'json');
  const schema = isJson
    ? z.json({ error: 'expected JSON in which each text is a template' })
    : text('expected a template');
  return schema.optional().describe(`${meanings.join(' ')} Default: that of the default message.`);
};

const PART_NAMES = [...new Set(CHANNELS.flatMap(({ templateParts }) => Object.keys(templateParts)))];
const template = z.strictObject(Object.fromEntries(PART_NAMES.map((name) => [name, templatePart(name)])));

const NAMES = CHANNELS.map(({ name }) => name);
const ONE_CHANNEL = `expected exactly one of ${NAMES.join(', ')}`;

/** The names of the channels that collect events, or of the others, as text: `slack and email`. */
function listChannels(gathers: boolean): string {
  return listNames(CHANNELS.filter((one) => one.gathers === gathers).map(({ name }) => name));
}

/** The default concurrency and rate of each channel, as text. */
const CONCURRENCIES = CHANNELS.map(({ name, limits }) => `${name} ${limits.concurrency}`).join(', ');
const RATES = CHANNELS.flatMap(({ name, limits: { rate } }: ChannelDefinition) =>
  rate === undefined ? [] : [`${name} ${formatRate(rate)}`],
).join(', ');

/** One key for each channel, with the schema of its definition. */
const targets = z
  .strictObject(
    Object.fromEntries(
      CHANNELS.map((channel: ChannelDefinition) => [
        channel.name,
        channel
          .schema(schemaKit)
          .optional()
          .describe(`${channel.summary} Default: none; exactly one channel is required.`),
      ]),
    ),
    { error: ONE_CHANNEL },
  )
  .refine((to) => Object.keys(to).length === 1, { error: ONE_CHANNEL, when: whenSection })
  .meta({ minProperties: 1, maxProperties: 1 });

const EVENTS = "expected a list of event types such as [task.closed, 'invoice.*']";

/** There are fewer event types. Each that is wrong is compared with all of them. */
export const MAX_EVENT_TYPES = 500;

export const subscriptionSchema = z.strictObject({
  name: name.describe('A unique name, used in logs, commands and messages.'),
  renamedFrom: name
    .optional()
    .describe(
      'The name it had before. What waits under that name, its pause, threads and muted addresses move to this name. Default: it was not renamed.',
    ),
  events: z
    .array(text("expected an event type such as task.closed, or 'invoice.*'"), { error: EVENTS })
    .min(1, { error: EVENTS })
    .max(MAX_EVENT_TYPES, { error: `expected at most ${MAX_EVENT_TYPES} event types` })
    .describe("The event types to send. '*' matches any characters."),
  where: z
    .record(z.string(), z.unknown(), {
      error: 'expected an EventBridge pattern: fields with lists of alternatives',
    })
    .optional()
    .describe(
      'Filters these events by content with an EventBridge pattern, see docs/filters.md. Default: all of them.',
    ),
  to: targets.describe('The receiver: exactly one channel.'),
  gather: duration
    .refine((millis) => millis <= 3_600_000, { error: "expected a duration of at most '1h'" })
    .meta({ pattern: '^0*(?:(?:\\d{1,3}|[12]\\d{3}|3[0-5]\\d{2}|3600)s|(?:[0-5]?\\d|60)m|[01]h|0d)$' })
    .optional()
    .describe(
      `How long ${listChannels(true)} collect events into one message. 0s: never. Default: 30s. ${listChannels(false)} send each event separately.`,
    ),
  digest: digest
    .optional()
    .describe('Sends one message at a fixed time, with what is open or new and still applies then. Default: none.'),
  quiet: quiet
    .optional()
    .describe(`Times at which ${listChannels(true)} send nothing. Events are sent afterwards. Default: never.`),
  dayStartsAt: dayStart
    .optional()
    .describe(
      `When the day of the readers starts. What a new day brings reaches ${listChannels(true)} then. off: at midnight. Default: 08:00. ${listChannels(false)} get it at once.`,
    ),
  timeZone: text(ZONE)
    .optional()
    .describe(
      'The time zone of the digest, the quiet hours, the start of the day and times in messages. Default: the zone of the source.',
    ),
  rate: rate.optional().describe(`The maximum rate, such as '1/s' or '30/m'. Default: ${RATES}, others unlimited.`),
  concurrency: z
    .int({ error: PACE })
    .min(1, { error: PACE })
    .max(64, { error: 'expected at most 64' })
    .optional()
    .describe(
      `Maximum concurrent requests, in AWS of all executions of deliver together. Default: ${CONCURRENCIES}, in AWS for each execution.`,
    ),
  template: template
    .optional()
    .describe(
      'Liquid templates that replace parts of the default message, see docs/templates.md. Default: the default message.',
    ),
});

export type ParsedSubscription = z.output<typeof subscriptionSchema>;

/** The options of channels that collect events into messages. */
export const GATHERING_OPTIONS = ['gather', 'digest', 'quiet', 'dayStartsAt'] as const;
