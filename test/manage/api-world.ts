/** A management API in this process: real SQLite stores, the real pipeline, and a receiver on a local port. */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { tick } from '../../core/delivery/tick.ts';
import type { Scope } from '../../core/model/api-key.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { fromMillis, toMillis } from '../../core/model/time.ts';
import type { ApiPorts } from '../../manage/api/http/api-ports.ts';
import { createKey } from '../../manage/api/keys.ts';
import { manageApp } from '../../manage/app.ts';
import { openManagementApi } from '../../manage/management-api.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { openEmbedded } from '../../runtime/embedded/embedded.ts';
import { deliverAll } from '../../runtime/embedded/pipeline.ts';
import { createSignal } from '../../runtime/embedded/signal.ts';
import { createConfigReader } from '../../runtime/stored-sources.ts';
import { openServedSlack } from '../../service/serve-slack.ts';
import { event, NOON, SECRET } from '../samples.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds with `status`, which a test may change, and keeps what it got. */
export async function startReceiver() {
  const received: ReceivedRequest[] = [];
  const state = { status: 200, headers: {} as Record<string, string>, received, url: '', port: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(state.status, { 'x-request-id': `req-${received.length}`, ...state.headers }).end('seen');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.port = (server.address() as AddressInfo).port;
  state.url = `http://127.0.0.1:${state.port}/hook`;
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return Object.assign(state, {
    stop: () => {
      server.closeAllConnections();
      return stop();
    },
  });
}

export interface ApiWorldOptions {
  /** Further sections of the config. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Further variables that the config names. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Wraps the ports of the API. @default - as they are */
  readonly wrap?: (api: ApiPorts) => ApiPorts;
  /** @default - in memory */
  readonly database?: ReturnType<typeof openDatabase>;
}

export type ApiWorld = Awaited<ReturnType<typeof startApiWorld>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // The tests read what they expect; a missing part fails them.
  // biome-ignore lint/suspicious/noExplicitAny: the body of any route
  readonly body: any;
}

export async function startApiWorld({
  config: sections = {},
  environment: variables = {},
  database = openDatabase(':memory:'),
  wrap = (api) => api,
}: ApiWorldOptions = {}) {
  const receiver = await startReceiver();
  const environment = {
    MASTER: 'the master secret of the tests',
    OPS: SECRET,
    TOKEN: 'operators-own-token',
    ...variables,
  };
  const config = parseTree(
    'test',
    {
      source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}' },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      manage: {
        url: 'https://tidings.example.com',
        secret: '${MASTER}',
        api: { rate: '100000/s', quotas: { changes: '100000/s', previews: '100000/s', replays: '100000/s' } },
      },
      subscriptions: [{ name: 'declared', events: ['task.*'], to: { http: { url: receiver.url, secret: '${OPS}' } } }],
      ...sections,
    },
    environment,
  );
  let now = toMillis(NOON);
  const clock = { now: () => fromMillis(now) };
  const embedded = await openEmbedded({
    config,
    database,
    environment,
    clock,
    holder: 'test',
    random: () => 0.5,
  });
  const readConfig = createConfigReader(config, embedded.storedSources, { clock });
  const api: ApiPorts = { ...embedded, readConfig, mode: 'embedded', randomBytes };
  const errors: unknown[] = [];
  /** The Slack app, if the config has one. */
  const slackApp = openServedSlack(embedded, 'test', { error: (_, error) => errors.push(error) });
  const options = { api: wrap(api), checksResponses: true, report: (error: unknown) => errors.push(error) };
  const app = manageApp({ ...embedded, sources: config.sources, api: openManagementApi(options) });
  const owner = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;

  const makeKey = async (scopes: readonly Scope[], events?: readonly string[]) =>
    createKey(api, owner, { name: scopes.join(' '), scopes, ...(events === undefined ? {} : { events }) });
  const admin = (await makeKey(['admin'])).token;

  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    { key = admin, headers = {} }: { readonly key?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> => {
    const response = await app.request(`/v1${path}`, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };

  return {
    receiver,
    embedded,
    api,
    app,
    slackApp,
    admin,
    ask,
    makeKey,
    /** Unexpected errors of the API. */
    errors,
    clock,
    advance: (millis: number) => {
      now += millis;
    },
    /** Makes all attempts that are due. */
    pump: async () => {
      await tick(embedded);
      await deliverAll(embedded, {}, slackApp === undefined ? {} : { runTask: slackApp.runTask });
    },
    /** Records events, with deliveries to none. */
    record: async (...events: readonly TidingsEvent[]) => {
      for (const one of events) await embedded.events.record([{ event: one, deliveries: [] }]);
    },
    stop: async () => {
      await embedded.close();
      await receiver.stop();
    },
  };
}

/** An event of this type about a task, now. */
export const taskEvent = (id: string, type = 'task.closed') => event(id, { type, time: NOON });

/** Sends the request while the pipeline runs, so that tests and retries come to their end. */
export async function askWhilePumping(world: ApiWorld, ...request: Parameters<ApiWorld['ask']>): Promise<Answer> {
  const done = new AbortController();
  const pumping = (async () => {
    while (!done.signal.aborted) {
      await world.pump();
      await createSignal().wait(5, done.signal);
    }
    await world.pump();
  })();
  const answer = await world.ask(...request);
  done.abort();
  await pumping;
  return answer;
}
