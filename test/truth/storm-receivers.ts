/** Endpoints, a bus and SES that come and go as a storm has it, and remember what they took. Judges nothing. */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dice } from './dice.ts';

/** `hangs`: cut after a while; `forgets`: it took what it got, and its answer never came. Each most of the time, not always. */
export const MOODS = ['well', 'well', 'refuses', 'cuts', 'hangs', 'forgets', 'gone'] as const;
export type Mood = (typeof MOODS)[number];

export interface Taken {
  /** The last word of its path; `bus` and `ses` as AWS has them. */
  readonly place: string;
  /** Of the event; none in a mail. */
  readonly id?: string;
  /** As it came, but for what marks a replay. */
  readonly body: string;
}

const USUALLY = 0.8;

/** Milliseconds. */
const HANGS = 150;

export async function startReceivers(chance: Dice) {
  const moods = new Map<string, Mood>();
  const taken: Taken[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const place = placeOf(request);
    const mood = chance.unit() < USUALLY ? (moods.get(place) ?? 'well') : 'well';
    if (mood === 'refuses' || mood === 'gone') {
      response.writeHead(mood === 'gone' ? 410 : 503).end('not now');
      return;
    }
    if (mood === 'hangs') await wait(HANGS);
    if (mood === 'well' || mood === 'forgets') taken.push(takenAt(place, body));
    if (mood !== 'well') {
      response.destroy();
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ MessageId: 'ses-1', FailedEntryCount: 0, Entries: [{ EventId: 'bus-1' }] }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    moods,
    taken: taken as readonly Taken[],
    stop: () =>
      new Promise<void>((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

function placeOf({ url = '', headers }: IncomingMessage): string {
  if (headers['x-amz-target'] !== undefined) return 'bus';
  return url.startsWith('/v2/') ? 'ses' : url.slice(1);
}

function takenAt(place: string, body: string): Taken {
  if (place === 'ses') return { place, body };
  const event = JSON.parse(place === 'bus' ? JSON.parse(body).Entries[0].Detail : body);
  return { place, id: String(event.id), body: JSON.stringify({ ...event, replay: undefined }) };
}
