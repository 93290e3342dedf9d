/**
 * Limits what connections to an HTTP server may hold, so that callers without a key can neither fill its memory nor keep others
 * out. What a single request may cost is decided by the apps.
 */

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '../core/model/time.ts';

/** A proxy has a few dozen. */
const MAX_CONNECTIONS = 512;

/** Requests of a connection whose responses are not sent yet. Proxies and clients wait for each response. */
const MAX_PIPELINED = 4;

/** Bytes of responses that their callers have not read yet, over all connections. A page of a list has up to 2.5 MB. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const UNSENT_CHECK_MS = 100;

/** After a response to a request whose body is not wanted: long enough for the caller to read the response. */
const MAX_UNREAD_MS = 2 * SECOND;

/** A request has to arrive in this time. */
const ARRIVAL_LIMITS = {
  headersTimeout: 10 * SECOND,
  requestTimeout: 30 * SECOND,
  connectionsCheckingInterval: 5 * SECOND,
} as const;

/** Without any byte read or sent. The test of a subscription takes 10 s. */
const MAX_IDLE_MS = 60 * SECOND;

/**
 * Node and Hono read the rest of a request to throw it away, up to 64 MB: callers with large bodies would take the time of all
 * others. Not closed at once, or the caller could not read the response.
 */
function stopReading(socket: Socket): void {
  socket.pause();
  socket.resume = () => socket;
}

/** Bytes of a body that are read although nobody wants them: the caller may use the connection for its next request. */
const SMALL_BODY = 64 * 1024;

/** Slack, proxies and clients say how long a body is. */
function isSmall({ headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length']);
  return headers['transfer-encoding'] === undefined && length <= SMALL_BODY;
}

/** What waits for the connection: only the first of several responses has it. */
function unsentBytes(responses: ReadonlySet<ServerResponse>): number {
  return [...responses].reduce((sum, { writableLength }) => sum + writableLength, 0);
}

export interface GuardedServerOptions {
  /** @default 512 */
  readonly maxConnections?: number;
  /** @default 64 MB */
  readonly maxUnsentBytes?: number;
}

export function createGuardedServer(listener: RequestListener, options: GuardedServerOptions = {}): Server {
  const { maxConnections = MAX_CONNECTIONS, maxUnsentBytes = MAX_UNSENT_BYTES } = options;
  /** The number of responses that each connection waits for, the oldest connection first. */
  const open = new Map<Socket, number>();
  /** Responses that are not sent completely, by connection. */
  const unsent = new Map<Socket, Set<ServerResponse>>();

  /** Callers who do not read would fill the memory: those with the most unread bytes are closed. */
  const closeUnread = () => {
    const sizes = [...unsent].map(([socket, responses]) => ({ socket, bytes: unsentBytes(responses) }));
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= maxUnsentBytes) return;
    for (const { socket, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
      if (total <= maxUnsentBytes) return;
      total -= bytes;
      socket.destroy();
    }
  };

  /** One that waits for nothing, else the oldest: a new caller, such as a monitor, always gets in. */
  const closeOne = () => {
    const [oldest] = open.keys();
    const idle = [...open].find(([, waiting]) => waiting === 0)?.[0] ?? oldest;
    if (idle === undefined) return;
    open.delete(idle);
    idle.destroy();
  };

  const countResponse = ({ socket }: IncomingMessage, by: 1 | -1): number => {
    const waiting = (open.get(socket) ?? 0) + by;
    if (open.has(socket)) open.set(socket, waiting);
    return waiting;
  };

  const server = createServer(ARRIVAL_LIMITS, (request, response) => {
    const { socket } = request;
    // Further requests of the same chunk come here even though the connection is closed.
    if (socket.destroyed || countResponse(request, 1) > MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    const ofSocket = unsent.get(socket) ?? new Set();
    unsent.set(socket, ofSocket.add(response));
    response.once('close', () => {
      countResponse(request, -1);
      ofSocket.delete(response);
      if (ofSocket.size === 0) unsent.delete(socket);
    });
    response.once('finish', () => {
      if (request.complete || isSmall(request)) return;
      stopReading(socket);
      setTimeout(() => socket.destroy(), MAX_UNREAD_MS).unref();
    });
    listener(request, response);
  });
  server.setTimeout(MAX_IDLE_MS);
  const checking = setInterval(closeUnread, UNSENT_CHECK_MS).unref();
  server.once('close', () => clearInterval(checking));
  server.on('connection', (socket) => {
    if (open.size >= maxConnections) closeOne();
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  return server;
}
