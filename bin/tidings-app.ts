/**
 * The CDK app: what `npx cdk synth` and `npx cdk deploy` read. Options are in the config, section `aws`; one that is given
 * as context, `-c paused=true`, counts in its place. What is wrong with them is told as the command line tells it.
 */

import { App, RemovalPolicy } from 'aws-cdk-lib';
import { TidingsStack } from '../lib/index.ts';
import { unknownOptionError } from '../runtime/aws/deployment-errors.ts';
import { loadConfigForAws } from '../runtime/config/load.ts';
import { nearestOf } from '../runtime/config/problems.ts';

const app = new App();

/** Undefined where the option was not given; the CDK hands over text. */
const option = (name: string): string | undefined => {
  const value: unknown = app.node.tryGetContext(name);
  return value === undefined || value === '' ? undefined : String(value);
};

/** `true` and numbers as a config has them; what is neither stays text, and is told of. */
const plain = (text: string | undefined): unknown =>
  /^(true|false|\d{1,9})$/.test(text ?? '') ? JSON.parse(text ?? '') : text;

const options = {
  name: option('name'),
  alarmEmail: option('alarmEmail'),
  runbookUrl: option('runbookUrl'),
  secretsKeyArn: option('secretsKeyArn'),
  moreSecrets: option('moreSecrets')?.split(','),
  maxConcurrency: plain(option('maxConcurrency')),
  logRetention: option('logRetention'),
  sourceMaps: plain(option('sourceMaps')),
  paused: plain(option('paused')),
  removalPolicy: option('removalPolicy'),
};
const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/**
 * The CDK lets any word through as context. One that is nearly one of ours was meant to be: with a `confg` or a `pausd` that
 * nobody reads, something else would be deployed than was asked for.
 */
function refuseMisspelt(): void {
  const known = ['config', ...Object.keys(options)];
  const others = Object.keys(app.node.getAllContext()).filter((name) => /^\w+$/.test(name) && !known.includes(name));
  for (const name of others) {
    const meant = nearestOf(name, known);
    if (meant !== undefined) throw unknownOptionError(name, meant);
  }
}

try {
  refuseMisspelt();
  const config = option('config') ?? 'tidings.yaml';
  const { name = 'Tidings', removalPolicy, ...aws } = loadConfigForAws(config, process.env, { options: given }).aws;
  new TidingsStack(app, name, {
    description: 'Tidings: events for a work-management API that has none.',
    config,
    removalPolicy: removalPolicy === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    ...aws,
  });
} catch (error) {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('TIDINGS_'))) throw error;
  process.stderr.write(`tidings: ${error.message}\n`);
  // Before anything is written: half an app must not look like one.
  process.exit(2);
}
