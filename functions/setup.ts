/** At each deployment: makes the declared subscriptions those of the config. Harmless to repeat. */

import { applyDeclared } from '../runtime/apply-declared.ts';
import { type AwsOptions, lazy, openAws } from '../runtime/aws/context.ts';
import { lambda } from '../runtime/aws/lambda.ts';
import { ledgerOf } from '../runtime/aws/ledger.ts';

export function createSetup(options?: AwsOptions) {
  const open = lazy(() => {
    const aws = openAws(options);
    return { ...aws, ledger: ledgerOf(aws) };
  });
  return lambda('setup', async (_event: unknown, { log }) => {
    const { config, ledger, clock } = open();
    const { added, changed, removed } = await applyDeclared(config, ledger, clock.now());
    log.info('applied the declared subscriptions', { added, changed, removed });
  });
}

export const handler = createSetup();
