/** An endpoint, a bus and SES that come and go as a storm has it, and remember what they took. Judges nothing. */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Dice } from '../truth/dice.ts';

/** `forgets`: it took what it got, and its answer never came. Each most of the time, not always. */
export const MOODS = ['well', 'well', 'refuses', 'cuts', 'forgets'] as const;
export type Mood = (typeof MOODS)[number];

export const PLACES = ['ops', 'watch', 'bus', 'ses'] as const;
export type Place = (typeof PLACES)[number];

export interface Taken {
  readonly place: Place;
  /** Of the event; none in a mail. */
  readonly id?: string;
  /** As it came, but for what marks a replay. */
  readonly body: string;
}

const USUALLY = 0.8;

export async function startReceivers(chance: Dice) {
  const moods = new Map<Place, Mood>();
  const taken: Taken[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const place = placeOf(request);
    const mood = chance.unit() < USUALLY ? (moods.get(place) ?? 'well') : 'well';
    if (mood === 'refuses') {
      response.writeHead(503).end('not now');
      return;
    }
    if (mood !== 'cuts') taken.push(takenAt(place, body));
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

function placeOf({ url = '', headers }: IncomingMessage): Place {
  if (headers['x-amz-target'] !== undefined) return 'bus';
  return url === '/ops' ? 'ops' : url === '/watch' ? 'watch' : 'ses';
}

function takenAt(place: Place, body: string): Taken {
  if (place === 'ses') return { place, body };
  const event = JSON.parse(place === 'bus' ? JSON.parse(body).Entries[0].Detail : body);
  return { place, id: String(event.id), body: JSON.stringify({ ...event, replay: undefined }) };
}
