/** A receiver that accepts everything. It checks no signature, because the clock of a test may run ahead of it. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface OpenReceiver {
  readonly url: string;
  /** `webhook-id` of each request, in order. */
  readonly ids: string[];
  close(): Promise<unknown>;
}

export async function startOpenReceiver(): Promise<OpenReceiver> {
  const ids: string[] = [];
  const server = createServer(async (request, response) => {
    await text(request);
    ids.push(String(request.headers['webhook-id']));
    response.writeHead(204).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((closed) => server.close(closed));
  return { url: `http://127.0.0.1:${port}/hook`, ids, close };
}
