/** Opens the queue of delivery attempts for functions that send jobs. Lambda itself receives them. */

import { SQSClient } from '@aws-sdk/client-sqs';
import { sqsQueue } from '../../adapters/sqs/queue.ts';
import type { Queue } from '../../core/ports/queue.ts';
import { type AwsContext, requireEnv } from './context.ts';
import { QUEUE_URL } from './environment.ts';

export function openQueue({ clients, environment }: AwsContext): Queue {
  return sqsQueue({ client: clients.sqs ?? new SQSClient({}), url: requireEnv(environment, QUEUE_URL) });
}
