/**
 * Makes one call to AWS fail, of all calls that the functions make: to tables, queue, mail, bus and secrets. Counts the
 * calls; the run checks what follows.
 */

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';

/**
 * `before`: the call fails without effect. `after`: it takes effect, but the response is lost. `throttled`: AWS throttles
 * it once, and the SDK retries where it may.
 */
export const AWS_FAULTS = ['before', 'after', 'throttled'] as const;
export type AwsFaultKind = (typeof AWS_FAULTS)[number];

export interface OneFault {
  readonly kind: AwsFaultKind;
  /** Number of the call, from 0. */
  readonly call: number;
}

interface FaultyClients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
}

/** Decides the fault of the call of this name that starts now. */
export type NextFault = (name: string) => AwsFaultKind | undefined;

export interface OneFailing {
  /** Names of the calls so far: `PutItemCommand`, `AmazonSSM.GetParameter`. */
  readonly calls: readonly string[];
  /** For fake servers. */
  readonly next: NextFault;
  watch(clients: FaultyClients): void;
}

export function failOneCall(fault: OneFault | undefined): OneFailing {
  const calls: string[] = [];
  const next: NextFault = (name) => (calls.push(name) - 1 === fault?.call ? fault.kind : undefined);
  return {
    calls,
    next,
    watch: ({ dynamodb, sqs }) => {
      watch(dynamodb, next);
      watch(sqs, next);
    },
  };
}

function watch(client: DynamoDBClient | SQSClient, next: NextFault): void {
  let throttles = 0;
  // The outermost middleware, so that an effect is recorded on the stream whatever the caller receives.
  (client as DynamoDBClient).middlewareStack.add(
    (send, { commandName = '' }) =>
      async (args) => {
        const kind = next(commandName);
        if (kind === 'before') throw lost();
        if (kind === 'throttled') throttles += 1;
        const result = await send(args);
        if (kind === 'after') throw lost();
        return result;
      },
    { step: 'initialize', priority: 'high' },
  );
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (request, options) => {
    if (throttles === 0) return handle(request, options);
    throttles -= 1;
    return { response: { ...THROTTLED, body: Readable.from([THROTTLED.body]), reason: 'Bad Request' } };
  };
}

function lost(): Error {
  return Object.assign(new Error('made up by a test'), { name: 'TimeoutError', $metadata: {} });
}

/** Responds with a fault on a fake server. `after`: call it once the effect is recorded. */
export function respondWithFault(response: ServerResponse, kind: AwsFaultKind): void {
  if (kind === 'throttled') response.writeHead(THROTTLED.statusCode, THROTTLED.headers).end(THROTTLED.body);
  else response.destroy();
}

const THROTTLED = {
  statusCode: 400,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'ThrottlingException' },
  body: JSON.stringify({ __type: 'ThrottlingException', message: 'slow down' }),
};
