/** Serves an app on a port, or on the next free one. */

import type { IncomingMessage, RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { UsageError } from '../core/model/errors.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import { createGuardedServer } from './guarded-server.ts';

export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Reports errors without the path, which may contain an unsubscribe token. */
export function respondToErrors(app: Hono, report: (error: unknown) => void): void {
  app.onError((error, context) => {
    // A caller who hangs up while it sends its request is no fault of ours, and could fill the log.
    if (context.req.raw.signal.aborted) return context.text('', 400);
    report(error);
    return context.text('Something went wrong. Please try again in a moment.\n', 500);
  });
}

/** How many consecutive ports are tried. */
const MAX_PORTS = 20;

export function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  port: number,
  terminal: Pick<Terminal, 'err'>,
  host?: string,
): Promise<Listening> {
  const answer = getRequestListener(fetch);
  const listener: RequestListener = (request, response) =>
    hasUserName(request) ? response.writeHead(400).end() : answer(request, response);
  return onFreePort(port, terminal, (candidate) => listenOn(listener, candidate, host));
}

/**
 * Whether the target is an address with a user name, `GET http://user@host/`. No `Request` can be made of it: the error would be
 * logged with the address, and anyone could fill the log.
 */
function hasUserName({ url = '/' }: IncomingMessage): boolean {
  if (url.startsWith('/')) return false;
  const { username = '', password = '' } = URL.parse(url) ?? {};
  return username !== '' || password !== '';
}

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
export function listenOn(listener: RequestListener, port: number, host = '127.0.0.1'): Promise<Listening> {
  const server = createGuardedServer(listener);
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(describeListenError(error, host)));
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

function describeListenError(error: NodeJS.ErrnoException, host: string): Error {
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN')
    return new UsageError('TIDINGS_HOST_UNAVAILABLE', `--host: expected an address of this machine, got '${host}'`);
  if (error.code === 'EACCES')
    return new UsageError(
      'TIDINGS_PORT_FORBIDDEN',
      `not allowed to listen on this port: choose one from 1024 on with --port`,
    );
  return error;
}
