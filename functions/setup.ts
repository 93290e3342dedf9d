/** Lambda entry of `setup`, invoked by each deployment: applies the subscriptions of the config. Idempotent. */

import { channelRegistry } from '../adapters/channels/registry.ts';
import { dynamoDeliveryStore } from '../adapters/dynamodb/delivery-store.ts';
import { dynamoSubscriptionStore } from '../adapters/dynamodb/subscription-store.ts';
import { createDigestOpener } from '../core/delivery/open-digest.ts';
import { declareSubscriptions } from '../core/subscriptions/declare.ts';
import { type AwsContextOptions, lazy, openAwsContext } from '../runtime/aws/context.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';
import { retryWhileDenied } from '../runtime/aws/retry-while-denied.ts';
import { withReader } from '../runtime/aws/stored-sources.ts';

export function createSetup(options?: AwsContextOptions) {
  const open = lazy(() => {
    const aws = withReader(openAwsContext(options));
    const ledger = openLedger(aws);
    return {
      ...aws,
      subscriptions: dynamoSubscriptionStore(ledger.table),
      deliveries: dynamoDeliveryStore(ledger),
      channels: channelRegistry,
    };
  });
  return createLambdaHandler('setup', async (_event: unknown, { log }) => {
    const { config, sleep, readConfig, ...ports } = open();
    const apply = () => declareSubscriptions(ports, config.subscriptions);
    const { added, changed, removed, moved, dropped } = await retryWhileDenied(apply, { sleep, log });
    log.info('applied the declared subscriptions', { added, changed, removed });
    // The next check of tick may come after the time of a new digest.
    const inEffect = await retryWhileDenied(() => readConfig(), { sleep, log });
    const sources = inEffect.sources.map(({ name }) => name);
    await retryWhileDenied(createDigestOpener(ports, sources), { sleep, log });
    for (const one of moved) log.info('moved the deliveries of a renamed subscription', one);
    for (const one of dropped) log.warn('a removed subscription leaves deliveries unsent', { ...one });
  });
}

export const handler = createSetup();
