/**
 * Runs two receivers: one that accepts every request, and one on another port that never responds.
 * `GET /arrivals` of the first returns what arrived since the previous call.
 */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Arrival } from './sink.ts';

/** The headers in which services send the id of a message: Standard Webhooks, and the defaults of Svix and Outpost. */
const ID_HEADERS = ['webhook-id', 'svix-id', 'x-outpost-event-id'];

let arrivals: Arrival[] = [];

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  // Between two rounds a connection may lie idle for longer than Node's own 5 s.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const url = await listen((request, response) => {
  if (request.url === '/arrivals') {
    response.end(JSON.stringify(arrivals));
    arrivals = [];
    return;
  }
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on('end', () => {
    const header = ID_HEADERS.find((name) => request.headers[name] !== undefined) ?? '';
    // Both processes read the same steady clock of the machine: their times can be compared.
    const at = Number(process.hrtime.bigint()) / 1e6;
    arrivals.push([String(request.headers[header]), at, request.url ?? '', bytes]);
    response.writeHead(204).end();
  });
});
const hangingUrl = await listen((request) => request.resume());
process.stdout.write(`${JSON.stringify({ url, hangingUrl })}\n`);
