/** A proxy that can withhold responses: the request takes effect, but the response is lost. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** `never`: no response. `midway`: the response stops in the middle. `drip`: endless headers, no body. */
type Silence = 'never' | 'midway' | 'drip';

export interface SilentProxy {
  readonly endpoint: string;
  /** The operations requested, in order: `PutItem`. */
  readonly operations: string[];
  /** Withholds the responses of this operation, this many times. */
  silence(operation: string, how: Silence, times?: number): void;
  stop(): Promise<void>;
}

export async function startSilentProxy(to: string): Promise<SilentProxy> {
  const operations: string[] = [];
  let silent = { operation: '', how: 'never' as Silence, times: 0 };
  const server = createServer(async (incoming, response) => {
    const operation = String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '';
    operations.push(operation);
    const answer = await passOn(incoming, to);
    if (silent.operation !== operation || silent.times === 0) return answerWith(response, answer);
    silent = { ...silent, times: silent.times - 1 };
    if (silent.how === 'drip') drip(response);
    if (silent.how === 'midway') {
      response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length });
      response.write(answer.body.subarray(0, answer.body.length / 2));
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    operations,
    silence(operation, how, times = 1) {
      silent = { operation, how, times };
    },
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

async function passOn(incoming: IncomingMessage, to: string): Promise<Answer> {
  const body = await buffer(incoming);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { ...incoming.headers, host: new URL(to).host };
  request(to, { method: incoming.method, path: incoming.url, headers }, resolve).on('error', reject).end(body);
  const answer = await promise;
  const type = String(answer.headers['content-type'] ?? 'application/x-amz-json-1.0');
  return { status: answer.statusCode ?? 500, headers: { 'content-type': type }, body: await buffer(answer) };
}

/** An endless header, so that the connection is never idle. */
function drip({ socket }: ServerResponse): void {
  socket?.write('HTTP/1.1 200 OK\r\nX-Endless: ');
  const timer = setInterval(() => socket?.write('x'), 200);
  socket?.on('close', () => clearInterval(timer));
}

function answerWith(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}
