/** Listens on a port, or on the next free one. */

import type { RequestListener } from 'node:http';
import { UsageError } from '../core/model/errors.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import { createGuardedServer } from './guarded-server.ts';

export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** How many consecutive ports are tried. */
const MAX_PORTS = 20;

/** Calls `open` with this port, then with the next ones while it fails with EADDRINUSE. */
export async function onFreePort<T>(
  port: number,
  terminal: Pick<Terminal, 'err'>,
  open: (port: number) => Promise<T>,
): Promise<T> {
  for (let candidate = port; candidate < port + MAX_PORTS && candidate <= 65_535; candidate++) {
    try {
      const opened = await open(candidate);
      if (candidate !== port) terminal.err(`port ${port} is in use, using ${candidate}`);
      return opened;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
  throw new UsageError(
    'TIDINGS_PORT_TAKEN',
    `no free port from ${port} to ${port + MAX_PORTS - 1}; choose another with --port`,
  );
}

/** On the loopback address by default, because the served pages require no login. */
const LOOPBACK = '127.0.0.1';

export function listenOn(listener: RequestListener, port: number, host?: string): Promise<Listening> {
  return openPort(listener, port, host).catch((error: NodeJS.ErrnoException) => {
    throw describeListenError(error, host);
  });
}

/** Fails with the error of the system. */
export function openPort(listener: RequestListener, port: number, host = LOOPBACK): Promise<Listening> {
  const server = createGuardedServer(listener);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve({
        url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
        port: bound,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

export function describeListenError(error: NodeJS.ErrnoException, host = LOOPBACK): Error {
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN')
    return new UsageError('TIDINGS_HOST_UNAVAILABLE', `--host: expected an address of this machine, got '${host}'`);
  if (error.code === 'EACCES')
    return new UsageError(
      'TIDINGS_PORT_FORBIDDEN',
      `not allowed to listen on this port: choose one from 1024 on with --port`,
    );
  return error;
}
