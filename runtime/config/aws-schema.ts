/**
 * The section `aws` of `tidings.yaml`: the options of the deployment. They are part of the file so that every deployment
 * uses the same ones. Checked in both modes, used only in AWS.
 */

import * as z from 'zod';
import { awsReference } from './aws-reference.ts';
import { mailAddress, text, url, wholeDays } from './values.ts';

const STACK = 'expected a name of at most 100 letters, digits and -, starting with a letter';
const BOOLEAN = 'expected true or false';
const FUNCTIONS = 'expected a whole number from 2 to 1000';
const KEY = "expected the ARN of a KMS key such as 'arn:aws:kms:eu-central-1:123456789012:key/…'";
const DOMAIN = "expected a domain such as 'tidings.example.com'";
const CERTIFICATE =
  "expected the ARN of a certificate such as 'arn:aws:acm:eu-central-1:123456789012:certificate/…', in the region of the deployment";
const RATE = 'expected a whole number of requests a second, from 1 to 10000';
const REFERENCE = "expected 'ssm:/path' or 'secret:name'";

/** The retention periods that CloudWatch Logs supports. */
export const LOG_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;
const LOGS = `expected one of ${LOG_DAYS.map((days) => `${days}d`).join(', ')}`;

const SUBNETS = "expected a list of ids of subnets such as 'subnet-0123456789abcdef0'";
const GROUPS = "expected a list of ids of security groups such as 'sg-0123456789abcdef0'";
const RESERVED = 'expected a whole number from 1 to 1000';
const BATCHES = 'expected a whole number from 1 to 10';

const ids = (error: string, start: string) =>
  z.array(text(error).regex(new RegExp(`^${start}-[0-9a-f]{8,17}$`), { error }), { error }).min(1, { error });

const reserved = (name: string) =>
  z
    .int({ error: RESERVED })
    .min(1, { error: RESERVED })
    .max(1000, { error: RESERVED })
    .optional()
    .describe(`Concurrent executions that are reserved for ${name}, and its maximum. Default: none.`);

const REMOVALS = ['retain', 'destroy'] as const;

/** Routes whose requests are limited separately, and how many each may get a second by default. */
export const DEFAULT_RATE_LIMITS = { api: 100, console: 50, slack: 50, links: 20 } as const;
export type RateLimits = Readonly<Partial<Record<keyof typeof DEFAULT_RATE_LIMITS, number>>>;

const rate = (routes: string, name: keyof typeof DEFAULT_RATE_LIMITS) =>
  z
    .int({ error: RATE })
    .min(1, { error: RATE })
    .max(10_000, { error: RATE })
    .optional()
    .describe(`Requests a second on each route of ${routes}. Default: ${DEFAULT_RATE_LIMITS[name]}.`);

