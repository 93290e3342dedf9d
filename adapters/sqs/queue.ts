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
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import { between, type Duration, type Instant, SECOND } from '../../core/model/time.ts';
import type { NewJob, Queue, ReceivedJob } from '../../core/ports/queue.ts';
import { AwsError, callAws, classifyAwsError } from '../aws/call.ts';
import { inGroups, inParallel } from '../aws/parallel.ts';
import { decodeJob, encodeJob } from './job.ts';

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
const TIMEOUT = 10 * SECOND;

/** The limit of SQS for sending and receiving. */
const BATCH_SIZE = 10;

/** Failed entries are resent for about 3 s in total. After that the caller fails, and tick re-queues the jobs. */
const MAX_SENDS = 5;
const FIRST_PAUSE_MS = 200;

/** Limits of SQS: 12 h and 15 min. */
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_DELAY_SECONDS = 900;

export function sqsQueue(options: SqsQueueOptions): Queue {
  const { client, url, wait = WAIT, timeout = TIMEOUT, sleep = realSleep } = options;

  /** Returns the jobs that failed and may be resent. */
  const sendOnce = async (jobs: readonly NewJob[], now: Instant): Promise<readonly NewJob[]> => {
    const Entries = jobs.map((job, index) => ({
      Id: String(index),
      MessageBody: encodeJob(job),
      MessageGroupId: toGroupId(job.owner ?? job.group),
      DelaySeconds: delaySeconds(job, now),
    }));
    const command = new SendMessageBatchCommand({ QueueUrl: url, Entries });
    const { Failed = [] } = await call('SendMessageBatch', timeout, (signal) => client.send(command, signal));
    // KMS throttling of an encrypted queue is reported as a sender fault too, but can be retried.
    const refused = Failed.find(
      ({ SenderFault, Code = '' }) => SenderFault === true && classifyAwsError(Code, 400) === 'refused',
    );
    if (refused !== undefined) {
      const detail = [refused.Code, refused.Message].filter((part) => part !== undefined).join(': ');
      throw new GiveUp('TIDINGS_QUEUE_REFUSED', `queue ${url}: a job was refused: ${detail}`);
    }
    return Failed.flatMap(({ Id }) => jobs[Number(Id)] ?? []);
  };

  const sendBatch = async (jobs: readonly NewJob[], now: Instant): Promise<void> => {
    let unsent = jobs;
    for (let tries = 0; unsent.length > 0; tries++) {
      if (tries === MAX_SENDS)
        throw new RetryLater(
          'TIDINGS_QUEUE_FAILED',
          `queue ${url}: ${unsent.length} of ${jobs.length} jobs not accepted`,
        );
      if (tries > 0) await sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
      unsent = await sendOnce(unsent, now);
    }
  };

  const receiveBatch = async (limit: number, visibility: Duration, waiting: Duration): Promise<readonly Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: Math.min(BATCH_SIZE, limit),
      VisibilityTimeout: Math.min(MAX_VISIBILITY_SECONDS, Math.ceil(visibility / SECOND)),
      WaitTimeSeconds: Math.ceil(waiting / SECOND),
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    const answer = await call('ReceiveMessage', timeout + waiting, (signal) => client.send(command, signal));
    return answer.Messages ?? [];
  };

  const call = async <Answer>(
    operation: string,
    time: Duration,
    send: (options: { readonly abortSignal: AbortSignal }) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      return await callAws(client, send, { timeout: time });
    } catch (error) {
      throw error instanceof AwsError ? toQueueError(url, operation, error) : error;
    }
  };

  return {
    async send(jobs, now) {
      await inParallel(inGroups(jobs, BATCH_SIZE), (batch) => sendBatch(batch, now));
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
      await call('DeleteMessage', timeout, (signal) => client.send(command, signal));
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

/** A missing permission is retried: a new one takes a moment to propagate. */
function toQueueError(url: string, operation: string, error: AwsError): Error {
  const message = `queue ${url}: ${operation} failed: ${error.message}`;
  return error.kind === 'refused'
    ? new GiveUp('TIDINGS_QUEUE_REFUSED', message, { evidence: error.evidence })
    : new RetryLater('TIDINGS_QUEUE_FAILED', message, { evidence: error.evidence });
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
