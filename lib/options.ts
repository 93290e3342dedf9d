/**
 * What a deployment was told: by the app that makes it, else by the config. What the app says is checked as if it stood in
 * the config's section `aws`; what only the deployment will know stays as it is.
 */

import { RemovalPolicy, Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Environment } from '../runtime/config/config.ts';
import { type AwsConfig, loadConfigForAws } from '../runtime/config/load.ts';
import type { TidingsData } from './tidings-data.ts';

/** What the config's section `aws` can say too is checked as it is there; what only the deployment knows is not. */
export interface TidingsProps {
  /** Path of the config, `tidings.yaml` or `.json`. Read and checked now; what is wrong with it stops the synthesis. */
  readonly config: string;

  /**
   * Where `${NAME}` in the config is looked up. Not for secrets, which are references to Parameter Store or Secrets
   * Manager.
   *
   * @default process.env
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;

  /**
   * The tables and what else must stay. Give one of another stack to keep them apart from the functions.
   *
   * @default - made here
   */
  readonly data?: TidingsData;

  /**
   * What happens to the data, and to logs, when the stack goes. Of data given as `data`, that construct decides.
   *
   * @default - `aws.removalPolicy` of the config, else RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * How long logs of the functions are kept.
   *
   * @default - `aws.logRetention` of the config, else RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * Whether stack traces name the lines of the sources. Makes the functions larger and their start slower: for a while,
   * when something is to be found out.
   *
   * @default - `aws.sourceMaps` of the config, else false
   */
  readonly sourceMaps?: boolean;

  /**
   * Whether everything rests: schedules are disabled, and nothing is taken from stream or queue. All of it stays, and
   * goes on where it was when this is taken away; the stream keeps what was not announced for a day.
   *
   * @default - `aws.paused` of the config, else false
   */
  readonly paused?: boolean;

  /**
   * Functions that deliver at the same time, 2 to 1000; each makes ten attempts at once. More, when many receivers are
   * slow; fewer, when the account has little room.
   *
   * @default - `aws.maxConcurrency` of the config, else 20
   */
  readonly maxConcurrency?: number;

  /**
   * References that deliver may resolve besides those of the config, as 'ssm:/tidings/old': of subscriptions made by
   * hand, and of a signing secret that was replaced and still signs for a day. A name may be one that only the
   * deployment knows: `secret:${mine.secretName}`.
   *
   * @default - `aws.moreSecrets` of the config, else none
   */
  readonly moreSecrets?: readonly string[];

  /**
   * ARN of the KMS key that the parameters and secrets are encrypted with.
   *
   * @default - `aws.secretsKeyArn` of the config, else AWS's own keys, which need no permission
   */
  readonly secretsKeyArn?: string;

  /**
   * Who gets mail when an alarm comes or goes. AWS asks this address once whether it wants to.
   *
   * @default - `aws.alarmEmail` of the config, else nobody; subscribe to `watch.topic` instead
   */
  readonly alarmEmail?: string;

  /**
   * Where the runbook is read: each alarm links its chapter there.
   *
   * @default - `aws.runbookUrl` of the config, else alarms name the chapter without a link
   */
  readonly runbookUrl?: string;
}

export type TidingsOptions = Omit<TidingsProps, 'config' | 'environment' | 'data' | 'removalPolicy'> & {
  readonly removalPolicy: RemovalPolicy;
};

export interface ResolvedOptions {
  readonly config: AwsConfig;
  readonly options: TidingsOptions;
}

/** The props that the section `aws` has as well. Whoever makes a stack hands over its own props among them. */
const SHARED_OPTION_NAMES = [
  'alarmEmail',
  'runbookUrl',
  'secretsKeyArn',
  'moreSecrets',
  'maxConcurrency',
  'logRetention',
  'sourceMaps',
  'paused',
  'removalPolicy',
] as const satisfies readonly (keyof TidingsProps)[];

type Given = readonly [name: (typeof SHARED_OPTION_NAMES)[number], value: unknown];

/** Throws ConfigError with all that is wrong with either. */
export function resolveOptions(props: TidingsProps): ResolvedOptions {
  const given = SHARED_OPTION_NAMES.flatMap((name): Given[] =>
    props[name] === undefined ? [] : [[name, props[name]]],
  );
  const checked = given.filter((one) => !isCdkOnly(one)).map((one) => [one[0], toConfigValue(one)]);
  const config = loadConfigForAws(props.config, props.environment ?? environmentOfProcess(), {
    options: Object.fromEntries(checked),
  });
  const { removalPolicy, name: _, ...aws } = config.aws;
  const kept = removalPolicy === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
  const asGiven = given.filter((one) => isCdkOnly(one) || hasTokens(one));
  return { config, options: { removalPolicy: kept, ...aws, ...Object.fromEntries(asGiven) } };
}

/** What CDK can say and the config cannot: to keep logs for ever, and to keep data unless its first deployment fails. */
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

/** Stands for a reference that only the deployment knows, so that the others of its list keep their places. */
const PLACEHOLDER_REFERENCE = 'ssm:/later';

/** What is no value of its type stays as it is: it is wrong, and has to be told. */
function toConfigValue([name, value]: Given): unknown {
  if (name === 'logRetention') return `${value}d`;
  return Array.isArray(value) ? value.map((one) => (Token.isUnresolved(one) ? PLACEHOLDER_REFERENCE : one)) : value;
}

function environmentOfProcess(): Environment {
  return process.env;
}
