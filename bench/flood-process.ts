/** Runs a receiver that answers every request with 1xx responses until the connection ends. */

import { type AddressInfo, createServer, type Socket } from 'node:net';

const CHUNK = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_000));

function flood(socket: Socket): void {
  while (!socket.destroyed && socket.write(CHUNK));
  socket.once('drain', () => flood(socket));
}

const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => flood(socket));
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
