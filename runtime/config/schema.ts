/**
 * The schema of `tidings.yaml`. Every option has a description and its default: docs/config.md and the JSON Schema are
 * generated from here. check-sections.ts and validate-subscription.ts have the checks across several values.
 */

import * as z from 'zod';
import { SOURCES } from '../../adapters/sources/index.ts';
import { DEFAULT_KIND } from '../../adapters/sources/registry.ts';
import { eventTypes } from '../../core/events/catalogue.ts';
import { resources, unpollable } from '../../core/resources/catalogue.ts';
import { apiSchema } from './api-schema.ts';
import { awsSchema } from './aws-schema.ts';
import { slackSection } from './slack-schema.ts';
import { subscriptionSchema } from './subscription-schema.ts';
import { tracingSection } from './tracing-schema.ts';
import { cadence, name, PACE, SHARE, secret, text, url, whenSection, wholeDays } from './values.ts';

const CIDR = "expected a range such as '10.0.0.0/8' or 'fd00::/8'";

/** An IPv4 or IPv6 address and the number of its leading bits. */
const CIDR_PATTERN =
  '^((25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}/0{0,2}(3[0-2]|[12]?\\d)|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+(%\\w+)?/(12[0-8]|1[01]\\d|0?\\d?\\d))$';

const OFF = "expected 'off', or a section with every and sweep";

/** The resources that are polled by default: `every` and `sweep`. Other kinds have others, see kind-defaults.ts. */
const DEFAULT_CADENCES: Readonly<Record<string, readonly [string, string]>> = SOURCES[0].cadences;

const resource = (every: string, sweep: string) =>
  z.union(
    [
      z.literal('off'),
      z.strictObject({
        every: cadence.prefault(every).describe('How often to poll for changes. In AWS at most once a minute.'),
        sweep: cadence.prefault(sweep).describe('How often to read all records, which also detects deletions.'),
      }),
    ],
    { error: OFF },
  );

/** Resources without a default cadence are off unless the config names them. */
const resourceSections = {
  ...Object.fromEntries(
    resources.map(({ name }) => {
      const cadences = Object.hasOwn(DEFAULT_CADENCES, name) ? DEFAULT_CADENCES[name] : undefined;
      const section = resource(...(cadences ?? ['1h', '6h']));
      return [name, cadences === undefined ? section.optional() : section.prefault({})];
    }),
  ),
  ...Object.fromEntries(
    Object.entries(unpollable).map(([name, reason]) => {
      const error = `expected 'off': ${name} cannot be polled, it ${reason.replaceAll('`', '')}`;
      return [name, z.literal('off', { error }).optional().describe(`Cannot be polled: ${reason}.`)];
    }),
  ),
};

const KIND = `expected ${SOURCES.map((source) => source.name).join(' or ')}`;

