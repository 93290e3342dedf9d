/** HTTP endpoints, an event bus and SES that fail in a mode that the storm sets, and record what they accept. */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random.ts';

/** `hangs`: cuts the connection after a delay. `forgets`: accepts the request and loses the response. `throttles`: 429, for an hour. */
export const MODES = ['well', 'well', 'refuses', 'cuts', 'hangs', 'forgets', 'gone', 'throttles'] as const;
export type ReceiverMode = (typeof MODES)[number];

export interface Accepted {
  /** The path without its slash; `bus` or `ses` for AWS. */
  readonly receiver: string;
  /** Id of the event. @default - none: a mail */
  readonly id?: string;
  /** The received body, without the replay mark. */
  readonly body: string;
}

/** How often a receiver behaves as its mode says; otherwise it accepts. */
const FAILURE_PROBABILITY = 0.8;

const HANG_MS = 150;

export interface ReceiverOptions {
  /**
   * Called for every accepted mail, with the path of the SES endpoint that its sender uses. Returns the message id of the
   * response. @default - every mail has the same id
   */
  readonly acceptMail?: (sender: string, body: string, isResponseLost: boolean) => string;
}

export async function startReceivers(chance: SeededRandom, { acceptMail = () => 'ses-1' }: ReceiverOptions = {}) {
  const modes = new Map<string, ReceiverMode>();
  const accepted: Accepted[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const receiver = receiverOf(request);
    const mode = chance.unit() < FAILURE_PROBABILITY ? (modes.get(receiver) ?? 'well') : 'well';
    if (mode === 'refuses' || mode === 'gone') {
      response.writeHead(mode === 'gone' ? 410 : 503).end('not now');
      return;
    }
    if (mode === 'throttles') {
      // AWS sends no Retry-After.
      const isAws = receiver === 'bus' || receiver === 'ses';
      response.writeHead(429, isAws ? {} : { 'retry-after': '3600' }).end('too many requests');
      return;
    }
    if (mode === 'hangs') await wait(HANG_MS);
    const isAccepted = mode === 'well' || mode === 'forgets';
    if (isAccepted) accepted.push(parseAccepted(receiver, body));
    const sender = receiver === 'ses' ? (request.url ?? '').split('/v2/')[0] : undefined;
    const MessageId = isAccepted && sender !== undefined ? acceptMail(sender, body, mode === 'forgets') : undefined;
    if (mode !== 'well') {
      response.destroy();
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ MessageId, FailedEntryCount: 0, Entries: [{ EventId: 'bus-1' }] }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    modes,
    accepted: accepted as readonly Accepted[],
    stop: () =>
      new Promise<void>((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

function receiverOf({ url = '', headers }: IncomingMessage): string {
  if (headers['x-amz-target'] !== undefined) return 'bus';
  return url.includes('/v2/') ? 'ses' : url.slice(1);
}

function parseAccepted(receiver: string, body: string): Accepted {
  if (receiver === 'ses') return { receiver, body };
  const event = JSON.parse(receiver === 'bus' ? JSON.parse(body).Entries[0].Detail : body);
  return { receiver, id: String(event.id), body: JSON.stringify({ ...event, replay: undefined }) };
}
