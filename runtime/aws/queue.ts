/** Opens the queue of delivery attempts for functions that send jobs. Lambda itself receives them. */

import { SQSClient } from '@aws-sdk/client-sqs';
import { sqsQueue } from '../../adapters/sqs/queue.ts';
import type { Queue } from '../../core/ports/queue.ts';
import { type AwsContext, oncePerContext, requireEnv } from './context.ts';
import { QUEUE_URL } from './environment.ts';

export const openSqsClient = oncePerContext(
  ({ clients }: Pick<AwsContext, 'clients'>) => clients.sqs ?? new SQSClient({}),
);

export function openQueue(aws: AwsContext): Queue {
  return sqsQueue({ client: openSqsClient(aws), url: requireEnv(aws.environment, QUEUE_URL) });
}
