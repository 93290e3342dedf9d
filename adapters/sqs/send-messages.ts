/** Sends messages to a queue in batches, and resends those that SQS did not accept. */

import { setTimeout as realSleep } from 'node:timers/promises';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import { AwsError, callAws, classifyAwsError } from '../aws/call.ts';
import { inGroups, inParallel } from '../aws/parallel.ts';

export interface QueueAccess {
  readonly client: SQSClient;
  readonly url: string;
  /** For one request, including the SDK's retries. @default 10 s */
  readonly timeout?: Duration;
  /** Pause before resending failed entries of a batch. @default - real time */
  readonly sleep?: (millis: number) => Promise<void>;
}

export interface QueueMessage {
  readonly body: string;
  /** At most 128 printable ASCII characters. @default - none */
  readonly group?: string;
  /** @default 0 */
  readonly delaySeconds?: number;
}

export const TIMEOUT = 10 * SECOND;

/** The limit of SQS for sending and receiving. */
export const BATCH_SIZE = 10;

/** Failed entries are resent for about 3 s in total. After that the caller fails, and the next run sends again. */
const MAX_SENDS = 5;
const FIRST_PAUSE_MS = 200;

export async function sendMessages(queue: QueueAccess, messages: readonly QueueMessage[]): Promise<void> {
  await inParallel(inGroups(messages, BATCH_SIZE), (batch) => sendBatch(queue, batch));
}

async function sendBatch(queue: QueueAccess, messages: readonly QueueMessage[]): Promise<void> {
  const { url, sleep = realSleep } = queue;
  let unsent = messages;
  for (let tries = 0; unsent.length > 0; tries++) {
    if (tries === MAX_SENDS)
      throw new RetryLater(
        'TIDINGS_QUEUE_FAILED',
        `queue ${url}: ${unsent.length} of ${messages.length} messages not accepted`,
      );
    if (tries > 0) await sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
    unsent = await sendOnce(queue, unsent);
  }
}

/** Returns the messages that failed and may be resent. */
async function sendOnce(queue: QueueAccess, messages: readonly QueueMessage[]): Promise<readonly QueueMessage[]> {
  const { client, url } = queue;
  const Entries = messages.map(({ body, group, delaySeconds = 0 }, index) => ({
    Id: String(index),
    MessageBody: body,
    ...(group === undefined ? {} : { MessageGroupId: group }),
    DelaySeconds: delaySeconds,
  }));
  const command = new SendMessageBatchCommand({ QueueUrl: url, Entries });
  const { Failed = [] } = await callQueue(queue, 'SendMessageBatch', (signal) => client.send(command, signal));
  // KMS throttling of an encrypted queue is reported as a sender fault too, but can be retried.
  const refused = Failed.find(
    ({ SenderFault, Code = '' }) => SenderFault === true && classifyAwsError(Code, 400) === 'refused',
  );
  if (refused !== undefined) {
    const detail = [refused.Code, refused.Message].filter((part) => part !== undefined).join(': ');
    throw new GiveUp('TIDINGS_QUEUE_REFUSED', `queue ${url}: a message was refused: ${detail}`);
  }
  return Failed.flatMap(({ Id }) => messages[Number(Id)] ?? []);
}

/** Makes a request to the queue. Its errors name the queue and the operation. */
export async function callQueue<Answer>(
  { client, url, timeout = TIMEOUT }: Pick<QueueAccess, 'client' | 'url' | 'timeout'>,
  operation: string,
  send: (options: { readonly abortSignal: AbortSignal }) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await callAws(client, send, { timeout });
  } catch (error) {
    throw error instanceof AwsError ? toQueueError(url, operation, error) : error;
  }
}

/** A missing permission is retried: a new one takes a moment to propagate. */
function toQueueError(url: string, operation: string, error: AwsError): Error {
  const message = `queue ${url}: ${operation} failed: ${error.message}`;
  return error.kind === 'refused'
    ? new GiveUp('TIDINGS_QUEUE_REFUSED', message, { evidence: error.evidence })
    : new RetryLater('TIDINGS_QUEUE_FAILED', message, { evidence: error.evidence });
}
