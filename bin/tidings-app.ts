/**
 * The CDK app: what `npx cdk synth` and `npx cdk deploy` read. Options come as context, `-c config=tidings.yaml`; what is
 * wrong with the config is told as the command line tells it.
 */

import { App, RemovalPolicy } from 'aws-cdk-lib';
import { TidingsDataStack, TidingsStack } from '../lib/index.ts';

const app = new App();

/** Undefined where the option was not given. */
const option = (name: string): string | undefined => {
  const value: unknown = app.node.tryGetContext(name);
  return value === undefined || value === '' ? undefined : String(value);
};

const options = {
  alarmEmail: option('alarmEmail'),
  runbookUrl: option('runbookUrl'),
  secretsKeyArn: option('secretsKeyArn'),
};
const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
const removalPolicy = option('removalPolicy') === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;

try {
  const { data } = new TidingsDataStack(app, 'TidingsData', {
    description: 'Tidings: its tables, and what could not be worked on. Keep it.',
    removalPolicy,
  });
  new TidingsStack(app, 'Tidings', {
    description: 'Tidings: events for a work-management API that has none.',
    data,
    config: option('config') ?? 'tidings.yaml',
    ...given,
  });
} catch (error) {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('TIDINGS_'))) throw error;
  process.stderr.write(`tidings: ${error.message}\n`);
  // Before anything is written: half an app must not look like one.
  process.exit(2);
}
