/**
 * Adds the stack of a CDK app without code of its own. Options are in the config's section `aws`; context such as
 * `-c paused=true` overrides them. Throws errors with the codes of the CLI before it adds anything.
 */

import { type App, RemovalPolicy } from 'aws-cdk-lib';
import { unknownOptionError } from '../runtime/aws/deployment-errors.ts';
import type { Environment } from '../runtime/config/config.ts';
import { withEnvFile } from '../runtime/config/env-file.ts';
import { loadConfigForAws } from '../runtime/config/load.ts';
import { nearestKey } from '../runtime/config/problems.ts';
import { TidingsStack } from './tidings-stack.ts';

export function stackFromContext(app: App, environment: Environment): TidingsStack {
  /** Undefined if the option is not set. CDK passes context as text. */
  const option = (name: string): string | undefined => {
    const value: unknown = app.node.tryGetContext(name);
    return value === undefined || value === '' ? undefined : String(value);
  };
  const options = {
    name: option('name'),
    alarmEmail: option('alarmEmail'),
    alarmsPerSource: parseValue(option('alarmsPerSource')),
    runbookUrl: option('runbookUrl'),
    secretsKeyArn: option('secretsKeyArn'),
    encryptionKeyArn: option('encryptionKeyArn'),
    vpc: parseNetwork(option('vpc')),
    moreSecrets: option('moreSecrets')?.split(','),
    maxConcurrency: parseValue(option('maxConcurrency')),
    pollConcurrency: parseValue(option('pollConcurrency')),
    announceParallelism: parseValue(option('announceParallelism')),
    reservedConcurrency: parsePairs(option('reservedConcurrency')),
    domainName: option('domainName'),
    certificateArn: option('certificateArn'),
    disableExecuteApiEndpoint: parseValue(option('disableExecuteApiEndpoint')),
    rateLimits: parsePairs(option('rateLimits')),
    logRetention: option('logRetention'),
    tracing: option('tracing'),
    sourceMaps: parseValue(option('sourceMaps')),
    paused: parseValue(option('paused')),
    removalPolicy: option('removalPolicy'),
  };
  rejectMisspelledOptions(app, ['config', ...Object.keys(options)]);
  const overrides = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const config = option('config') ?? 'tidings.yaml';
  const { aws } = loadConfigForAws(config, withEnvFile(config, environment), { options: overrides });
  const { name = 'Tidings', removalPolicy, ...props } = aws;
  return new TidingsStack(app, name, {
    description: 'Tidings: events for a work-management API that has none.',
    config,
    environment,
    removalPolicy: removalPolicy === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    ...props,
  });
}

/** Converts booleans and numbers. Other text is passed through, and validation reports it. */
const parseValue = (text: string | undefined): unknown =>
  /^(true|false|\d{1,9})$/.test(text ?? '') ? JSON.parse(text ?? '') : text;

/** Converts `subnet-1,subnet-2,sg-1`. */
function parseNetwork(text: string | undefined): Readonly<Record<string, readonly string[]>> | undefined {
  const ids = text?.split(',');
  const isGroup = (id: string) => id.startsWith('sg-');
  return ids && { subnetIds: ids.filter((id) => !isGroup(id)), securityGroupIds: ids.filter(isGroup) };
}

/** Converts `api:5,links:10`. */
const parsePairs = (text: string | undefined): Readonly<Record<string, unknown>> | undefined =>
  text === undefined
    ? undefined
    : Object.fromEntries(
        text
          .split(',')
          .map((pair) => pair.split(':'))
          .map(([name, value]) => [name, parseValue(value)]),
      );

/** CDK accepts any context key. A misspelled `-c confg=…` or `-c pausd=…` would silently deploy something else. */
function rejectMisspelledOptions(app: App, optionNames: readonly string[]): void {
  const others = Object.keys(app.node.getAllContext()).filter(
    (name) => /^\w+$/.test(name) && !optionNames.includes(name),
  );
  for (const name of others) {
    const nearest = nearestKey(name, optionNames);
    if (nearest !== undefined) throw unknownOptionError(name, nearest);
  }
}
