/**
 * Resolves the options of a deployment: props of the CDK app first, then the config's section `aws`. Props are validated
 * like that section. CDK tokens, whose value is known only at deployment, are passed through.
 */

import { RemovalPolicy, Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { FunctionNetwork, RateLimits, ReservedConcurrency } from '../runtime/config/aws-schema.ts';
import { withEnvFile } from '../runtime/config/env-file.ts';
import { type AwsConfig, loadConfigForAws } from '../runtime/config/load.ts';
import type { TidingsData } from './tidings-data.ts';

/** Options that also exist in the config's section `aws` are validated as they are there; CDK tokens are not. */
export interface TidingsProps {
  /** Path of the config, `tidings.yaml` or `.json`. Read and validated at synthesis. */
  readonly config: string;

  /**
   * Values of `${NAME}` in the config. Not for secrets, which are references to Parameter Store or Secrets Manager.
   * Those it does not set are read from `.env` beside the config.
   *
   * @default process.env
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;

  /**
   * The tables and everything else that must outlive the functions. Pass one from another stack to keep them separate.
   *
   * @default - created in this construct
   */
  readonly data?: TidingsData;

  /**
   * What happens to data and logs when the stack is deleted. Data passed as `data` keeps its own policy.
   *
   * @default - `aws.removalPolicy` of the config, else RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Retention of the functions' logs.
   *
   * @default - `aws.logRetention` of the config, else RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * Include source maps, so that stack traces show source lines. Packages get larger and cold starts slower: enable it
   * temporarily, for debugging.
   *
   * @default - `aws.sourceMaps` of the config, else false
   */
  readonly sourceMaps?: boolean;

  /**
   * Pauses everything: schedules are disabled, and stream and queue are not read. Data is kept, and work resumes where
   * it stopped; the stream keeps unannounced changes for 24 hours. `draining` disables the schedules alone: what was
   * found is announced and sent, and then nothing happens, as `tidings export` needs it.
   *
   * @default - `aws.paused` of the config, else false
   */
  readonly paused?: boolean | 'draining';

  /**
   * Concurrent invocations of deliver, 2 to 1000; each makes up to ten attempts at once. announce gets half as many per
   * shard of the stream, up to ten. Increase it if many receivers are slow, decrease it if the account's Lambda
   * concurrency is scarce.
   *
   * @default - `aws.maxConcurrency` of the config, else 20
   */
  readonly maxConcurrency?: number;

  /**
   * A domain of your own for the HTTP API, such as 'tidings.example.com'. Point its DNS record to the output `DomainTarget`.
   *
   * @default - `aws.domainName` of the config, else the domain of API Gateway
   */
  readonly domainName?: string;

  /**
   * ARN of the certificate of `domainName`, in ACM, in the region of the stack.
   *
   * @default - `aws.certificateArn` of the config; required with `domainName`
   */
  readonly certificateArn?: string;

  /**
   * Whether the HTTP API answers on `domainName` only. The domain of API Gateway bypasses CloudFront and WAF in front of it.
   *
   * @default - `aws.disableExecuteApiEndpoint` of the config, else false
   */
  readonly disableExecuteApiEndpoint?: boolean;

  /**
   * Requests a second on each route of the management API, the console, the Slack app and the links in mails, 1 to 10,000. Bursts may
   * have twice as many. A flood on one route does not use up the others.
   *
   * @default - `aws.rateLimits` of the config, else { api: 100, console: 50, slack: 50, links: 20 }
   */
  readonly rateLimits?: RateLimits;

  /**
   * References that deliver may read in addition to those of the config, such as 'ssm:/tidings/old': for subscriptions
   * added by CLI, and for a replaced signing secret that still signs for a day. CDK tokens are allowed:
   * `secret:${mine.secretName}`.
   *
   * @default - `aws.moreSecrets` of the config, else none
   */
  readonly moreSecrets?: readonly string[];

  /**
   * ARN of the KMS key that encrypts the parameters and secrets.
   *
   * @default - `aws.secretsKeyArn` of the config, else AWS managed keys, which need no permission
   */
  readonly secretsKeyArn?: string;

  /**
   * ARN of the KMS key that encrypts tables, queues, bucket, logs and the topic of alarms. Its policy must admit these services,
   * see docs/security.md. Data passed as `data` keeps its own key.
   *
   * @default - `aws.encryptionKeyArn` of the config, else keys of AWS
   */
  readonly encryptionKeyArn?: string;

  /**
   * The network in which poll and deliver run: for private APIs and receivers, and for fixed addresses. It needs a way to AWS's own
   * services.
   *
   * @default - `aws.vpc` of the config, else none
   */
  readonly vpc?: FunctionNetwork;

  /**
   * Concurrent executions of poll for each of its two queues, 2 to 1000; each polls up to ten sources at once. Only where there may be
   * several sources: with one, one execution polls it.
   *
   * @default - `aws.pollConcurrency` of the config, else 10
   */
  readonly pollConcurrency?: number;

  /**
   * Batches of changes per shard of the stream that announce processes in parallel, 1 to 10.
   *
   * @default - `aws.announceParallelism` of the config, else half of maxConcurrency, up to ten
   */
  readonly announceParallelism?: number;

  /**
   * Concurrent executions that AWS reserves for a function out of those of the account. A new account has too few to reserve any.
   *
   * @default - `aws.reservedConcurrency` of the config, else none
   */
  readonly reservedConcurrency?: ReservedConcurrency;

  /**
   * `xray`: sends the way of each change, from poll to receiver, to X-Ray, and names its trace in logs and in the header
   * `traceparent`.
   *
   * @default - `aws.tracing` of the config, else nothing is traced
   */
  readonly tracing?: 'xray';

  /**
   * Email address notified when an alarm starts or ends. AWS sends a confirmation request first.
   *
   * @default - `aws.alarmEmail` of the config, else none; subscribe to `monitoring.topic` instead
   */
  readonly alarmEmail?: string;

  /**
   * Whether the alarms about sources name the source, also one that is added later. Costs a metric for each source that fails or
   * lags, for as long as it does.
   *
   * @default - `aws.alarmsPerSource` of the config, else false: one alarm for all sources
   */
  readonly alarmsPerSource?: boolean;

  /**
   * URL of the runbook. Each alarm links to its section.
   *
   * @default - `aws.runbookUrl` of the config, else alarms name the section without a link
   */
  readonly runbookUrl?: string;
}

type TidingsOptions = Omit<TidingsProps, 'config' | 'environment' | 'data' | 'removalPolicy'> & {
  readonly removalPolicy: RemovalPolicy;
};

export interface ResolvedOptions {
  readonly config: AwsConfig;
  readonly options: TidingsOptions;
}

/** Props that the section `aws` has as well. `TidingsStack` passes all of its props, so others are ignored. */
const SHARED_OPTION_NAMES = [
  'alarmEmail',
  'alarmsPerSource',
  'runbookUrl',
  'secretsKeyArn',
  'encryptionKeyArn',
  'vpc',
  'moreSecrets',
  'maxConcurrency',
  'pollConcurrency',
  'announceParallelism',
  'reservedConcurrency',
  'domainName',
  'certificateArn',
  'disableExecuteApiEndpoint',
  'rateLimits',
  'logRetention',
  'tracing',
  'sourceMaps',
  'paused',
  'removalPolicy',
] as const satisfies readonly (keyof TidingsProps)[];

type Given = readonly [name: (typeof SHARED_OPTION_NAMES)[number], value: unknown];

/** Throws ConfigError with every problem of the config and the props. */
export function resolveOptions(props: TidingsProps): ResolvedOptions {
  const given = SHARED_OPTION_NAMES.flatMap((name): Given[] =>
    props[name] === undefined ? [] : [[name, props[name]]],
  );
  const checked = given
    .filter((one) => !isCdkOnly(one) || PLACEHOLDERS[one[0]] !== undefined)
    .map((one) => [one[0], isCdkOnly(one) ? PLACEHOLDERS[one[0]] : toConfigValue(one)]);
  const config = loadConfigForAws(props.config, withEnvFile(props.config, props.environment ?? process.env), {
    options: Object.fromEntries(checked),
  });
  const { removalPolicy, name: _, ...aws } = config.aws;
  const kept = removalPolicy === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
  const asGiven = given.filter((one) => isCdkOnly(one) || hasTokens(one));
  return { config, options: { removalPolicy: kept, ...aws, ...Object.fromEntries(asGiven) } };
}

/** Values that CDK has and the config does not. */
const CDK_ONLY_VALUES: Readonly<Record<string, unknown>> = {
  logRetention: RetentionDays.INFINITE,
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
};

function isCdkOnly([name, value]: Given): boolean {
  return Token.isUnresolved(value) || CDK_ONLY_VALUES[name] === value;
}

function hasTokens([, value]: Given): boolean {
  return Array.isArray(value) && value.some((one) => Token.isUnresolved(one));
}

/** Replace tokens during validation, which checks that an option with this value has the other one. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  domainName: 'later.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/later',
};

/** Replaces a token during validation, so that the other references keep their index. */
const PLACEHOLDER_REFERENCE = 'ssm:/later';

/** An invalid value is passed through, so that validation reports it. */
function toConfigValue([name, value]: Given): unknown {
  if (name === 'logRetention') return `${value}d`;
  return Array.isArray(value) ? value.map((one) => (Token.isUnresolved(one) ? PLACEHOLDER_REFERENCE : one)) : value;
}
