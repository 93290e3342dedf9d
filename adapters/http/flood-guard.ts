/**
 * Opens connections, and ends those on which a server sends far more bytes than its responses need: endless blank lines, chunk
 * extensions, or TLS records without data. Reading them at full speed until the timeout would starve all other
 * connections, and no handler of a request sees them.
 */

import type { LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { floodError } from './flood-error.ts';
import { createTlsConnector } from './tls-connector.ts';

/** For the headers of a response, and for what a connection sends of its own. */
const ALLOWED_BYTES = 256 * 1024;

/** A chunk with one byte takes six, a TLS record around it up to thirty more. */
const ALLOWED_PER_BODY_BYTE = 40;

/** What many responses did not use is no credit for a flood. */
const MAX_BALANCE = 4 * ALLOWED_BYTES;

/** For TLS, whose bytes no event of the socket announces. */
const CHECK_EVERY_MS = 20;

/** The connection that sent the most in this time is ended. */
const RECENT_MS = 20;

/** 1xx responses before the final one. One or two are usual, such as 102 Processing every few seconds. */
export const MAX_INFORMATIONAL_RESPONSES = 50;

/** Of all of them together. A hundred connections that send thousands at the same moment would stop the loop for seconds. */
export const MAX_INFORMATIONAL_HEADERS = 500;

interface FloodGuardOptions {
  /** Milliseconds to open a connection. */
  readonly timeout: number;
  readonly lookup: LookupFunction;
  /** PEM certificates to trust instead of Node's own. */
  readonly ca?: string | undefined;
}

export interface FloodGuard {
  /**
   * For the option `connect` of an undici dispatcher.
   * @param owner of the requests, whose TLS handshakes are limited. @default - no limit
   */
  connectFor(owner?: string): buildConnector.connector;
  /** A response of this origin to a request of this owner started, or this many bytes of its body arrived. */
  progress(owner: string | undefined, origin: string, bodyBytes?: number): void;
}

/** What the receiver of one owner sends uses up nothing of another's, whose receiver may be on the same server. */
const nameOf = (owner: string | undefined, origin: string) => `${owner ?? ''} ${origin}`;

/**
 * All connections of an owner to an origin share a balance, because a response does not say which of them it came on. Only responses
 * add to it, so that a connection with a slow response does not excuse a flood on another.
 */
interface Origin {
  readonly host: string;
  readonly connections: Set<Connection>;
  /** Bytes that may still arrive. */
  balance: number;
  /** When the recent bytes of its connections were last set to 0. */
  recentSince: number;
}

interface Connection {
  readonly socket: Socket;
  /** What arrives on the network: of TLS, the socket below it, because the other one counts only data. */
  readonly raw: Socket;
  /** Bytes that were taken off the balance: all, and those of a moment. */
  counted: number;
  recent: number;
}

export function createFloodGuard(options: FloodGuardOptions): FloodGuard {
  const openTcp = buildConnector({ ...options, allowH2: false });
  const connectTls = createTlsConnector(options);
  const origins = new Map<string, Origin>();
  let timer: NodeJS.Timeout | undefined;

  const count = (origin: Origin, connection: Connection) => {
    const { bytesRead } = connection.raw;
    const received = bytesRead - connection.counted;
    const now = performance.now();
    if (now - origin.recentSince > RECENT_MS) {
      origin.recentSince = now;
      for (const one of origin.connections) one.recent = 0;
    }
    connection.counted = bytesRead;
    connection.recent += received;
    origin.balance -= received;
    if (origin.balance >= 0) return;
    origin.balance = 0;
    const [loudest = connection] = [...origin.connections].sort((a, b) => b.recent - a.recent);
    loudest.socket.destroy(floodError(origin.host, `more than ${ALLOWED_BYTES / 1024} KB`));
  };

  const check = () => {
    for (const origin of origins.values()) {
      for (const connection of origin.connections) count(origin, connection);
    }
  };

  const add = (origin: Origin, bytes: number) => {
    origin.balance = Math.min(MAX_BALANCE, origin.balance + bytes);
  };

  const watch = (socket: Socket, raw: Socket, name: string, host: string) => {
    const origin = origins.get(name) ?? { host, connections: new Set(), balance: 0, recentSince: 0 };
    origins.set(name, origin);
    const connection = { socket, raw, counted: raw.bytesRead, recent: 0 };
    origin.connections.add(connection);
    add(origin, ALLOWED_BYTES);
    if (socket !== raw) timer ??= setInterval(check, CHECK_EVERY_MS).unref();
    // Before undici parses what has arrived.
    socket.on('readable', () => count(origin, connection));
    socket.once('close', () => {
      origin.connections.delete(connection);
      if (origin.connections.size === 0) origins.delete(name);
      if (origins.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  };

  return {
    connectFor: (owner) => (to, callback) => {
      const { protocol, host = to.hostname } = to;
      const isTls = protocol === 'https:';
      const tcp = isTls ? { ...to, protocol: 'http:', port: to.port || '443', servername: undefined } : to;
      openTcp(tcp, (...opened) => {
        const [error, raw] = opened;
        if (error !== null || raw === null) return callback(...opened);
        const watched: buildConnector.Callback = (...args) => {
          if (args[0] === null) watch(args[1], raw, nameOf(owner, `${protocol}//${host}`), host);
          callback(...args);
        };
        if (isTls) connectTls(owner, to, raw, watched);
        else watched(null, raw);
      });
    },
    progress: (owner, name, bodyBytes) => {
      const origin = origins.get(nameOf(owner, name));
      if (origin !== undefined)
        add(origin, bodyBytes === undefined ? ALLOWED_BYTES : bodyBytes * ALLOWED_PER_BODY_BYTE);
    },
  };
}