export const awsSchema = z.strictObject({
  name: z
    .string({ error: STACK })
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,99}$/, { error: STACK })
    .optional()
    .describe(
      'The name of the stack, used in the names of its tables and metrics. A different name is a second deployment. Default: Tidings.',
    ),
  alarmEmail: mailAddress
    .optional()
    .describe('The mail address that is notified when an alarm starts and ends. Default: no mail.'),
  alarmsPerSource: z
    .boolean({ error: BOOLEAN })
    .optional()
    .describe(
      'Whether the alarms about sources name the source, also one that is added later. Costs a metric for each source that fails or lags. Default: false, one alarm for all.',
    ),
  runbookUrl: url
    .optional()
    .describe(
      'The URL of your copy of docs/runbook.md: each alarm links to its section there. Default: alarms name the section.',
    ),
  secretsKeyArn: text(KEY)
    .regex(/^arn:aws[\w-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, { error: KEY })
    .optional()
    .describe(
      'The KMS key that encrypts parameters and secrets. Default: the AWS managed keys, which need no permission.',
    ),
  encryptionKeyArn: text(KEY)
    .regex(/^arn:aws[\w-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, { error: KEY })
    .optional()
    .describe(
      'The KMS key that encrypts tables, queues, bucket, logs and the topic of alarms, see docs/security.md for its policy. Default: keys of AWS.',
    ),
  vpc: z
    .strictObject({
      subnetIds: ids(SUBNETS, 'subnet').describe('Private subnets with a way to the internet or to endpoints of AWS.'),
      securityGroupIds: ids(GROUPS, 'sg').describe('Security groups that allow what poll and deliver connect to.'),
    })
    .optional()
    .describe(
      'Runs poll and deliver in a network of your own: for private APIs and receivers, and for fixed addresses. Default: in no VPC.',
    ),
  moreSecrets: z
    .array(
      text(REFERENCE)
        .refine((reference) => awsReference(reference) !== undefined, { error: REFERENCE })
        .meta({
          pattern:
            '^(ssm:(arn:aws[\\w-]*:ssm:[a-z0-9-]+:\\d{12}:parameter)?(/[A-Za-z0-9_.-]+)+|secret:(arn:aws[\\w-]*:secretsmanager:[a-z0-9-]+:\\d{12}:secret:)?[A-Za-z0-9/_+=.@-]+(#.+)?)$',
        }),
      { error: `expected a list: ${REFERENCE.slice(9)}` },
    )
    .optional()
    .describe(
      'References that deliver may resolve besides those in this file: for subscriptions added by command, and for a replaced signing secret, which still signs for a day. Default: none.',
    ),
  maxConcurrency: z
    .int({ error: FUNCTIONS })
    .min(2, { error: FUNCTIONS })
    .max(1000, { error: FUNCTIONS })
    .optional()
    .describe(
      'Maximum concurrent executions of deliver; each makes up to ten attempts in parallel. announce gets half as many per shard of the stream, up to ten. Default: 20.',
    ),
  pollConcurrency: z
    .int({ error: FUNCTIONS })
    .min(2, { error: FUNCTIONS })
    .max(1000, { error: FUNCTIONS })
    .optional()
    .describe(
      'Maximum concurrent executions of poll for each of its two queues, where there may be several sources; each polls up to ten sources at once. Default: 10.',
    ),
  announceParallelism: z
    .int({ error: BATCHES })
    .min(1, { error: BATCHES })
    .max(10, { error: BATCHES })
    .optional()
    .describe(
      'Batches of changes per shard of the stream that announce processes in parallel. Default: half of maxConcurrency, up to ten.',
    ),
  reservedConcurrency: z
    .strictObject({
      poll: reserved('poll'),
      tick: reserved('tick'),
      announce: reserved('announce'),
      deliver: reserved('deliver'),
      manage: reserved('manage'),
    })
    .optional()
    .describe(
      'Concurrent executions that AWS reserves for a function out of those of the account: others cannot use them up. Default: none.',
    ),
  domainName: text(DOMAIN)
    .regex(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/, { error: DOMAIN })
    .optional()
    .describe(
      'A domain of your own for the HTTP API, see docs/deploy.md. With certificateArn. Default: the domain of API Gateway.',
    ),
  certificateArn: text(CERTIFICATE)
    .regex(/^arn:aws[\w-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/, { error: CERTIFICATE })
    .optional()
    .describe('The certificate of domainName, in ACM, in the region of the deployment. Default: none.'),
  disableExecuteApiEndpoint: z
    .boolean({ error: BOOLEAN })
    .optional()
    .describe(
      'Whether the HTTP API answers on domainName only, and not on the domain of API Gateway, which bypasses CloudFront and WAF. Default: false.',
    ),
  rateLimits: z
    .strictObject({
      api: rate('the management API', 'api'),
      console: rate('the console', 'console'),
      slack: rate('the Slack app', 'slack'),
      links: rate('the links in mails', 'links'),
    })
    .optional()
    .describe(
      'Limits of the HTTP API, each with bursts of twice as many: a flood on one route does not use up the others. Default: those of each route.',
    ),
  logRetention: wholeDays
    .refine((days) => LOG_DAYS.some((known) => known === days), { error: LOGS })
    .meta({ pattern: `^0*(?:${LOG_DAYS.join('|')})d$` })
    .optional()
    .describe(
      'How long logs are kept: a period that CloudWatch Logs supports, such as 7d, 14d, 30d, 90d or 365d. Default: 30d.',
    ),
  tracing: z
    .literal('xray', { error: "expected 'xray'" })
    .optional()
    .describe(
      'Sends the way of each change, from poll to receiver, to X-Ray, and names its trace in logs and in the header traceparent. Default: nothing is traced.',
    ),
  sourceMaps: z
    .boolean({ error: BOOLEAN })
    .optional()
    .describe('Whether stack traces show source lines. Slows down cold starts. Default: false.'),
  paused: z
    .union([z.boolean(), z.literal('draining')], { error: 'expected true, false or draining' })
    .optional()
    .describe(
      'Pauses everything: nothing is polled, announced or delivered. All data is kept. draining: nothing is polled, and what was found is announced and delivered. Default: false.',
    ),
  removalPolicy: z
    .enum(REMOVALS, { error: `expected one of ${REMOVALS.join(', ')}` })
    .optional()
    .describe(
      'Whether the data outlives the stack. retain: it is kept. destroy: it is deleted with the stack, for trials. Default: retain.',
    ),
});

/** Ids of subnets and security groups. */
export type FunctionNetwork = NonNullable<AwsSection['vpc']>;

export type ReservedConcurrency = NonNullable<AwsSection['reservedConcurrency']>;

export type AwsSection = z.output<typeof awsSchema>;
