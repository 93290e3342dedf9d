/** A server in front of another one that counts the connections which are open. */

import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

export interface LiveConnections {
  readonly url: string;
  /** All that were opened so far. */
  readonly opened: number;
  readonly live: number;
  stop(): Promise<void>;
}

/** @param target `http://127.0.0.1:1234` */
export async function startLiveConnections(target: string): Promise<LiveConnections> {
  const { hostname, port } = new URL(target);
  const live = new Set<Socket>();
  let opened = 0;
  const server = createServer((socket) => {
    opened += 1;
    live.add(socket);
    const upstream = createConnection(Number(port), hostname);
    socket.pipe(upstream).pipe(socket);
    const end = () => {
      live.delete(socket);
      socket.destroy();
      upstream.destroy();
    };
    for (const one of [socket, upstream]) one.on('close', end).on('error', end);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get opened() {
      return opened;
    },
    get live() {
      return live.size;
    },
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        for (const socket of live) socket.destroy();
      }),
  };
}
