/**
 * The truth run `hostile`: malformed input from outside. Every entry point may fail only with its documented errors. FC_RUNS
 * multiplies the number of inputs. Forbidden addresses are tested with the address guard.
 */

import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { httpChannels } from '../../adapters/channels/http/channel.ts';
import { openHttpTransport } from '../../adapters/http/http-transport.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { ConfigError, GiveUp, RetryLater } from '../../core/model/errors.ts';
import { fixedClock } from '../../core/model/time.ts';
import type { Receipt } from '../../core/ports/channel.ts';
import { manageApp } from '../../manage/app.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { ALL, client, envelope, failure, serve } from '../adapters/sources/work/api-server.ts';
import { event, NOON, SECRET, subscription } from '../samples.ts';

const runFactor = Number(process.env.FC_RUNS ?? 1);

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
});

/** Bytes of an almost valid response: each part may be valid, invalid, repeated or missing. */
const answers = fc
  .record({
    status: fc
      .constantFrom('HTTP/1.1 200 OK', 'HTTP/1.1 204 No', 'HTTP/1.1 500 No', 'HTTP/1.1 410 Gone')
      .chain((line) =>
        fc.constantFrom(line, line, line, 'HTTP/9.9 200 OK', 'HTTP/1.1 -1', 'HTTP/1.1 99999 Much', 'SSH-2.0-x', ''),
      ),
    headers: fc.array(
      fc.constantFrom(
        ...['content-length: 5', 'content-length: 99999999', 'content-length: -3', 'content-length: 1e9'],
        ...['transfer-encoding: chunked', 'content-encoding: gzip', 'retry-after: 999999999999', 'retry-after: -1'],
        ...['location: http://169.254.169.254/', 'connection: upgrade', 'upgrade: h2c', 'no colon at all', ': empty'],
        ...[`x-long: ${'x'.repeat(70_000)}`, 'x-null: \0', 'x-bytes: \xff\xfe', 'set-cookie: a=b\r\n folded'],
      ),
      { maxLength: 4 },
    ),
    body: fc.oneof(
      fc.constantFrom('', 'hello', '5\r\nhello\r\n0\r\n\r\n', 'fffffffffffff\r\n', '-1\r\n', 'x'.repeat(300_000)),
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constant(gzipSync(Buffer.alloc(20_000_000)).toString('latin1')),
    ),
    cut: fc.option(fc.nat(400), { nil: undefined, freq: 3 }),
  })
  .map(({ status, headers, body, cut }) =>
    Buffer.from([status, ...headers, '', body].join('\r\n'), 'latin1').subarray(0, cut),
  );

describe('a malformed response of a receiver', () => {
  it('becomes a receipt of at most 4 KB, or RetryLater or GiveUp', async () => {
    let answer = Buffer.alloc(0);
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer));
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    const http = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: 10_000 });
    const channels = httpChannels({ http, secrets: { resolve: async (secret) => secret, keep: async () => '' } });
    const to = { url, secret: SECRET };
    const message = {
      ...{
        subscription: subscription('ops', { to: { channel: 'http', settings: to } }),
        delivery: 'dlv_1',
        at: NOON,
        timeZone: 'UTC',
      },
      events: [event('1')] as const,
    };
    await fc.assert(
      fc.asyncProperty(answers, async (bytes) => {
        answer = bytes;
        const outcome = await channels
          .channelFor(to)
          .send(message)
          .catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome instanceof RetryLater || outcome instanceof GiveUp, outcome.stack).toBe(true);
          const { after = 0 } = outcome instanceof RetryLater ? outcome : {};
          expect(Number.isFinite(after) && after >= 0).toBe(true);
        } else {
          const receipt = outcome as Receipt;
          expect(receipt.status).toBeGreaterThanOrEqual(200);
          expect(receipt.status).toBeLessThan(300);
          expect(Buffer.byteLength(receipt.body ?? '')).toBeLessThanOrEqual(3 * 4096);
        }
      }),
      { numRuns: 150 * runFactor },
    );
    await http.close();
  });
});

const GOOD = {
  source: { name: 'main', baseUrl: 'https://work.example.com/api', token: 't', resources: { task: { every: '5m' } } },
  rules: { closedStatuses: ['Closed'], taskDueSoon: '1d' },
  subscriptions: [
    {
      name: 'ops',
      events: ['task.*'],
      where: { data: { record: { total: [{ numeric: ['>=', 500] }] } } },
      to: { http: { url: 'https://ops.example.com/', secret: SECRET } },
    },
    {
      name: 'chat',
      events: ['invoice.paid'],
      to: { slack: { webhook: 'https://hooks.slack.com/services/T/B/x' } },
      quiet: { from: '22:00', until: '07:00', days: ['sun'] },
      digest: { at: '08:30' },
    },
  ],
};

type Json = unknown;

/** The paths of all values in the tree. */
function pathsOf(tree: Json, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof tree !== 'object' || tree === null) return [path];
  return [path, ...Object.entries(tree).flatMap(([key, value]) => pathsOf(value, [...path, key]))];
}

