/**
 * Limits what connections to an HTTP server may hold, so that callers without a key can neither fill its memory nor keep others
 * out. What a single request may cost is decided by the apps.
 */

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '../core/model/time.ts';
import { leadsElsewhere } from '../manage/raw-path.ts';
import { type ByteRate, createByteRate, type TakeBytes } from '../runtime/byte-rate.ts';
import { joinPieces } from './join-pieces.ts';
import { createPieceLine } from './request-line.ts';

/** A proxy has a few dozen. */
const MAX_CONNECTIONS = 512;

/** Requests of a connection whose responses are not sent yet. Proxies and clients wait for each response. */
const MAX_PIPELINED = 4;

/** Proxies add a few to those of a browser. Each of them is copied from thread to thread: a thousand take longer than the rest of a request. */
const MAX_HEADERS = 100;

/** Bytes of responses that their callers have not read yet, over all connections. A page of a list has up to 2.5 MB. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const UNSENT_CHECK_MS = 100;

/** Time for the caller to read the response to a request whose body was refused. */
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
 * What is read of a body after its response, to throw it away: many clients read a response only after they have sent all. Of
 * all callers together it is limited, or those with large bodies would take the time of the others.
 */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const DISCARDED: ByteRate = { burst: 2 * MAX_DISCARDED_BYTES, perSecond: 8 * 1024 * 1024 };

interface Discarding {
  readonly mayDiscard: TakeBytes;
  /** In a turn of the event loop that has not read much yet. */
  readonly inTurn: (read: () => void) => void;
}

/** Node and Hono would resume it, to read up to 64 MB. */
function stopReading(request: IncomingMessage): void {
  request.removeAllListeners('data');
  request.pause();
  request.resume = () => request;
}

/**
 * Delays the close of a connection whose request body was refused. An immediate close makes the system reset the connection, and the
 * caller loses the response. The response has `Connection: close`, so the caller sends its next request on another connection. Node
 * and Hono close connections with `destroySoon`.
 */
function closeSlowly(request: IncomingMessage, response: ServerResponse, { mayDiscard, inTurn }: Discarding): void {
  const { socket } = request;
  const destroySoon = socket.destroySoon.bind(socket);
  let isClosing = false;
  response.shouldKeepAlive = false;
  // Node discards the whole of a body that was not read from, without an event. A first read prevents that: of all that is there, as Node
  // does not count one that needs nothing of the connection.
  request.read();
  socket.destroySoon = () => {
    if (request.complete) destroySoon();
    if (request.complete || isClosing) return;
    isClosing = true;
    socket.end();
    setTimeout(() => socket.destroy(), MAX_UNREAD_MS).unref();
    let left = MAX_DISCARDED_BYTES;
    // The app has responded. Its stream would buffer the rest of the body.
    request.removeAllListeners('data');
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      request.pause();
      if (left < 0 || !mayDiscard(chunk.length)) stopReading(request);
      else inTurn(() => request.resume());
    });
    request.once('end', destroySoon);
    request.resume();
  };
}

/** A refused body of at most this many bytes is read to its end, which keeps the connection usable for the next request. */
const SMALL_BODY = 64 * 1024;

/** Slack, proxies and clients say how long a body is. */
function isSmall({ headers }: IncomingMessage): boolean {
  // Without both there is no body.
  const length = Number(headers['content-length'] ?? 0);
  return headers['transfer-encoding'] === undefined && length <= SMALL_BODY;
}

/** Bytes of these responses that are still in memory. */
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
  const discarding = { mayDiscard: createByteRate(DISCARDED), inTurn: createPieceLine() };
  /** Responses that are not sent completely, by connection. */
  const unsent = new Map<Socket, Set<ServerResponse>>();
  /** Runs while there are such responses. */
  let checking: NodeJS.Timeout | undefined;

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
    if (request.rawHeaders.length > 2 * MAX_HEADERS) {
      response.writeHead(431, { connection: 'close' }).end(`expected at most ${MAX_HEADERS} headers`);
      return;
    }
    joinPieces(request);
    const ofSocket = unsent.get(socket) ?? new Set();
    unsent.set(socket, ofSocket.add(response));
    checking ??= setInterval(closeUnread, UNSENT_CHECK_MS).unref();
    response.once('close', () => {
      countResponse(request, -1);
      ofSocket.delete(response);
      if (ofSocket.size === 0) unsent.delete(socket);
      if (unsent.size > 0) return;
      clearInterval(checking);
      checking = undefined;
    });
    const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
    response.writeHead = (...args: unknown[]) => {
      if (!request.complete && !isSmall(request)) closeSlowly(request, response, discarding);
      return writeHead(...args);
    };
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (leadsElsewhere(path)) response.writeHead(404).end('404 Not Found');
    else listener(request, response);
  });
  server.setTimeout(MAX_IDLE_MS);
  // Node leaves out what follows: one more shows that there were too many.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.on('connection', (socket) => {
    if (open.size >= maxConnections) closeOne();
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  return server;
}
