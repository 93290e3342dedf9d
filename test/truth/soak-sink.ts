/** Receivers for the truth run `soak`, all on one port. Some responses are 500, some never come, some connections are cut. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

export interface SoakSink {
  readonly url: string;
  /** Accepted event ids by endpoint, each with its count. */
  readonly accepted: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly responses: Readonly<Record<'accepted' | 'refused' | 'hung' | 'cut', number>>;
  close(): Promise<void>;
}

export async function openSoakSink(seed: number): Promise<SoakSink> {
  const chance: SeededRandom = seededRandom(seed);
  const accepted = new Map<string, Map<string, number>>();
  const responses = { accepted: 0, refused: 0, hung: 0, cut: 0 };
  const server = createServer(async (request, response) => {
    const endpoint = (request.url ?? '').slice(1);
    const id = String(request.headers['webhook-id']);
    await text(request);
    const drawn = chance.unit();
    if (drawn < 0.2) {
      responses.refused += 1;
      response.writeHead(500).end('no');
    } else if (drawn < 0.25) {
      responses.hung += 1;
    } else if (drawn < 0.3) {
      responses.cut += 1;
      request.socket.destroy();
    } else {
      responses.accepted += 1;
      const own = accepted.get(endpoint) ?? new Map<string, number>();
      accepted.set(endpoint, own.set(id, (own.get(id) ?? 0) + 1));
      response.writeHead(204).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    responses,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
