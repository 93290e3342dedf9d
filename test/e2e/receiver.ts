/** A receiver for tests: verifies with the npm package standardwebhooks, records events, and responds with a given status. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { TidingsEvent } from '../../core/model/event.ts';
import { problemsOf } from '../core/events/event-schemas.ts';

export interface Receiver {
  readonly url: string;
  /** Verified events in the order received, including duplicates. */
  readonly events: TidingsEvent[];
  /** Invalid signatures, and events that do not match the schema of their type. */
  readonly refused: string[];
  /** Requests without a response yet. */
  inHand: number;
  /** Status of the next responses. @default 204 */
  status: number;
  /** Header `Retry-After` of the next responses, in seconds. @default - none */
  retryAfter?: number;
  /** Milliseconds before each response. @default 0 */
  delay: number;
  countConnections(): Promise<number>;
  close(): Promise<void>;
}

/** @param port - 0 selects a free port */
export async function startReceiver(secret: string, port = 0): Promise<Receiver> {
  const webhook = new Webhook(secret);
  const server: Server = createServer(async (request, response) => {
    const body = await text(request);
    receiver.inHand += 1;
    response.on('close', () => {
      receiver.inHand -= 1;
    });
    try {
      const event = webhook.verify(body, request.headers as Record<string, string>) as TidingsEvent;
      if (event.type !== 'tidings.ping') receiver.refused.push(...problemsOf(event));
      if (receiver.delay > 0) await new Promise((later) => setTimeout(later, receiver.delay));
      if (receiver.status < 300) receiver.events.push(event);
      const { retryAfter } = receiver;
      response.writeHead(receiver.status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end();
    } catch (error) {
      receiver.refused.push(String(error));
      response.writeHead(401).end();
    }
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events: [],
    refused: [],
    inHand: 0,
    status: 204,
    delay: 0,
    countConnections: promisify(server.getConnections.bind(server)),
    close: () =>
      new Promise((closed, failed) => {
        // Every event of every test must match its schema.
        if (receiver.refused.some((problem) => !problem.startsWith('WebhookVerificationError')))
          failed(new Error(receiver.refused.join('\n')));
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
