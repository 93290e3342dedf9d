/**
 * Queue on SQS: a standard queue with message groups for fairness between owners of subscriptions. SQS uses its own clock: `now` only serves to compute
 * delays. In AWS, Lambda receives messages (see `decodeJob`); `receive` is for the CLI and the contract tests.
 */

import { createHash } from 'node:crypto';
import { setTimeout as realSleep } from 'node:timers/promises';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { LateDeliveries } from '../../core/events/late-deliveries.ts';
import { GiveUp } from '../../core/model/errors.ts';
import { between, type Duration, type Instant, SECOND } from '../../core/model/time.ts';
import type { NewJob, Queue, ReceivedJob } from '../../core/ports/queue.ts';
import { callAws } from '../aws/call.ts';
import { decodeJob, encodeJob } from './job.ts';
import { encodeLate } from './late-job.ts';
import { BATCH_SIZE, callQueue, type QueueAccess, sendMessages, TIMEOUT } from './send-messages.ts';

export interface SqsQueueOptions {
  readonly client: SQSClient;
  readonly url: string;
  /**
   * Long-polling time of a receive, in whole seconds up to 20. With 0, SQS queries only some of its servers and may miss
   * messages. @default 1 s
   */
  readonly wait?: Duration;
  /** For one request, including the SDK's retries; a receive adds its `wait`. @default 10 s */
  readonly timeout?: Duration;
  /** Pause before resending failed entries of a batch. @default - real time */
  readonly sleep?: (millis: number) => Promise<void>;
}

const WAIT = SECOND;

/** Limits of SQS: 12 h and 15 min. */
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_DELAY_SECONDS = 900;

export function sqsQueue(options: SqsQueueOptions): Queue {
  const { client, url, wait = WAIT, timeout = TIMEOUT, sleep = realSleep } = options;

  const receiveBatch = async (limit: number, visibility: Duration, waiting: Duration): Promise<readonly Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: Math.min(BATCH_SIZE, limit),
      VisibilityTimeout: Math.min(MAX_VISIBILITY_SECONDS, Math.ceil(visibility / SECOND)),
      WaitTimeSeconds: Math.ceil(waiting / SECOND),
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    const answer = await callQueue({ client, url, timeout: timeout + waiting }, 'ReceiveMessage', (signal) =>
      client.send(command, signal),
    );
    return answer.Messages ?? [];
  };

  return {
    async send(jobs, now) {
      const messages = jobs.map((job) => ({
        body: encodeJob(job),
        group: toGroupId(job.owner ?? job.group),
        delaySeconds: delaySeconds(job, now),
      }));
      await sendMessages({ client, url, timeout, sleep }, messages);
    },

    async receive({ limit: wanted, visibility }) {
      const limit = typeof wanted === 'function' ? wanted() : wanted;
      const received: ReceivedJob[] = [];
      let asked = 0;
      while (asked < limit) {
        const messages = await receiveBatch(limit - asked, visibility, asked === 0 ? wait : 0);
        if (messages.length === 0) break;
        asked += messages.length;
        received.push(...messages.flatMap(readMessage));
      }
      return received;
    },

    async acknowledge({ receipt }) {
      const command = new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receipt });
      await callQueue({ client, url, timeout }, 'DeleteMessage', (signal) => client.send(command, signal));
    },
  };
}

/** Rounded up to whole seconds, so that no job is early. */
function delaySeconds({ notBefore = '' }: NewJob, now: Instant): number {
  return notBefore <= now ? 0 : Math.min(MAX_DELAY_SECONDS, Math.ceil(between(now, notBefore) / SECOND));
}

/** Empty if the body is not a job: SQS delivers it again, and finally moves it to the dead-letter queue. */
function readMessage({ MessageId = '', Body = '', ReceiptHandle = '', Attributes }: Message): readonly ReceivedJob[] {
  try {
    const job = decodeJob({ messageId: MessageId, body: Body });
    return [{ job, receipt: ReceiptHandle, receives: Number(Attributes?.ApproximateReceiveCount ?? 1) }];
  } catch (error) {
    if (error instanceof GiveUp) return [];
    throw error;
  }
}

/** SQS allows 128 printable ASCII characters; other groups are hashed. The body of the job has the original. */
function toGroupId(group: string): string {
  return /^[\x21-\x7e]{1,128}$/.test(group) ? group : createHash('sha256').update(group).digest('hex');
}

/** Returns a function that sends late deliveries to the queue, in the group of their owner, so that they delay nobody else. */
export function sqsHandOver(queue: QueueAccess): (late: readonly LateDeliveries[]) => Promise<void> {
  return (late) =>
    sendMessages(
      queue,
      late.map((one) => ({ body: encodeLate(one), group: toGroupId(one.owner) })),
    );
}

/** The messages that wait, are delayed or are being processed, as SQS estimates them. */
export async function countQueued(client: SQSClient, url: string): Promise<number> {
  const counts = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesDelayed',
    'ApproximateNumberOfMessagesNotVisible',
  ] as const;
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...counts] });
  const { Attributes = {} } = await callAws(client, (request) => client.send(command, request), { timeout: TIMEOUT });
  return counts.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}
