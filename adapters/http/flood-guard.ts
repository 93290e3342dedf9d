/**
 * Ends connections on which a server sends bytes but no response: endless blank lines, chunk extensions or HTTP/2 frames.
 * Parsing them at full speed until the timeout would starve all other connections, and no handler of a request sees them.
 */

import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { RetryLater } from '../../core/model/errors.ts';

/** More than the headers and the body that are read of one response. */
const MAX_BYTES_WITHOUT_PROGRESS = 256 * 1024;

const CHECK_EVERY_MS = 50;

/** 1xx responses before the final one. One or two are usual, such as 102 Processing every few seconds. */
export const MAX_INFORMATIONAL_RESPONSES = 50;

export interface FloodGuard {
  /** For the option `connect` of an undici dispatcher. */
  readonly connect: buildConnector.connector;
  /** A response of this origin started, continued or ended. */
  progress(origin: string): void;
}

export function floodError(host: string, reason: string): RetryLater {
  return new RetryLater('TIDINGS_HTTP_FLOOD', `${host} sent ${reason} instead of a response`);
}

interface Connection {
  readonly socket: Socket;
  readonly origin: string;
  readonly host: string;
  /** Bytes received and progress made when progress was last seen. */
  bytes: number;
  progress: number;
}

export function createFloodGuard(connector: buildConnector.connector): FloodGuard {
  const connections = new Set<Connection>();
  const progressOf = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  const check = () => {
    for (const connection of connections) {
      const { socket, origin, host } = connection;
      const progress = progressOf.get(origin) ?? 0;
      if (progress !== connection.progress) {
        connection.progress = progress;
        connection.bytes = socket.bytesRead;
      } else if (socket.bytesRead - connection.bytes > MAX_BYTES_WITHOUT_PROGRESS) {
        socket.destroy(floodError(host, `more than ${MAX_BYTES_WITHOUT_PROGRESS / 1024} KB`));
      }
    }
  };

  const watch = (socket: Socket, origin: string, host: string) => {
    const connection = { socket, origin, host, bytes: socket.bytesRead, progress: progressOf.get(origin) ?? 0 };
    connections.add(connection);
    timer ??= setInterval(check, CHECK_EVERY_MS).unref();
    socket.once('close', () => {
      connections.delete(connection);
      if (connections.size > 0) return;
      clearInterval(timer);
      timer = undefined;
      progressOf.clear();
    });
  };

  return {
    connect: (options, callback) =>
      connector(options, (...args) => {
        const { protocol, host = options.hostname } = options;
        if (args[0] === null) watch(args[1], `${protocol}//${host}`, host);
        callback(...args);
      }),
    progress: (origin) => {
      progressOf.set(origin, (progressOf.get(origin) ?? 0) + 1);
    },
  };
}
