/**
 * The shape of `tidings.yaml`. Every option says what it means and its default; the JSON Schema and the
 * reference in docs are made from here. Checks that need more than one value are in check.ts.
 */

import * as z from 'zod';
import { resources } from '../../core/resources/catalogue.ts';
import { awsSchema } from './aws-schema.ts';
import { subscriptionSchema } from './subscription-schema.ts';
import { cadence, name, PACE, SHARE, secret, text, url, whenSection, wholeDays } from './values.ts';

const CIDR = "expected a range such as '10.0.0.0/8' or 'fd00::/8'";

const OFF = "expected 'off', or a section with every and sweep";

/** Cadences of what is read unless the config says otherwise. Resources that support only sweeps are swept at `every`. */
const CADENCES = {
  task: ['5m', '6h'],
  invoice: ['15m', '6h'],
  project: ['1h', '6h'],
  client: ['1h', '6h'],
  person: ['6h', '6h'],
  expense: ['1h', '6h'],
  document: ['1h', '6h'],
  group: ['1d', '1d'],
  projectmodule: ['6h', '6h'],
} as const;

const resource = (every: string, sweep: string) =>
  z.union(
    [
      z.literal('off'),
      z.strictObject({
        every: cadence.prefault(every).describe('How often to look for changes. In AWS at most once a minute.'),
        sweep: cadence.prefault(sweep).describe('How often to read everything, which also finds what was deleted.'),
      }),
    ],
    { error: OFF },
  );

/** The default resources have their cadences, the rest of the inventory is off until asked for. */
const resourceSections = Object.fromEntries(
  resources.map(({ name }) => {
    const [every, sweep] = Object.hasOwn(CADENCES, name) ? CADENCES[name as keyof typeof CADENCES] : ['1h', '6h'];
    const section = resource(every, sweep);
    return [name, Object.hasOwn(CADENCES, name) ? section.prefault({}) : section.optional()];
  }),
);

const source = z
  .strictObject({
    name: name.prefault('main').describe('Names the account in every key and event.'),
    baseUrl: url.describe('Where the API lives. https, unless it is on this machine or network.allowHttp is on.'),
    token: secret.describe(
      "The API token of the user whose eyes Tidings looks with. A secret: use '${NAME}' or 'file:PATH'.",
    ),
    timeZone: text("expected an IANA zone such as 'Europe/Berlin'")
      .optional()
      .describe("The zone that defines 'today'. Default: the zone of the token's own person, else UTC."),
    resources: z
      .strictObject(resourceSections)
      .prefault({})
      .describe(
        "What to read, and how often: a resource with every and sweep, or 'off'. In AWS at most once a minute. One the token may not read is left out by itself.",
      ),
    announceExisting: z
      .boolean({ error: 'expected true or false' })
      .prefault(false)
      .describe(
        'Whether the first poll sends events about records that are already overdue, due soon or past their end.',
      ),
    attribution: z
      .boolean({ error: 'expected true or false' })
      .prefault(false)
      .describe(
        "Whether events of tasks name the person behind them, from the service's automatic notes, when that is certain. Costs one request for each look that finds something.",
      ),
    quota: z
      .strictObject({
        reserve: z
          .number({ error: SHARE })
          .min(0, { error: SHARE })
          .max(0.95, { error: SHARE })
          .prefault(0.2)
          .describe('Share of the daily requests that is left to people and other programs.'),
        perMinute: z
          .int({ error: PACE })
          .min(1, { error: PACE })
          .prefault(90)
          .describe('Maximum requests per minute. The API itself usually allows 100.'),
      })
      .prefault({})
      .describe('How much of the daily quota may be used.'),
  })
  .describe('The account to poll.');

const CUSTOM = "expected a type such as 'task.in_client_review': a resource, a dot, and small letters, digits and _";
const pattern = z.record(z.string(), z.unknown(), { error: 'expected a pattern as in EventBridge' });

