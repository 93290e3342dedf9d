/**
 * The HTTP server of the API: reads requests and sends responses, with injected faults where configured.
 * The responses come from api.ts.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type ActiveFaults, type FaultTarget, targetOf } from './active-faults.ts';
import type { Api } from './api.ts';
import type { SimulatorResponse } from './envelope.ts';

/** A write is a few fields; more than this is a mistake. */
const MAX_BODY = 10_000_000;

export interface Listening {
  readonly url: string;
  stop(): Promise<void>;
}

/** Listens, or fails with the error of the socket: a taken port is EADDRINUSE. */
export async function listen(server: Server, host: string, port: number): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        // Hanging or dripping responses would keep the process alive.
        server.closeAllConnections();
      }),
  };
}

/** The requested URL. A path such as // is not resolved against a base, which would take it for a host. */
export function requestUrl(request: IncomingMessage): URL {
  const path = request.url ?? '/';
  return new URL(`http://simulator${path.startsWith('/') ? path : '/'}`);
}

/** The server of the API. Its dates come from this clock; the signal ends requests in flight. */
export function apiServer(api: Api, faults: ActiveFaults, now: () => number, signal: AbortSignal): Server {
  return createServer((request, response) => {
    serve(api, faults, now, request, response, signal).catch((error: unknown) => {
      if (signal.aborted || response.destroyed) return;
      // A bug in the simulator: respond with 500, as the service would.
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`simulator: ${message}\n`);
    });
  });
}

async function serve(
  api: Api,
  faults: ActiveFaults,
  now: () => number,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const method = request.method ?? 'GET';
  const url = requestUrl(request);
  const target = targetOf(method, url);
  const body = await readAll(request);
  if (body === undefined) {
    response.writeHead(413).end();
    return;
  }
  if (faults.match('hang', target) !== undefined) return;
  const late = faults.match('latency', target);
  if (late !== undefined) await wait(late.ms, undefined, { signal });
  const headers = request.headers as Record<string, string | undefined>;
  const answer = api.handle({ method, url, headers, body, address: request.socket.remoteAddress ?? '' });
  await send(answer, now(), faults, target, response, signal);
}

async function send(
  answer: SimulatorResponse,
  now: number,
  faults: ActiveFaults,
  target: FaultTarget,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const whole = Buffer.from(answer.body);
  const body = faults.match('truncate', target) === undefined ? whole : whole.subarray(0, whole.length >> 1);
  const type = answer.type === '' ? {} : { 'content-type': answer.type };
  const authenticate = answer.status === 401 ? { 'www-authenticate': 'Basic realm="API"' } : {};
  const date = new Date(now + (faults.match('clockOffset', target)?.ms ?? 0)).toUTCString();
  response.writeHead(answer.status, {
    date,
    ...type,
    ...authenticate,
    ...answer.headers,
    'content-length': body.length,
  });
  if (faults.match('cutBody', target) !== undefined) {
    response.write(body.subarray(0, body.length >> 1), () => response.destroy());
    return;
  }
  const drip = faults.match('drip', target);
  if (drip !== undefined) {
    const bytes = Math.max(1, drip.bytes ?? 1024);
    for (let from = 0; from < body.length && !response.destroyed; from += bytes) {
      response.write(body.subarray(from, from + bytes));
      await wait(drip.ms, undefined, { signal });
    }
    response.end();
    return;
  }
  response.end(body);
}

async function readAll(request: IncomingMessage): Promise<string | undefined> {
  // Most requests are reads without a body and need not wait for the stream.
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
