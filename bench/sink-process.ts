/**
 * Runs two receivers: one that accepts every request, and one on another port that never responds.
 * `GET /arrivals` of the first returns the webhook ids that arrived since the previous call, with their times.
 */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

let arrivals: [id: string, at: number][] = [];

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
  request.resume();
  request.on('end', () => {
    // Both processes read the same steady clock of the machine: their times can be compared.
    arrivals.push([String(request.headers['webhook-id']), Number(process.hrtime.bigint()) / 1e6]);
    response.writeHead(204).end();
  });
});
const hangingUrl = await listen((request) => request.resume());
process.stdout.write(`${JSON.stringify({ url, hangingUrl })}\n`);
