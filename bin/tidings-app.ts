/** The CDK app of `npx cdk synth` and `npx cdk deploy`. Prints errors like the CLI. */

import { App } from 'aws-cdk-lib';
import { stackFromContext } from '../lib/stack-from-context.ts';

try {
  stackFromContext(new App(), process.env);
} catch (error) {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('TIDINGS_'))) throw error;
  process.stderr.write(`tidings: ${error.message}\n`);
  // Exits before synthesis, so that no partial app is written.
  process.exit(2);
}
