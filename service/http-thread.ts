/**
 * The thread that listens. It reads requests, passes them on to the main thread, and sends the responses. The main thread writes to the
 * disk, and stands still while the disk does: then monitors get their answer from here.
 */

import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { SECOND } from '../core/model/time.ts';
import { apiUnavailable, toResponse } from './forwarded.ts';
import { openPort } from './listen.ts';
import { createBodyReader } from './read-bodies.ts';
import { createRequestLine } from './request-line.ts';
import type {
  ForwardedRequest,
  ForwardedResponse,
  FromHttpThread,
  HttpThreadData,
  ToHttpThread,
} from './thread-messages.ts';

if (parentPort === null) throw new Error('expected to run as a thread of the service');
const parent = parentPort;
const post = (message: FromHttpThread, transfer: readonly ArrayBuffer[] = []) => parent.postMessage(message, transfer);

const { port, host, maxInFlight, maxReading } = workerData as HttpThreadData;

/** A monitor waits for a second. */
const MONITOR_MS = 900;

const UNSENT_CHECK_MS = 10;

/** Of bodies that are read or wait for an answer. Each thread on the way has its copy, so it takes a multiple of this. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const readBody = createBodyReader({ maxReading, maxBytes: MAX_BODY_BYTES });

interface Waiting {
  readonly since: number;
  readonly settle: (response: Response) => void;
}

/** By the number of the request, the oldest first. */
const pending = new Map<number, Waiting>();
/** Those of `/health` and `/metrics`. They stay until the main thread has answered them, also if the caller has got another answer. */
const monitored = new Map<number, Waiting>();
let requests = 0;

function forward(waiting: Map<number, Waiting>, request: Omit<ForwardedRequest, 'id'>): Promise<Response> {
  requests += 1;
  const { promise, resolve: settle } = Promise.withResolvers<Response>();
  waiting.set(requests, { since: performance.now(), settle });
  post(
    { kind: 'request', request: { id: requests, ...request } },
    request.body === undefined ? [] : [request.body.buffer],
  );
  return promise;
}

/** For how many milliseconds the main thread has not answered. */
function silentMs(): number {
  const [oldest] = monitored.values();
  return oldest === undefined ? 0 : performance.now() - oldest.since;
}

/** Without what the stores had last: the main thread decides who may read that. */
function standsStill(path: string): Response {
  const reason = `the process has stood still for ${Math.max(1, Math.round(silentMs() / SECOND))} s: it may wait for the disk`;
  if (path !== '/health') return new Response(`# ${reason}\n`, { status: 503 });
  const report = { status: 'failing', readAt: null, reasons: [reason], scans: [], oldestDueDelivery: null };
  return Response.json(report, { status: 503 });
}

/** This thread may have been busy itself: what the main thread has answered meanwhile arrives within a turn of the loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function answerMonitor(path: string, request: Omit<ForwardedRequest, 'id'>): Promise<Response> {
  if (silentMs() > MONITOR_MS) await turn();
  // Requests that it does not read would fill the memory.
  if (silentMs() > MONITOR_MS) return standsStill(path);
  const { promise: tooLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => resolve(turn()), MONITOR_MS);
  const response = await Promise.race([forward(monitored, request), tooLate]);
  clearTimeout(timer);
  return response ?? standsStill(path);
}

async function answer(request: Request, { incoming }: HttpBindings): Promise<Response> {
  const { method, url, headers } = request;
  const path = new URL(url).pathname;
  if (path === '/health' || path === '/metrics') return answerMonitor(path, { method, url, headers: [...headers] });
  const body = await readBody(incoming, path);
  if (body === 'gave way' || pending.size >= maxInFlight) {
    if (body !== 'gave way') body?.free();
    return apiUnavailable('too many requests at a time: try again in a moment', 1);
  }
  if (body === undefined) return forward(pending, { method, url, headers: [...headers] });
  // It is no longer in chunks.
  headers.delete('transfer-encoding');
  headers.set('content-length', String(body.length));
  return forward(pending, { method, url, headers: [...headers], body: body.bytes }).finally(body.free);
}

const respond = getRequestListener((request, bindings) => answer(request, bindings as HttpBindings));

/** A monitor does not wait for the requests of other callers. */
const lines = { monitors: createRequestLine(), others: createRequestLine() };
const MONITORED = /^\/(?:health|metrics)(?:\?|$)/;

/** Requests whose responses are not sent yet. */
let unsent = 0;

const listener: RequestListener = (request, response) => {
  unsent += 1;
  response.once('close', () => {
    unsent -= 1;
  });
  if (hasUserName(request)) response.writeHead(400).end();
  else lines[MONITORED.test(request.url ?? '') ? 'monitors' : 'others'](() => void respond(request, response));
};

/** Sends what the main thread has answered. It ends this thread if that takes too long. */
async function end(): Promise<never> {
  while (unsent > 0) await pause(UNSENT_CHECK_MS);
  return process.exit();
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

parent.on('message', (message: ToHttpThread) => ('kind' in message ? void end() : settle(message)));

function settle(response: ForwardedResponse): void {
  const { id } = response;
  const waiting = pending.get(id) ?? monitored.get(id);
  pending.delete(id);
  monitored.delete(id);
  waiting?.settle(toResponse(response));
}

try {
  const { url, port: bound } = await openPort(listener, port, host);
  post({ kind: 'listening', url, port: bound });
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  post({ kind: 'failed', code, message });
  parent.close();
}
