/** Runs loads inside a measured process on request. The other side is `startLoadProcess`. */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Answers of the process by method and path. */
export type LoadRoutes = Readonly<Record<string, (body: unknown) => Promise<unknown>>>;

/** Listens on a free port and prints its address as JSON. */
export async function serveLoads(routes: LoadRoutes): Promise<void> {
  const answer = async (request: IncomingMessage) => {
    const route = routes[`${request.method} ${request.url}`];
    if (route === undefined) throw new Error(`no route ${request.method} ${request.url}`);
    return route(request.method === 'POST' ? await json(request) : undefined);
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
}
