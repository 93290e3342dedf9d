/** Lambda entry of `setup`, invoked by each deployment: applies the subscriptions of the config. Idempotent. */

import { dynamoSubscriptionStore } from '../adapters/dynamodb/subscription-store.ts';
import { applyDeclared } from '../runtime/apply-declared.ts';
import { type AwsContextOptions, lazy, openAwsContext } from '../runtime/aws/context.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';

export function createSetup(options?: AwsContextOptions) {
  const open = lazy(() => {
    const aws = openAwsContext(options);
    return { ...aws, subscriptions: dynamoSubscriptionStore(openLedger(aws).table) };
  });
  return createLambdaHandler('setup', async (_event: unknown, { log }) => {
    const { config, subscriptions, clock } = open();
    const { added, changed, removed } = await applyDeclared(config, subscriptions, clock.now());
    log.info('applied the declared subscriptions', { added, changed, removed });
  });
}

export const handler = createSetup();