export const configSchema = z
  .strictObject({
    source: source.optional(),
    sources: z
      .array(source, { error: 'expected a list of sources' })
      .min(1, { error: 'expected at least one source' })
      .optional()
      .describe('Several accounts, instead of source: a list, each with the options of source.'),
    mail: z
      .strictObject({
        from: text('expected a sender such as "Tidings <tidings@example.com>"').describe('The sender of all mail.'),
        smtp: secret
          .optional()
          .describe('The mail server, as smtp://user:password@host:587. A secret. In AWS: SES, no smtp.'),
      })
      .optional()
      .describe('How mail is sent. Needed by subscriptions to email.'),
    manage: z
      .strictObject({
        url: url
          .optional()
          .describe(
            'Where people reach the service from outside, as https://tidings.example.com. Default in AWS: the address of its own API; elsewhere it is needed.',
          ),
        secret: secret.describe('Signs the links in mails: any text of at least 16 characters. A secret.'),
      })
      .optional()
      .describe('Where unsubscribe links of mails lead. Default: mails have none.'),
    links: z
      .record(z.string(), text('expected a URL with {id} or {localid} in it'), {
        error: 'expected resources with URLs',
      })
      .prefault({})
      .describe(
        "Where people open a record, by resource: 'https://work.example.com/tasks/view/{localid}'; any field may stand in braces. Default: no links.",
      ),
    rules: z
      .strictObject({
        closedStatuses: z
          .array(text('expected the name of a status'), { error: 'expected a list of status names' })
          .prefault(['Closed'])
          .describe('Task statuses that mean the work is done. A closing date means it too.'),
        taskDueSoon: wholeDays.prefault('1d').describe('How long before its due date a task is due soon.'),
        taskStale: wholeDays
          .prefault('30d')
          .describe('How long an open task goes without a change until it is stale; 0d: never.'),
        invoiceDueSoon: wholeDays.prefault('7d').describe('How long before its due date an invoice is due soon.'),
        projectEndingSoon: wholeDays.prefault('7d').describe('How long before its end a project is ending soon.'),
        invoiceOverdueReminders: z
          .array(z.int({ error: 'expected a whole number of days' }).positive({ error: 'expected at least 1 day' }), {
            error: 'expected a list of days such as [7, 14, 30]',
          })
          .prefault([7, 14, 30])
          .describe('Days overdue at which another reminder of an unpaid invoice is sent.'),
      })
      .prefault({})
      .describe('What counts as closed, soon and late.'),
    customEvents: z
      .array(
        z.strictObject({
          type: z
            .string({ error: CUSTOM })
            .regex(/^[a-z]+\.[a-z][a-z0-9_]*$/, { error: CUSTOM })
            .describe("Its name: a resource, a dot and a name of your own, such as 'task.in_client_review'."),
          meaning: text('expected a sentence that says what it means').describe(
            'What it means, in one line for people.',
          ),
          when: z
            .strictObject({
              before: pattern
                .optional()
                .describe('What the record was like. Default: anything that did not match after.'),
              after: pattern.describe('What the record is like now.'),
            })
            .describe(
              'Patterns on the fields of the record, in the language of where; `stage` holds what today makes of it.',
            ),
        }),
        { error: 'expected a list of event types' },
      )
      .prefault([])
      .describe('Event types of your own, from conditions on a record before and after.'),
    retention: cadence.prefault('90d').describe('How long events, deliveries and transitions are kept.'),
    subscriptions: z
      .array(subscriptionSchema, { error: 'expected a list of subscriptions' })
      .prefault([])
      .describe('Who wants which events, and where.'),
    network: z
      .strictObject({
        allowHttp: z
          .boolean({ error: 'expected true or false' })
          .prefault(false)
          .describe('Lets receivers and the API live on plain http. Signatures are kept, secrecy is not.'),
        allow: z
          .array(text(CIDR), { error: `expected a list of ranges: ${CIDR.slice(9)}` })
          .prefault([])
          .describe("Private ranges receivers may live in, as '10.0.0.0/8'. Default: none, only public addresses."),
      })
      .prefault({})
      .describe('Where receivers may be.'),
    aws: awsSchema
      .prefault({})
      .describe('How it is deployed to AWS, see docs/deploy.md. Elsewhere it is checked and has no meaning.'),
  })
  .refine((config) => (config.source === undefined) !== (config.sources === undefined), {
    error: 'expected either source or sources',
    when: whenSection,
  });

export type ParsedConfig = z.output<typeof configSchema>;

/** The same as JSON Schema, for editors: what a person may write, defaults included. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return { title: 'tidings.yaml', ...z.toJSONSchema(configSchema, { io: 'input' }) };
}