const source = z
  .strictObject({
    name: name.prefault('main').describe('The name of the account, used in every key and event.'),
    kind: z
      .enum(
        SOURCES.map((source) => source.name),
        { error: KIND },
      )
      .prefault(DEFAULT_KIND)
      .describe(`The system to poll: ${SOURCES.map((source) => `\`${source.name}\`, ${source.summary}`).join('; ')}.`),
    baseUrl: url.describe(
      'Base URL of the API. Must be https, unless it is on this machine or network.allowHttp is true.',
    ),
    token: secret.describe(
      "The API token of a user: Tidings sees what this user sees. A secret: use '${NAME}' or 'file:PATH'.",
    ),
    timeZone: text("expected an IANA zone such as 'Europe/Berlin'")
      .optional()
      .describe("The time zone that defines 'today'. Default: the zone of the token's user."),
    resources: z
      .strictObject(resourceSections)
      .prefault({})
      .describe(
        "What to poll, and how often: a resource with every and sweep, or 'off'. In AWS at most once a minute. Resources that the token may not read are skipped.",
      ),
    announceExisting: z
      .boolean({ error: 'expected true or false' })
      .prefault(false)
      .describe(
        'Whether the first poll sends events for records that are already overdue, due soon or past their end.',
      ),
    attribution: z
      .boolean({ error: 'expected true or false' })
      .prefault(false)
      .describe(
        "Whether task events name the person who made the change, from the service's automatic notes, when that is certain. Costs one request for each poll that finds changes.",
      ),
    quota: z
      .strictObject({
        reserve: z
          .number({ error: SHARE })
          .min(0, { error: SHARE })
          .max(0.95, { error: SHARE })
          .prefault(0.2)
          .describe('Share of the daily requests that is reserved for people and other programs.'),
        perMinute: z
          .int({ error: PACE })
          .min(1, { error: PACE })
          .prefault(90)
          .describe('Maximum requests per minute. The API itself usually allows 100.'),
      })
      .prefault({})
      .describe('How much of the daily quota may be used.'),
  })
  .describe('The account to poll. Default: none; either source or sources is required.');

const CUSTOM =
  "expected a type such as 'task.in_client_review': a resource, a dot, and lowercase letters, digits and _";
const pattern = z.record(z.string(), z.unknown(), { error: 'expected a pattern as in EventBridge' });

const subscriptionList = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item, { error: 'expected a list of subscriptions' })
    .prefault([])
    .describe('Which events are sent, and to which receivers.');

const sections = {
  source: source.optional(),
  sources: z
    .array(source, { error: 'expected a list of sources' })
    .optional()
    .describe(
      'Several accounts: a list, each with the options of source. An empty list if all are added with `tidings sources add` or the API. Default: none; either source or sources is required.',
    ),
  mail: z
    .strictObject({
      from: text('expected a sender such as "Tidings <tidings@example.com>"')
        .meta({ pattern: '^[^<>]*<[^<>@]+@[^<>@]+>\\s*$|^[^<>@]+@[^<>@]+$' })
        .describe('The sender of all mail.'),
      smtp: secret
        .optional()
        .describe(
          'The mail server, as smtp://user:password@host:587. A secret. Not allowed in AWS. Default: required, except in AWS, which sends through SES.',
        ),
    })
    .optional()
    .describe('How mail is sent. Required by email subscriptions. Default: no mail.'),
  manage: z
    .strictObject({
      url: url
        .optional()
        .describe(
          'Public URL of the manage page, as https://tidings.example.com. Default: in AWS the URL of its own API, required elsewhere.',
        ),
      secret: secret
        .meta({ pattern: '^(file|ssm|secret|kept):|\\$\\{|^.{16}' })
        .describe(
          'The master secret: it signs links in mails, and the signing secrets of subscriptions made through the API are derived from it. Any text of at least 16 characters. A secret.',
        ),
      api: z
        .union([z.literal('off'), apiSchema], {
          error: "expected 'off', or a section with auth, rate, quotas and cors",
        })
        .optional()
        .describe(
          "The management API, see docs/api.md: 'off', or a section, which may be empty. Default: on at loopback only, in AWS off.",
        ),
      console: z
        .enum(['on', 'off'], { error: 'expected on or off' })
        .optional()
        .describe(
          'The console, see docs/console.md: pages for people, under /console. Default: on at loopback only, in AWS off.',
        ),
    })
    .optional()
    .describe('Unsubscribe links in mails, the management API and the console. Default: mails have none.'),
  slack: slackSection
    .optional()
    .describe('The Slack app, see docs/slack.md: channels subscribe themselves with /tidings. Default: no app.'),
  links: z
    .record(z.string(), text('expected a URL with {id} or {localid} in it'), {
      error: 'expected resources with URLs',
    })
    .prefault({})
    .describe(
      "URL of a record's page, by resource, such as 'https://work.example.com/tasks/view/{localid}'. Braces may contain any field. Default: no links.",
    ),
  rules: z
    .strictObject({
      closedStatuses: z
        .array(text('expected the name of a status'), { error: 'expected a list of status names' })
        .prefault(['Closed'])
        .describe(
          'Task statuses that count as closed. A task with a closing date is closed too, until its status changes from a closed one to a less complete one.',
        ),
      taskDueSoon: wholeDays.prefault('1d').describe('How long before its due date a task counts as due soon.'),
      taskStale: wholeDays
        .prefault('30d')
        .describe('How long an open task must be unchanged to count as stale. 0d: never.'),
      invoiceDueSoon: wholeDays.prefault('7d').describe('How long before its due date an invoice counts as due soon.'),
      projectEndingSoon: wholeDays.prefault('7d').describe('How long before its end a project counts as ending soon.'),
      invoiceOverdueReminders: z
        .array(z.int({ error: 'expected a whole number of days' }).positive({ error: 'expected at least 1 day' }), {
          error: 'expected a list of days such as [7, 14, 30]',
        })
        .prefault([7, 14, 30])
        .describe('Days after the due date of an unpaid invoice on which a reminder is sent.'),
    })
    .prefault({})
    .describe('Defines closed, due soon, stale and ending soon.'),
  customEvents: z
    .array(
      z.strictObject({
        type: z
          .string({ error: CUSTOM })
          .regex(/^[a-z]+\.[a-z][a-z0-9_]*$/, { error: CUSTOM })
          .meta({
            pattern: `^(?:${resources.map(({ name }) => name).join('|')})\\.[a-z][a-z0-9_]*$`,
            not: { enum: eventTypes.map(({ type }) => type) },
          })
          .describe("The event type: a resource, a dot and a name you choose, such as 'task.in_client_review'."),
        meaning: text('expected one sentence that describes the event').describe(
          'One line that describes the event to people.',
        ),
        when: z
          .strictObject({
            before: pattern
              .optional()
              .describe('Pattern for the record before the change. Default: anything that does not match after.'),
            after: pattern.describe('Pattern for the record after the change.'),
          })
          .describe(
            'Patterns for the fields of the record, with the syntax of where. `stage` is its time-derived state, such as overdue.',
          ),
      }),
      { error: 'expected a list of event types' },
    )
    .prefault([])
    .describe('Your own event types, defined by patterns for a record before and after a change.'),
  retention: cadence.prefault('90d').describe('How long events, deliveries and transitions are kept.'),
  subscriptions: subscriptionList(subscriptionSchema),
  tracing: tracingSection
    .optional()
    .describe(
      'Sends the way of each change, from poll to receiver, to an OpenTelemetry collector, see docs/self-hosting.md. Not allowed in AWS, which has aws.tracing. Default: nothing is traced.',
    ),
  network: z
    .strictObject({
      allowHttp: z
        .boolean({ error: 'expected true or false' })
        .prefault(false)
        .describe('Allows plain http for receivers and the API. Requests are still signed, but not encrypted.'),
      allow: z
        .array(text(CIDR).meta({ pattern: CIDR_PATTERN }), { error: `expected a list of ranges: ${CIDR.slice(9)}` })
        .prefault([])
        .describe("Private address ranges that receivers may be in, such as '10.0.0.0/8'. Default: none."),
    })
    .prefault({})
    .describe('Which addresses receivers may have.'),
  aws: awsSchema
    .prefault({})
    .describe('Options of a deployment to AWS, see docs/deploy.md. Checked but not used in the embedded mode.'),
};

/** A config has one of them. */
const hasOneSource = ({ source, sources }: { readonly source?: unknown; readonly sources?: unknown }) =>
  (source === undefined) !== (sources === undefined);
const ONE_SOURCE = { error: 'expected either source or sources', when: whenSection };

/** The whole schema, for the JSON Schema. */
export const configSchema = z
  .strictObject(sections)
  .refine(hasOneSource, ONE_SOURCE)
  .meta({ oneOf: [{ required: ['source'] }, { required: ['sources'] }] });

/** The schema with subscriptions of any kind: each is validated by itself. */
export const sectionsSchema = z
  .strictObject({ ...sections, subscriptions: subscriptionList(z.unknown()) })
  .refine(hasOneSource, ONE_SOURCE);

export type ParsedConfig = z.output<typeof sectionsSchema>;

let jsonSchema: Readonly<Record<string, unknown>> | undefined;

/** The schema as JSON Schema: the accepted input, with defaults. json-schema.ts makes the published schema from it. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  jsonSchema ??= { title: 'tidings.yaml', ...z.toJSONSchema(configSchema, { io: 'input' }) };
  return jsonSchema;
}
