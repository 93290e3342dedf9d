/** Endpoints, a bus and SES that come and go as a storm has it, and remember what they took. Judges nothing. */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random.ts';

/** `hangs`: cut after a while; `forgets`: it took what it got, and its answer never came. Each most of the time, not always. */
export const MODES = ['well', 'well', 'refuses', 'cuts', 'hangs', 'forgets', 'gone'] as const;
export type ReceiverMode = (typeof MODES)[number];

export interface Accepted {
  /** The last word of its path; `bus` and `ses` as AWS has them. */
  readonly receiver: string;
  /** Of the event; none in a mail. */
  readonly id?: string;
  /** As it came, but for what marks a replay. */
  readonly body: string;
}

const FAILURE_PROBABILITY = 0.8;

/** Milliseconds. */
const HANG_MS = 150;

export async function startReceivers(chance: SeededRandom) {
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
    if (mode === 'hangs') await wait(HANG_MS);
    if (mode === 'well' || mode === 'forgets') accepted.push(parseAccepted(receiver, body));
    if (mode !== 'well') {
      response.destroy();
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ MessageId: 'ses-1', FailedEntryCount: 0, Entries: [{ EventId: 'bus-1' }] }));
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
  return url.startsWith('/v2/') ? 'ses' : url.slice(1);
}

function parseAccepted(receiver: string, body: string): Accepted {
  if (receiver === 'ses') return { receiver, body };
  const event = JSON.parse(receiver === 'bus' ? JSON.parse(body).Entries[0].Detail : body);
  return { receiver, id: String(event.id), body: JSON.stringify({ ...event, replay: undefined }) };
}
