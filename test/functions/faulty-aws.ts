/**
 * Lets one call to AWS go wrong, of all that the functions make: to tables, queue, mail and secrets alike. Counts them;
 * what is right afterwards is for the run to say.
 */

import { Readable } from 'node:stream';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
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
  readonly ses: SESv2Client;
}

/** Returns the names of the calls so far, which grow: `PutItemCommand`, `AmazonSSM.GetParameter`. */
export function failOneCall(clients: FaultyClients, fault: OneFault | undefined): readonly string[] {
  const calls: string[] = [];
  /** What is to happen to the call that begins now. */
  const next = (name: string): AwsFaultKind | undefined =>
    calls.push(name) - 1 === fault?.call ? fault.kind : undefined;
  for (const client of [clients.dynamodb, clients.sqs, clients.ses]) watch(client, next);
  return calls;
}

type Next = (name: string) => AwsFaultKind | undefined;

function watch(client: DynamoDBClient | SQSClient | SESv2Client, next: Next): void {
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
    // Secrets are asked for without the SDK's clients, over the connections of this one.
    const target = request.headers['x-amz-target'] ?? '';
    const kind = /^(AmazonSSM|secretsmanager)\./.test(target) ? next(target) : undefined;
    if (kind === 'before') throw lost();
    if (kind === 'throttled' || throttles > 0) {
      throttles = Math.max(0, throttles - 1);
      return { response: refusal() };
    }
    const answer = await handle(request, options);
    if (kind === 'after') throw lost();
    return answer;
  };
}

function lost(): Error {
  return Object.assign(new Error('made up by a test'), { name: 'TimeoutError', $metadata: {} });
}

function refusal() {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': 'ThrottlingException' };
  const body = Readable.from([JSON.stringify({ __type: 'ThrottlingException', message: 'slow down' })]);
  return { statusCode: 400, headers, body, reason: 'Bad Request' };
}
