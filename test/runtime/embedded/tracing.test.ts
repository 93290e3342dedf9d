/** Tracing in the embedded mode: a collector gets the way of one event as one trace, and the receiver its id. */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { ConfigError } from '../../../core/model/errors.ts';
import { fromMillis } from '../../../core/model/time.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { once } from '../../../runtime/embedded/once.ts';
import { startSimulator } from '../../../simulator/simulator.ts';
import { SECRET } from '../../samples.ts';

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

type Requests = readonly { readonly headers: IncomingHttpHeaders; readonly body: unknown }[];

/** A server that keeps the requests, and answers with `status`. */
async function startServer() {
  const requests: { headers: IncomingHttpHeaders; body: unknown }[] = [];
  const state = { status: 200, url: '', requests: requests as Requests, stop: async () => {} };
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await json(request) });
    response.writeHead(state.status).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  state.stop = () => new Promise((closed) => server.close(() => closed()));
  return state;
}

type Server = Awaited<ReturnType<typeof startServer>>;

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let collector: Server;
let receiver: Server;
let reports: string[];

beforeEach(async () => {
  simulator = await startSimulator({ tasks: 5, quota: 10_000_000 });
  [collector, receiver] = [await startServer(), await startServer()];
  reports = [];
});
afterEach(async () => {
  await Promise.all([simulator.stop(), collector.stop(), receiver.stop()]);
});

const OFF = Object.fromEntries(
  ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'].map((name) => [
    name,
    'off',
  ]),
);

/** Reads the account, changes a task, and delivers the news of it. */
async function changeTask(tracing?: Readonly<Record<string, unknown>>) {
  const environment = { TOKEN: simulator.tokens.Administrator[0] ?? '', OPS: SECRET, KEY: 'Bearer of-the-collector' };
  const config = parseTree(
    'test',
    {
      source: {
        ...{ baseUrl: simulator.url, token: '${TOKEN}', timeZone: 'UTC' },
        resources: { ...OFF, task: { every: '1s' } },
      },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: [
        { name: 'ops', events: ['task.updated'], to: { http: { url: `${receiver.url}/hook`, secret: '${OPS}' } } },
      ],
      ...(tracing === undefined ? {} : { tracing }),
    },
    environment,
  );
  const embedded = await openEmbedded({
    ...{
      config,
      environment,
      clock: { now: () => fromMillis(simulator.account.clock.now()) },
      holder: 'test',
      random: () => 0.5,
    },
    database: openDatabase(':memory:', { report: (line) => reports.push(line) }),
  });
  await once(embedded);
  simulator.account.update('task', 3, { title: 'Another title' });
  simulator.account.clock.advance(2000);
  const { events, deliveries } = await once(embedded);
  await embedded.close();
  return { events, deliveries };
}

const spans = (): readonly OtlpSpan[] =>
  collector.requests.flatMap(
    ({ body }) =>
      (body as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] }).resourceSpans[0]?.scopeSpans[0]?.spans ??
      [],
  );

describe('tracing', () => {
  it('shows the way of one event as one trace, which the receiver gets as traceparent', async () => {
    const { events } = await changeTask({ otlp: `${collector.url}/v1/traces`, headers: { authorization: '${KEY}' } });
    const event = events.find(({ type }) => type === 'task.updated');
    const attributeOf = ({ attributes }: OtlpSpan, key: string) => attributes.find((one) => one.key === key)?.value;
    const found = spans().find((span) => attributeOf(span, 'tidings.event.id')?.stringValue === event?.id);
    const trace = spans().filter(({ traceId }) => traceId === found?.traceId);
    const nameOf = (id: string | undefined) => trace.find(({ spanId }) => spanId === id)?.name;
    expect(Object.fromEntries(trace.map(({ name, parentSpanId }) => [name, nameOf(parentSpanId)]))).toEqual({
      poll: undefined,
      commit: 'poll',
      announce: 'commit',
      queue: 'announce',
      deliver: 'announce',
      request: 'deliver',
    });
    const request = trace.find(({ name }) => name === 'request');
    expect(receiver.requests[0]?.headers.traceparent).toBe(`00-${request?.traceId}-${request?.spanId}-01`);
    expect(collector.requests[0]?.headers.authorization).toBe('Bearer of-the-collector');
    expect(reports).toEqual([]);
  });

  it('delivers if the collector refuses, and reports it once, without the key', async () => {
    collector.status = 503;
    const { deliveries } = await changeTask({ otlp: collector.url, headers: { authorization: '${KEY}' } });
    expect(deliveries.map(({ attempt }) => attempt.outcome)).toEqual(['accepted']);
    expect(reports).toEqual([expect.stringMatching(/^tracing: \d+ spans were not sent: 503 from 127\.0\.0\.1/)]);
  });

  it('is off without the section', async () => {
    await changeTask();
    expect(receiver.requests[0]?.headers).not.toHaveProperty('traceparent');
    expect(collector.requests).toEqual([]);
  });

  it.each([
    [{}, 'tracing.otlp'],
    [{ otlp: 'ftp://example.com' }, 'tracing.otlp'],
    [{ otlp: 'nonsense' }, 'tracing.otlp'],
    [{ otlp: 'http://localhost:4318/v1/traces', headers: { 'a b': 'x' } }, 'tracing.headers'],
    [{ otlp: 'http://localhost:4318/v1/traces', headers: { a: 1 } }, 'tracing.headers.a'],
    [{ otlp: 'http://localhost:4318/v1/traces', url: 'x' }, 'tracing'],
  ])('refuses %j with the path of the problem', (tracing, path) => {
    const tree = { source: { baseUrl: 'https://x.example.com', token: 't' }, tracing };
    const problems = (() => {
      try {
        parseTree('test', tree, {});
        return [];
      } catch (error) {
        return error instanceof ConfigError ? error.problems : [];
      }
    })();
    expect(problems.map((one) => one.path)).toEqual([expect.stringContaining(path)]);
  });

  it('is refused in AWS, with the option to use there', () => {
    const tree = {
      source: { baseUrl: 'https://x.example.com', token: 'ssm:/t' },
      tracing: { otlp: 'https://c.example.com' },
    };
    expect(() => parseTree('test', tree, {}, 'aws')).toThrow(/tracing.*X-Ray/s);
  });
});
