/** For each batch of the queue: attempts its deliveries. The only function that talks to receivers. */

import type { SQSEvent } from 'aws-lambda';
import { channelsOf } from '../runtime/aws/channels.ts';
import { type AwsOptions, lazy, openAws } from '../runtime/aws/context.ts';
import { deliverBatch } from '../runtime/aws/deliver.ts';
import { lambda } from '../runtime/aws/lambda.ts';
import { ledgerOf, turnsOf } from '../runtime/aws/ledger.ts';
import { type DeliveryPace, openPace } from '../runtime/aws/pace.ts';
import { secretsOf } from '../runtime/aws/secrets.ts';

export function createDeliver(options?: AwsOptions) {
  const open = lazy(() => {
    const aws = openAws(options);
    const { channelFor } = channelsOf(aws, secretsOf(aws));
    return { ...aws, ledger: ledgerOf(aws), turns: turnsOf(aws), channelFor };
  });
  let pace: DeliveryPace | undefined;
  return lambda('deliver', async ({ Records }: SQSEvent, call) => {
    const ports = open();
    pace ??= await openPace(ports.ledger);
    return deliverBatch({ ...ports, ...pace }, Records, call);
  });
}

export const handler = createDeliver();
