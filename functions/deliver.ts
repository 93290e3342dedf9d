/** For each batch of the queue: attempts its deliveries. The only function that talks to receivers. */

import type { SQSEvent } from 'aws-lambda';
import { openHttpTransport } from '../adapters/http/http-transport.ts';
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
    const http = openHttpTransport({ allow: aws.config.network.allow });
    const { channelFor } = channelsOf(aws, secretsOf(aws), http);
    return { ...aws, ledger: ledgerOf(aws), turns: turnsOf(aws), channelFor, http };
  });
  let pace: DeliveryPace | undefined;
  return lambda('deliver', async ({ Records }: SQSEvent, call) => {
    const ports = open();
    pace ??= await openPace(ports.ledger);
    try {
      return await deliverBatch({ ...ports, ...pace }, Records, call);
    } finally {
      // Lambda freezes the process between invocations. A receiver may close an idle connection meanwhile, and the next
      // post would fail on it.
      await ports.http.close();
    }
  });
}

export const handler = createDeliver();
