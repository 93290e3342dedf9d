/**
 * Queue on SQS: a standard queue, fair by the group of each message. Time is SQS's own: of `now` only the distance to it counts.
 * In AWS Lambda does the receiving, see `jobOf`; here it is for the command line and for proof.
 */

import { createHash } from 'node:crypto';
import { setTimeout as realSleep } from 'node:timers/promises';
import {
  DeleteMessageCommand,
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
   * How long a receive waits for something to come, whole seconds up to 20. Zero asks only some of SQS's servers, and may
   * miss what is there. @default 1 s
   */
  readonly wait?: Duration;
  /** For one request, the SDK's own retries included; a receive has its wait on top. @default 10 s */
  readonly timeout?: Duration;
  /** Waits between tries of what a batch left over. @default - real time */
  readonly sleep?: (millis: number) => Promise<void>;
}

const WAIT = SECOND;
const TIMEOUT = 10 * SECOND;

/** As many as SQS takes, and gives, at once. */
const BATCH_SIZE = 10;

/** What a batch leaves over is tried again, for about 3 s in all; then it is for the caller: tick queues it once more. */
const MAX_SENDS = 5;
const FIRST_PAUSE_MS = 200;

/** SQS takes no longer ones: 12 h, 15 min. */
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_DELAY_SECONDS = 900;

export function sqsQueue(options: SqsQueueOptions): Queue {
  const { client, url, wait = WAIT, timeout = TIMEOUT, sleep = realSleep } = options;

  /** Those that SQS did not take, and may yet. */
  const sendOnce = async (jobs: readonly NewJob[], now: Instant): Promise<readonly NewJob[]> => {
    const Entries = jobs.map((job, index) => ({
      Id: String(index),
      MessageBody: encodeJob(job),
      MessageGroupId: toGroupId(job.group),
      DelaySeconds: delaySeconds(job, now),
    }));
    const command = new SendMessageBatchCommand({ QueueUrl: url, Entries });
    const { Failed = [] } = await call('SendMessageBatch', timeout, (signal) => client.send(command, signal));
    // Ours to mend, unless it only came too fast: the keys of an encrypted queue say so in this way.
    const hopeless = Failed.find(
      ({ SenderFault, Code = '' }) => SenderFault === true && classifyAwsError(Code, 400) === 'refused',
    );
    if (hopeless !== undefined) {
      const words = [hopeless.Code, hopeless.Message].filter((part) => part !== undefined).join(': ');
      throw new GiveUp('TIDINGS_QUEUE_REFUSED', `queue ${url}: a job was refused: ${words}`);
    }
    return Failed.flatMap(({ Id }) => jobs[Number(Id)] ?? []);
  };

  const sendBatch = async (jobs: readonly NewJob[], now: Instant): Promise<void> => {
    let left = jobs;
    for (let tries = 0; left.length > 0; tries++) {
      if (tries === MAX_SENDS)
        throw new RetryLater('TIDINGS_QUEUE_FAILED', `queue ${url}: ${left.length} of ${jobs.length} jobs not taken`);
      if (tries > 0) await sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
      left = await sendOnce(left, now);
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
    what: string,
    time: Duration,
    send: (options: { readonly abortSignal: AbortSignal }) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      return await callAws(send, { timeout: time });
    } catch (error) {
      throw error instanceof AwsError ? toQueueError(url, what, error) : error;
    }
  };

  return {
    async send(jobs, now) {
      await inParallel(inGroups(jobs, BATCH_SIZE), (batch) => sendBatch(batch, now));
    },

    async receive({ limit, visibility }) {
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

/** Whole seconds, and none too early. */
function delaySeconds({ notBefore = '' }: NewJob, now: Instant): number {
  return notBefore <= now ? 0 : Math.min(MAX_DELAY_SECONDS, Math.ceil(between(now, notBefore) / SECOND));
}

/** Nothing for what is no job: it is left to come back, until the queue has enough of it and puts it aside. */
function readMessage({ MessageId = '', Body = '', ReceiptHandle = '', Attributes }: Message): readonly ReceivedJob[] {
  try {
    const job = decodeJob({ messageId: MessageId, body: Body });
    return [{ job, receipt: ReceiptHandle, receives: Number(Attributes?.ApproximateReceiveCount ?? 1) }];
  } catch (error) {
    if (error instanceof GiveUp) return [];
    throw error;
  }
}

/** SQS takes up to 128 visible characters; what has others is named by its hash. The job itself says which group it is. */
function toGroupId(group: string): string {
  return /^[\x21-\x7e]{1,128}$/.test(group) ? group : createHash('sha256').update(group).digest('hex');
}

/** A right that is missing may be on its way: it takes a moment until all of AWS knows it. */
function toQueueError(url: string, operation: string, error: AwsError): Error {
  const message = `queue ${url}: ${operation} failed: ${error.message}`;
  return error.kind === 'refused'
    ? new GiveUp('TIDINGS_QUEUE_REFUSED', message, { evidence: error.evidence })
    : new RetryLater('TIDINGS_QUEUE_FAILED', message, { evidence: error.evidence });
}