function replaced(tree: Json, [first, ...rest]: readonly (string | number)[], value: Json): Json {
  if (first === undefined) return value;
  if (typeof tree !== 'object' || tree === null) return tree;
  const copy: Record<string, Json> | Json[] = Array.isArray(tree) ? [...tree] : { ...tree };
  Reflect.set(copy, first, replaced(Reflect.get(copy, first), rest, value));
  return copy;
}

const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<Json>(
    ...[null, undefined, [], {}, -1, 1e308, '', ' ', '${NOPE}', '${', 'file:/nope', '__proto__', '9'.repeat(400)],
    ...[{ __proto__: null, constructor: 1 }, [[[[]]]], '*'.repeat(3000), '25:99', '1h1h', '\u0000', '\ud800'],
    ...[{ numeric: ['>', 'x'] }, [{ wildcard: '**' }], [{ 'anything-but': [] }], { $or: [] }, [{ exists: 'maybe' }]],
  ),
);

function expectConfigErrorAtMost(file: string, text: string): void {
  try {
    parseConfig(file, text, { SOME: 'thing' });
  } catch (error) {
    expect(error, String(error instanceof Error ? error.stack : error)).toBeInstanceOf(ConfigError);
    if (!(error instanceof ConfigError)) return;
    expect(error.problems.length).toBeGreaterThan(0);
    for (const { path, message } of error.problems) {
      expect(typeof path).toBe('string');
      expect(message).not.toBe('');
    }
  }
}

describe('a malformed config file', () => {
  it('is accepted, or fails with a ConfigError that has a path and a message for each problem', () => {
    const mutations = fc.array(fc.tuple(fc.constantFrom(...pathsOf(GOOD)), hostileValue), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(mutations, fc.boolean(), (changes, asYaml) => {
        const tree = changes.reduce<Json>((sofar, [place, value]) => replaced(sofar, place, value), GOOD);
        if (asYaml) expectConfigErrorAtMost('tidings.yaml', stringify(tree) ?? '');
        else expectConfigErrorAtMost('tidings.json', JSON.stringify(tree) ?? '');
      }),
      { numRuns: 250 * runFactor },
    );
  });

  it('fails with a ConfigError when it is not an object or too deeply nested', () => {
    const good = stringify(GOOD);
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih'].map((pair) => [...pair]))
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`);
    const texts = [
      ...['', '---', '- a', 'a: b: c', '\t', '%YAML 9.9', '--- a\n--- b', '!!js/function x', '? [a]\n: b', '*nope'],
      ...['a: &a [*a]', 'source: &s { name: *s }', bomb.join('\n'), '['.repeat(20_000), '{"a":'.repeat(20_000)],
      ...[`${'['.repeat(20_000)}${']'.repeat(20_000)}`, `{"source":${'['.repeat(900)}${']'.repeat(900)}}`],
      ...[`${good}\nsource: {}`, `<<: {}\n${good}`, good.slice(0, 90), `__proto__: { x: 1 }\n${good}`, `\ufeff${good}`],
    ];
    for (const file of ['tidings.yaml', 'tidings.json']) for (const text of texts) expectConfigErrorAtMost(file, text);
  });

  it('fails with a ConfigError when it is not text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expectConfigErrorAtMost('tidings.yaml', text);
        expectConfigErrorAtMost('tidings.json', text);
      }),
      { numRuns: 200 * runFactor },
    );
  });
});

describe('a malformed response of the API', () => {
  it('becomes a page, or RetryLater or GiveUp', async () => {
    const page = JSON.stringify(envelope('task', [{ id: '1', title: 'a "b" {c} [d]' }, { id: '2' }, { id: '10' }]));
    let body = Buffer.from(page);
    const api = client((await serve((_, response) => response.writeHead(200).end(body))).url, { retries: 0 });
    const edits = fc.tuple(fc.nat(page.length), fc.nat(20), fc.string({ unit: 'binary', maxLength: 6 }));
    await fc.assert(
      fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 3 }), async (applied) => {
        body = Buffer.from(
          applied.reduce(
            (text, [at, removed, inserted]) => text.slice(0, at) + inserted + text.slice(at + removed),
            page,
          ),
        );
        const outcome = await failure(
          api.list('task', ALL).then((read) => read.content().rows.map((row) => row.parse())),
        );
        if (outcome instanceof Error)
          expect(outcome instanceof RetryLater || outcome instanceof GiveUp, outcome.stack).toBe(true);
      }),
      { numRuns: 300 * runFactor },
    );
  });
});

describe('a malformed request to the management API', () => {
  it('never gets a 5xx response', async () => {
    const app = manageApp({ ...sqliteStores(openDatabase(':memory:')), clock: fixedClock(NOON), sources: [] });
    const requests = fc.record({
      path: fc.oneof(fc.webPath(), fc.constantFrom('/health', '/health/..', '//', '/%00', '/%ff', '/__proto__')),
      method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
      body: fc.string({ unit: 'binary', maxLength: 50 }),
      type: fc.constantFrom('application/json', 'text/plain', 'multipart/form-data', ''),
    });
    await fc.assert(
      fc.asyncProperty(requests, async ({ path, method, body, type }) => {
        const init = { method, headers: { 'content-type': type }, ...(method === 'GET' ? {} : { body }) };
        const { status } = await app.request(`http://localhost${path}`, init);
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 150 * runFactor },
    );
  });
});
