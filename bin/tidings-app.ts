/**
 * The CDK app of `npx cdk synth` and `npx cdk deploy`. Options are in the config's section `aws`; context such as
 * `-c paused=true` overrides them. Errors are printed like those of the CLI.
 */

import { App, RemovalPolicy } from 'aws-cdk-lib';
import { TidingsStack } from '../lib/index.ts';
import { unknownOptionError } from '../runtime/aws/deployment-errors.ts';
import { withEnvFile } from '../runtime/config/env-file.ts';
import { loadConfigForAws } from '../runtime/config/load.ts';
import { nearestOf } from '../runtime/config/problems.ts';

const app = new App();

/** Undefined if the option is not set. CDK passes context as text. */
const option = (name: string): string | undefined => {
  const value: unknown = app.node.tryGetContext(name);
  return value === undefined || value === '' ? undefined : String(value);
};

/** Converts booleans and numbers. Other text is passed through, and validation reports it. */
const parseValue = (text: string | undefined): unknown =>
  /^(true|false|\d{1,9})$/.test(text ?? '') ? JSON.parse(text ?? '') : text;

const options = {
  name: option('name'),
  alarmEmail: option('alarmEmail'),
  runbookUrl: option('runbookUrl'),
  secretsKeyArn: option('secretsKeyArn'),
  moreSecrets: option('moreSecrets')?.split(','),
  maxConcurrency: parseValue(option('maxConcurrency')),
  logRetention: option('logRetention'),
  sourceMaps: parseValue(option('sourceMaps')),
  paused: parseValue(option('paused')),
  removalPolicy: option('removalPolicy'),
};
const overrides = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** CDK accepts any context key. A misspelled `-c confg=…` or `-c pausd=…` would silently deploy something else. */
function rejectMisspelledOptions(): void {
  const known = ['config', ...Object.keys(options)];
  const others = Object.keys(app.node.getAllContext()).filter((name) => /^\w+$/.test(name) && !known.includes(name));
  for (const name of others) {
    const nearest = nearestOf(name, known);
    if (nearest !== undefined) throw unknownOptionError(name, nearest);
  }
}

try {
  rejectMisspelledOptions();
  const config = option('config') ?? 'tidings.yaml';
  const environment = withEnvFile(config, process.env);
  const { name = 'Tidings', removalPolicy, ...aws } = loadConfigForAws(config, environment, { options: overrides }).aws;
  new TidingsStack(app, name, {
    description: 'Tidings: events for a work-management API that has none.',
    config,
    removalPolicy: removalPolicy === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    ...aws,
  });
} catch (error) {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('TIDINGS_'))) throw error;
  process.stderr.write(`tidings: ${error.message}\n`);
  // Exits before synthesis, so that no partial app is written.
  process.exit(2);
}
