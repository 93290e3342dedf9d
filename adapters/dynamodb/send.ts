/** Sends requests to one table: their deadline, their units, their errors, and the repetition of what a batch left unprocessed. */

import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { errorMessage, RetryLater } from '../../core/model/errors.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import { withinLimit } from '../aws/in-flight.ts';
import { type CountedResponse, countUnits } from './unit-meter.ts';

export interface TableOptions {
  /** Must be created with `DYNAMODB_CLIENT`. */
  readonly client: DynamoDBClient;
  /** Name or ARN of the table. */
  readonly table: string;
  /** For one request, including the SDK's retries, from when it is sent. @default 15 s */
  readonly timeout?: Duration;
  /** Waits before unprocessed items of a batch are sent again. @default - real time */
  readonly sleep?: (millis: number) => Promise<void>;
}

export type TableContext = Required<TableOptions>;

/** `unsure`: the condition failed, but possibly because an earlier try succeeded and its response was lost. */
export type WriteOutcome = 'written' | 'refused' | 'unsure';

/** Unprocessed items were throttled, or a response is full. The request fails if none is processed for about 13 s. */
const MAX_BATCH_TRIES = 8;
const FIRST_BATCH_WAIT_MS = 50;

/** Sends until no item is unprocessed. `send` returns those that are. */
export async function sendBatch<T>(
  context: TableContext,
  operation: string,
  all: readonly T[],
  send: (part: readonly T[]) => Promise<readonly T[]>,
): Promise<void> {
  let remaining = all;
  for (let tries = 0; remaining.length > 0; tries++) {
    if (tries === MAX_BATCH_TRIES) {
      throw storeError(context, operation, new Error(`${remaining.length} of ${all.length} items were not processed`));
    }
    if (tries > 0) await context.sleep(FIRST_BATCH_WAIT_MS * 2 ** tries);
    const unprocessed = await send(remaining);
    if (unprocessed.length < remaining.length) tries = 0;
    remaining = unprocessed;
  }
}

type Send<T> = (options: { readonly abortSignal: AbortSignal }) => Promise<T>;

/** @param send its command has `COUNTED` */
export function request<T extends CountedResponse>(
  context: TableContext,
  operation: string,
  send: Send<T>,
): Promise<T> {
  return countUnits(operation, async () => {
    try {
      return await withTimeout(context, send);
    } catch (error) {
      // Its caller knows what it means.
      throw error instanceof ConditionalCheckFailedException ? error : storeError(context, operation, error);
    }
  });
}

export async function write(
  context: TableContext,
  operation: string,
  send: Send<CountedResponse>,
): Promise<WriteOutcome> {
  try {
    await request(context, operation, send);
    return 'written';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return (error.$metadata.attempts ?? 1) > 1 ? 'unsure' : 'refused';
  }
}

/** The timeout starts when the request is sent: until then it may wait for others of the same client. */
function withTimeout<T>({ client, timeout }: TableContext, send: Send<T>): Promise<T> {
  return withinLimit(client, () => sendBefore(timeout, send));
}

async function sendBefore<T>(timeout: Duration, send: Send<T>): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeout);
  try {
    return await send({ abortSignal: deadline.signal });
  } catch (error) {
    throw deadline.signal.aborted ? new Error(`no response within ${timeout / SECOND} s`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

function storeError({ table }: TableContext, operation: string, cause: unknown): RetryLater {
  const reason = `${nameOf(cause)}${errorMessage(cause)}`;
  return new RetryLater('TIDINGS_STORE_FAILED', `table '${table}': ${operation} failed: ${reason}`, { cause });
}

const nameOf = (error: unknown) => (error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '');
