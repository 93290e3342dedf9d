/**
 * The process of a receiver that takes what it is sent: `/hang/…` never answers, all else answers 204 at once.
 * `GET /arrivals` tells which webhook ids came since the last time it was asked, and when.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let arrivals: [id: string, at: number][] = [];

const server = createServer((request, response) => {
  if (request.url === '/arrivals') {
    response.end(JSON.stringify(arrivals));
    arrivals = [];
    return;
  }
  request.resume();
  request.on('end', () => {
    // Both processes read the same steady clock of the machine: their times can be compared.
    arrivals.push([String(request.headers['webhook-id']), Number(process.hrtime.bigint()) / 1e6]);
    if (request.url?.startsWith('/hang/') !== true) response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
