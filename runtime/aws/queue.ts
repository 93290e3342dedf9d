/** Opens the queue of delivery attempts for functions that send jobs. Lambda itself receives them. */

import { SQSClient } from '@aws-sdk/client-sqs';
import { sqsHandOver, sqsQueue } from '../../adapters/sqs/queue.ts';
import type { AnnouncePorts } from '../../core/events/announce.ts';
import type { Queue } from '../../core/ports/queue.ts';
import { type AwsContext, oncePerContext, requireEnv } from './context.ts';
import { QUEUE_URL } from './environment.ts';

export const openSqsClient = oncePerContext(
  ({ clients }: Pick<AwsContext, 'clients'>) => clients.sqs ?? new SQSClient({}),
);

const accessOf = (aws: AwsContext) => ({ client: openSqsClient(aws), url: requireEnv(aws.environment, QUEUE_URL) });

export function openQueue(aws: AwsContext): Queue {
  return sqsQueue(accessOf(aws));
}

/** Sends late deliveries to the same queue. */
export function openHandOver(aws: AwsContext): NonNullable<AnnouncePorts['handOver']> {
  return sqsHandOver(accessOf(aws));
}
