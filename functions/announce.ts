/** For each batch of the snapshots' stream: records the events of its changes and opens their deliveries. */

import type { DynamoDBStreamEvent } from 'aws-lambda';
import { customEventType } from '../core/events/custom-events.ts';
import { announceBatch } from '../runtime/aws/announce.ts';
import { type AwsOptions, lazy, openAws } from '../runtime/aws/context.ts';
import { lambda } from '../runtime/aws/lambda.ts';
import { ledgerOf } from '../runtime/aws/ledger.ts';
import { queueOf } from '../runtime/aws/queue.ts';

export function createAnnounce(options?: AwsOptions) {
  const open = lazy(() => {
    const aws = openAws(options);
    return {
      ...aws,
      ledger: ledgerOf(aws),
      customEvents: aws.config.customEvents.map(customEventType),
      queue: queueOf(aws),
    };
  });
  return lambda('announce', ({ Records }: DynamoDBStreamEvent, call) => announceBatch(open(), Records, call));
}

export const handler = createAnnounce();
