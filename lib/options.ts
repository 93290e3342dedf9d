/**
 * What a deployment was told: by the app that makes it, else by the config. What the app says is checked as if it stood in
 * the config's section `aws`; what only the deployment will know stays as it is.
 */

import { RemovalPolicy, Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Environment } from '../runtime/config/config.ts';
import { type AwsConfig, loadConfigForAws } from '../runtime/config/load.ts';
import type { TidingsProps } from './tidings.ts';

export type Options = Omit<TidingsProps, 'config' | 'environment' | 'data' | 'removalPolicy'> & {
  readonly removalPolicy: RemovalPolicy;
};

export interface Told {
  readonly config: AwsConfig;
  readonly options: Options;
}

/** The props that the section `aws` has as well. Whoever makes a stack hands over its own props among them. */
const NAMES = [
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

type Given = readonly [name: (typeof NAMES)[number], value: unknown];

/** Throws ConfigError with all that is wrong with either. */
export function toldBy(props: TidingsProps): Told {
  const given = NAMES.flatMap((name): Given[] => (props[name] === undefined ? [] : [[name, props[name]]]));
  const checked = given.filter((one) => !isBeyondConfig(one)).map((one) => [one[0], asInConfig(one)]);
  const config = loadConfigForAws(props.config, props.environment ?? environmentOfProcess(), {
    options: Object.fromEntries(checked),
  });
  const { removalPolicy, name: _, ...aws } = config.aws;
  const kept = removalPolicy === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
  const asGiven = given.filter((one) => isBeyondConfig(one) || hasTokens(one));
  return { config, options: { removalPolicy: kept, ...aws, ...Object.fromEntries(asGiven) } };
}

/** What CDK can say and the config cannot: to keep logs for ever, and to keep data unless its first deployment fails. */
const CDK_ALONE: Readonly<Record<string, unknown>> = {
  logRetention: RetentionDays.INFINITE,
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
};

function isBeyondConfig([name, value]: Given): boolean {
  return Token.isUnresolved(value) || CDK_ALONE[name] === value;
}

function hasTokens([, value]: Given): boolean {
  return Array.isArray(value) && value.some((one) => Token.isUnresolved(one));
}

/** Stands for a reference that only the deployment knows, so that the others of its list keep their places. */
const STAND_IN = 'ssm:/later';

/** What is no value of its type stays as it is: it is wrong, and has to be told. */
function asInConfig([name, value]: Given): unknown {
  if (name === 'logRetention') return `${value}d`;
  return Array.isArray(value) ? value.map((one) => (Token.isUnresolved(one) ? STAND_IN : one)) : value;
}

function environmentOfProcess(): Environment {
  return process.env;
}
