/**
 * Lets one call to AWS go wrong, of all that the functions make: to tables, queue, mail and secrets alike. Counts them;
 * what is right afterwards is for the run to say.
 */

import { Readable } from 'node:stream';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';

/**
 * `before`: it fails and nothing was done; `after`: it was done, and the answer never came; both as they are when the SDK
 * has given up. `throttled`: AWS asks for patience, once, and the SDK shows it where it may.
 */
export const AWS_FAULTS = ['before', 'after', 'throttled'] as const;
export type AwsFaultKind = (typeof AWS_FAULTS)[number];

export interface OneFault {
  readonly kind: AwsFaultKind;
  /** Number of the call, from 0. */
  readonly call: number;
}

export interface FaultyClients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
}

/** What is to happen to the call of this name that begins now. */
export type NextFault = (name: string) => AwsFaultKind | undefined;

export interface OneFailing {
  /** The names of the calls so far, which grow: `PutItemCommand`, `AmazonSSM.GetParameter`. */
  readonly calls: readonly string[];
  /** For a service that is asked without these clients. */
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
  // Outside of everything, so that what took effect is on the stream whatever the caller gets to hear.
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
    // Secrets and buses are asked without the SDK's clients, over the connections of this one.
    const target = request.headers['x-amz-target'] ?? '';
    const kind = /^(AmazonSSM|secretsmanager|AWSEvents)\./.test(target) ? next(target) : undefined;
    if (kind === 'before') throw lost();
    if (kind === 'throttled' || throttles > 0) {
      throttles = Math.max(0, throttles - 1);
      return { response: { ...THROTTLED, body: Readable.from([THROTTLED.body]), reason: 'Bad Request' } };
    }
    const answer = await handle(request, options);
    if (kind === 'after') throw lost();
    return answer;
  };
}

function lost(): Error {
  return Object.assign(new Error('made up by a test'), { name: 'TimeoutError', $metadata: {} });
}

/** What AWS answers then. */
export const THROTTLED = {
  statusCode: 400,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'ThrottlingException' },
  body: JSON.stringify({ __type: 'ThrottlingException', message: 'slow down' }),
};
