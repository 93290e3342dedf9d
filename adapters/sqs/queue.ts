/** Queue on SQS: a standard queue, fair by the group of each message. Time is SQS's own, so `now` is not asked for. */

import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { RetryLater } from '../../core/model/errors.ts';
import type { Queue } from '../../core/ports/queue.ts';
import { inGroups, inParallel } from '../dynamodb/parallel.ts';
import { bodyOf, jobOf } from './job.ts';

export interface SqsQueueOptions {
  readonly client: SQSClient;
  readonly url: string;
}

/** As many as SQS takes, and gives, at once. */
const AT_ONCE = 10;

export function sqsQueue({ client, url }: SqsQueueOptions): Queue {
  return {
    async send(jobs) {
      await inParallel(inGroups(jobs, AT_ONCE), async (group) => {
        const Entries = group.map((job, index) => {
          return { Id: String(index), MessageBody: bodyOf(job), MessageGroupId: job.group };
        });
        const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
        if (Failed.length > 0) throw new RetryLater('TIDINGS_QUEUE_FAILED', `${Failed.length} jobs were not taken`);
      });
    },

    async receive({ limit, visibility }) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MaxNumberOfMessages: Math.min(AT_ONCE, limit),
          VisibilityTimeout: Math.ceil(visibility / 1000),
        }),
      );
      return Messages.map(({ MessageId = '', Body = '', ReceiptHandle = '' }) => {
        return { job: jobOf({ messageId: MessageId, body: Body }), receipt: ReceiptHandle, receives: 1 };
      });
    },

    async acknowledge({ receipt }) {
      await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receipt }));
    },
  };
}
