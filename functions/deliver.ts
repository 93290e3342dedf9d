/** For each batch of the queue: attempts its deliveries. The only function that talks to receivers. */

import type { SQSEvent } from 'aws-lambda';
import { createLanes } from '../core/delivery/lanes.ts';
import { channelsOf } from '../runtime/aws/channels.ts';
import { deliverBatch } from '../runtime/aws/deliver.ts';
import { lambda } from '../runtime/aws/lambda.ts';
import { ledgerOf } from '../runtime/aws/ledger.ts';
import { secretsOf } from '../runtime/aws/secrets.ts';
import { type AwsOptions, openAws, opened } from '../runtime/aws.ts';
import { followLimits } from '../runtime/follow-limits.ts';

export function createDeliver(options?: AwsOptions) {
  const open = opened(() => {
    const aws = openAws(options);
    return { ...aws, ledger: ledgerOf(aws), channelFor: channelsOf(aws, secretsOf(aws)).channelFor };
  });
  // Kept from call to call: a receiver that failed is met with care by the next batch too.
  let lanes: ReturnType<typeof createLanes> | undefined;
  return lambda('deliver', async ({ Records }: SQSEvent, call) => {
    const ports = open();
    lanes ??= createLanes(await followLimits(ports.ledger, () => performance.now()));
    return deliverBatch({ ...ports, lanes }, Records, call);
  });
}

export const handler = createDeliver();
