/** Receivers for the truth run `soak`, all on one port: some answers are 500, some never come, some sockets are cut. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Dice, dice } from './dice.ts';

export interface SoakSink {
  readonly url: string;
  /** Ids of the events that were taken, by endpoint, each with how often. */
  readonly taken: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly answers: Readonly<Record<'taken' | 'refused' | 'hung' | 'cut', number>>;
  close(): Promise<void>;
}

export async function openSoakSink(seed: number): Promise<SoakSink> {
  const chance: Dice = dice(seed);
  const taken = new Map<string, Map<string, number>>();
  const answers = { taken: 0, refused: 0, hung: 0, cut: 0 };
  const server = createServer(async (request, response) => {
    const endpoint = (request.url ?? '').slice(1);
    const id = String(request.headers['webhook-id']);
    await text(request);
    const drawn = chance.unit();
    if (drawn < 0.2) {
      answers.refused += 1;
      response.writeHead(500).end('no');
    } else if (drawn < 0.25) {
      answers.hung += 1;
    } else if (drawn < 0.3) {
      answers.cut += 1;
      request.socket.destroy();
    } else {
      answers.taken += 1;
      const own = taken.get(endpoint) ?? new Map<string, number>();
      taken.set(endpoint, own.set(id, (own.get(id) ?? 0) + 1));
      response.writeHead(204).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    answers,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
