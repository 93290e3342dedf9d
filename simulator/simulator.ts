/** A first small stand-in for the API: lists of tasks as JSON, with a life of their own. Data is in memory. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Account, account } from './account.ts';

export interface SimulatorOptions {
  /** 0 takes any that is free. @default 0 */
  readonly port?: number;
  /** @default 7 */
  readonly seed?: number;
  /** Tasks at the start. @default 40 */
  readonly tasks?: number;
  /** Milliseconds between two things people do. @default - nobody does anything */
  readonly life?: number;
}

export interface Simulator {
  readonly url: string;
  readonly tokens: { readonly Administrator: readonly string[] };
  readonly account: Account;
  stop(): Promise<void>;
}

const TOKEN = 'admin-token';

export async function startSimulator({
  port = 0,
  seed = 7,
  tasks = 40,
  life,
}: SimulatorOptions = {}): Promise<Simulator> {
  const data = account(seed, tasks);
  const server = createServer((request, response) => answer(request, response, data));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const timer = life === undefined ? undefined : setInterval(() => data.live(), life);
  return {
    url: `http://127.0.0.1:${bound}`,
    tokens: { Administrator: [TOKEN] },
    account: data,
    stop: () => {
      clearInterval(timer);
      return new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      });
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, data: Account): ServerResponse {
  const send = (code: number, body: object) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ status: code === 200 ? 'OK' : 'Error', code, ...body }));
  };
  const expected = `Basic ${Buffer.from(`${TOKEN}:x`).toString('base64')}`;
  if (request.headers.authorization !== expected) return send(401, { error: { code: 2, message: 'Invalid token' } });
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname !== '/task/') return send(404, { error: { code: 13, message: 'Unknown resource' } });
  const offset = Number(searchParams.get('offset') ?? 0);
  const limit = Number(searchParams.get('limit') ?? 10);
  const all = data.tasks();
  return send(200, { personid: '1', listcount: all.length, task: all.slice(offset, offset + limit) });
}
