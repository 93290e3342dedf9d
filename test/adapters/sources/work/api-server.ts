/** An HTTP server with scripted responses, and a client for it that never really sleeps. */

import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import type { HttpClientOptions } from '../../../../adapters/sources/http/http-client.ts';
import type { Sleep } from '../../../../adapters/sources/http/request-pacer.ts';
import { type WorkApi, workApi } from '../../../../adapters/sources/work/client.ts';

export const TOKEN = 's3cr3t-t0ken-4711';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

export interface ApiServer {
  readonly url: string;
  /** Method and path of each request, in order. */
  readonly seen: string[];
  readonly messages: IncomingMessage[];
}

export async function serve(listener: RequestListener): Promise<ApiServer> {
  const seen: string[] = [];
  const messages: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    messages.push(request);
    listener(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  opened.push(
    () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, seen, messages };
}

/** Always the same response. */
export function serveResponse(status: number, body: unknown, headers: Record<string, string> = {}): Promise<ApiServer> {
  return serve((_, response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** A clock that advances only through `sleep`. */
export function fakeTime(): { now: () => number; sleep: Sleep; slept: number[] } {
  let at = 0;
  const slept: number[] = [];
  return {
    now: () => at,
    sleep: async (duration, signal) => {
      signal?.throwIfAborted();
      slept.push(duration);
      at += duration;
    },
    slept,
  };
}

/** Uses `fakeTime` unless the options say otherwise. */
export function client(url: string, options: Partial<HttpClientOptions> = {}): WorkApi {
  const { now, sleep } = fakeTime();
  const api = workApi({ baseUrl: url, token: TOKEN, now, sleep, random: () => 0.5, ...options });
  opened.push(() => api.close());
  return api;
}

export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => ({ succeededWith: value }),
    (error: unknown) => error,
  );

export const ALL = { offset: 0, limit: 500, filters: {} };

export function envelope(resource: string, rows: unknown, more: object = {}): object {
  const listcount = Array.isArray(rows) ? rows.length : undefined;
  return { personid: '1', status: 'OK', code: 200, listcount, [resource]: rows, ...more };
}

export function errorEnvelope(status: number, code: number | string, message = 'no'): object {
  return { status: 'Error', code: status, error: { code, message } };
}
