/** Every minute: puts the deliveries whose time has come on the queue, and opens those of the next digests. */

import { dynamoAgenda, dynamoBacklog, dynamoRecent } from '../adapters/dynamodb/agenda.ts';
import { dynamoDeliveryStore } from '../adapters/dynamodb/delivery-store.ts';
import { dynamoSubscriptionStore } from '../adapters/dynamodb/subscription-store.ts';
import { createDigestOpener } from '../core/delivery/open-digest.ts';
import { sweepHealth } from '../core/delivery/receivers/sweep-health.ts';
import type { AwsContextOptions } from '../runtime/aws/context.ts';
import { createOwnerLookup } from '../runtime/aws/find-owners.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';
import { openQueue } from '../runtime/aws/queue.ts';
import { openWithSources } from '../runtime/aws/stored-sources.ts';
import { tickAll } from '../runtime/aws/tick.ts';
import { withDeclared } from '../runtime/with-declared.ts';

export function createTick(options?: AwsContextOptions) {
  const open = openWithSources(options, (aws) => {
    const ledger = openLedger(aws);
    const subscriptions = withDeclared(dynamoSubscriptionStore(ledger.table), aws.config, aws.clock);
    const openDigests = createDigestOpener(
      { ...aws, deliveries: dynamoDeliveryStore(ledger), subscriptions },
      aws.config.sources.map(({ name }) => name),
    );
    const findOwners = createOwnerLookup({ ...aws, subscriptions });
    return {
      ...aws,
      agenda: dynamoAgenda(ledger.table),
      readBacklog: dynamoBacklog(ledger.table, findOwners),
      readRecent: dynamoRecent(ledger.table, findOwners),
      queue: openQueue(aws),
      openDigests,
      sweep: () => sweepHealth({ ...aws, subscriptions }, aws.config.retention),
      findOwners,
    };
  });
  return createLambdaHandler('tick', async (_event: unknown, call) => tickAll(await open(), call));
}

export const handler = createTick();
