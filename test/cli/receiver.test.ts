/** The receiver of `tidings listen` and the demo, on a real port, and the lines it prints. */

import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { formatReceived } from '../../cli/format-received.ts';
import { type Received, type ReceiverOptions, receiverApp } from '../../cli/receiver.ts';
import { eventTypes } from '../../core/events/catalogue.ts';
import { fixedClock } from '../../core/model/time.ts';
import { formatClock } from '../../runtime/terminal/dates.ts';
import { signWithOurs } from '../kit/signed.ts';
import { event, NOON, SECRET } from '../samples.ts';

let server: Server | undefined;
let url: string;
const received: Received[] = [];

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  received.length = 0;
});

async function start(options: Partial<ReceiverOptions> = {}) {
  const app = receiverApp({
    secret: SECRET,
    clock: fixedClock(NOON),
    onRequest: (one) => received.push(one),
    ...options,
  });
  server = createServer(app);
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/any/path`;
  return async (id: string, body: unknown, change: Readonly<Record<string, string>> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { ...signWithOurs(SECRET, id, new Date(NOON), text), ...change };
    const answer = await fetch(url, { method: 'POST', headers, body: text });
    return [answer.status, await answer.text()];
  };
}

const version = (id: string, number: number) => event(id, { data: { ...event(id).data, version: number } });
const plain = { paint: (_: unknown, text: string) => text };
/** Noon UTC in the zone of this machine. */
const AT = formatClock(NOON);

const line = (received: Received | undefined) => (received === undefined ? '' : formatReceived(received, plain));

describe('receiverApp', () => {
  it('accepts a ping that another secret signed only if it is asked to, and nothing else', async () => {
    const other = { 'webhook-signature': 'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' };
    const ping = { type: 'tidings.ping', data: {} };
    let send = await start();
    expect((await send('evt_1', ping, other))[0]).toBe(401);
    server?.close();
    send = await start({ acceptsPing: true });
    expect(await send('evt_1', ping, other)).toEqual([204, '']);
    expect(line(received.at(-1))).toBe(`${AT}  ·  ping accepted, not verified: another secret signed it  evt_1`);
    expect((await send('evt_2', event('2'), other))[0]).toBe(401);
    expect((await send('evt_3', 'tidings.ping', other))[0]).toBe(401);
  });

  it('responds with 204 to a verified request and reports the event', async () => {
    const post = await start();
    expect(await post('evt_1', event('1'))).toEqual([204, '']);
    expect(received).toEqual([
      {
        at: NOON,
        id: 'evt_1',
        status: 204,
        verified: true,
        times: 1,
        seenBefore: false,
        mark: null,
        heldVersion: null,
        stale: false,
        event: event('1'),
      },
    ]);
  });

  it('responds with 401 and the reason to an unverified request, and reports it', async () => {
    const post = await start();
    const [status, reason] = await post('evt_1', event('1'), { 'webhook-id': 'evt_2' });
    expect([status, reason]).toEqual([401, expect.stringMatching(/^no_match: no signature matches/)]);
    expect(await post('evt_1', event('1'), { 'webhook-timestamp': '1' })).toEqual([
      401,
      expect.stringMatching(/^too_old: /),
    ]);
    expect(received).toMatchObject([
      { verified: false, id: 'evt_2', status: 401, code: 'no_match' },
      { verified: false, id: 'evt_1', status: 401, code: 'too_old' },
    ]);
    expect(JSON.stringify(received)).not.toContain(SECRET);
  });

  it('responds with 400 when the signature is valid but the body is not JSON', async () => {
    const post = await start();
    expect(await post('evt_1', 'hello')).toEqual([400, expect.stringMatching(/^not_json/)]);
  });

  it('holds a bounded amount of bodies that arrive at once, and still accepts webhooks', async () => {
    const post = await start();
    const target = new URL(url);
    const long = 9 * 1024 * 1024;
    const refused: number[] = [];
    const slow = Array.from({ length: 8 }, () => {
      const request = httpRequest(target, { method: 'POST', headers: { 'content-length': long } });
      request.on('response', ({ statusCode = 0 }) => refused.push(statusCode)).on('error', () => {});
      // All but the last byte.
      request.write(Buffer.alloc(long - 1, 'x'));
      return request;
    });
    // Four of them fit into 40 MB.
    await vi.waitFor(() => expect(refused).toEqual([503, 503, 503, 503]), { timeout: 20_000 });
    expect(received).toMatchObject(Array(4).fill({ verified: false, code: 'busy' }));
    expect(await post('evt_1', event('1'))).toEqual([204, '']);
    for (const request of slow) request.end('x');
    await vi.waitFor(() => expect(refused.toSorted()).toEqual([401, 401, 401, 401, 503, 503, 503, 503]), {
      timeout: 20_000,
    });
    expect((await post('evt_2', 'x'.repeat(long)))[0]).toBe(400);
  }, 60_000);

  it('responds with 413 to a body over 10 MB without reading all of it', async () => {
    const post = await start();
    expect(await post('evt_1', 'x'.repeat(11 * 1024 * 1024))).toEqual([413, expect.stringMatching(/^too_big/)]);
    expect(received).toMatchObject([{ verified: false, code: 'too_big' }]);
  });

  it('accepts only POST', async () => {
    await start();
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(received).toEqual([]);
  });

  it('marks an id it accepted before as a duplicate, and a retry after a failure as an attempt', async () => {
    const post = await start({ statusFor: (nth) => (nth === 1 ? 500 : 204) });
    for (let time = 1; time <= 3; time++) await post('evt_1', event('1'));
    expect(received).toMatchObject([
      { status: 500, times: 1, seenBefore: false },
      { status: 204, times: 2, seenBefore: false },
      { status: 204, times: 3, seenBefore: true },
    ]);
  });

  it('counts only verified requests when it selects the status', async () => {
    const post = await start({ statusFor: (nth) => 200 + nth });
    await post('evt_1', event('1'), { 'webhook-id': 'evt_x' });
    expect(await post('evt_2', event('2'))).toEqual([201, '']);
  });

  it('reports events older than a version it received', async () => {
    const post = await start();
    for (const [n, body] of [version('1', 5), version('1', 4), version('1', 5), version('2', 1)].entries()) {
      await post(`evt_${n}`, body);
    }
    expect(received).toMatchObject([
      { heldVersion: null, stale: false },
      { heldVersion: 5, stale: true },
      { heldVersion: 5, stale: false },
      { heldVersion: null, stale: false },
    ]);
  });

  it('reads the marks of replays and tests', async () => {
    const post = await start();
    await post('evt_1', { ...event('1'), replay: true });
    await post('evt_2', event('2', { test: true }));
    expect(received).toMatchObject([{ mark: 'replay' }, { mark: 'test' }]);
  });
});

describe('formatReceived', () => {
  const printedLines = async (...bodies: readonly unknown[]) => {
    const post = await start();
    for (const [n, body] of bodies.entries()) await post(`evt_${n}`, body);
    return received.map(line);
  };

  it('prints type, summary, record, version and id', async () => {
    expect(await printedLines(event('1'))).toEqual([
      `${AT}  ✔  task.closed  Task “Task 1” was closed  task/1, version 2  evt_0`,
    ]);
  });

  it('marks replays, tests, duplicates, attempts, stale events and failure statuses', async () => {
    const post = await start({ statusFor: (nth) => (nth === 1 ? 503 : 204) });
    for (let time = 1; time <= 3; time++) await post('evt_1', { ...version('1', 5), replay: true });
    await post('evt_2', { ...version('1', 4), test: true });
    expect(received.map(line).map((text) => text.match(/\[[^\]]*\]/g))).toEqual([
      ['[replay]', '[responded 503]'],
      ['[replay]', '[attempt 2]'],
      ['[replay]', '[duplicate: drop it]'],
      ['[test]', '[older than version 5: drop it]'],
    ]);
    expect(line(received[0])).toMatch(new RegExp(`^${AT} {2}✗`));
  });

  it('prints the known fields of other formats', async () => {
    const { data } = event('1');
    const lines = await printedLines(
      { type: 'task.closed', timestamp: NOON, data },
      { ...event('1'), data: { version: 2, id: '1' } },
      { ...event('1'), type: 'tidings.ping' },
      { text: 'from a template' },
      ['a list'],
    );
    expect(lines).toEqual([
      `${AT}  ✔  task.closed  Task “Task 1” was closed  version 2  evt_0`,
      `${AT}  ✔  task.closed  task/1, version 2  evt_1`,
      `${AT}  ✔  tidings.ping  task/1, version 2  evt_2`,
      `${AT}  ✔  unknown body format  evt_3`,
      `${AT}  ✔  unknown body format  evt_4`,
    ]);
  });

  it('prints a line for any JSON body, known type or not', () => {
    const type = fc.constantFrom(...eventTypes.map((one) => one.type), 'tidings.ping', 'x');
    const part = fc.oneof(fc.jsonValue(), fc.constant({}), fc.constant([]));
    const data = fc.record({
      record: part,
      previous: part,
      changes: part,
      occurred: part,
      details: part,
      version: part,
    });
    const body = fc.oneof(fc.jsonValue(), fc.record({ type, subject: part, data: fc.oneof(data, part) }));
    fc.assert(
      fc.property(body, (event) => {
        const rest = {
          verified: true,
          times: 1,
          seenBefore: false,
          mark: null,
          heldVersion: null,
          stale: false,
        } as const;
        expect(line({ at: NOON, id: 'evt_1', status: 204, ...rest, event })).toMatch(
          new RegExp(`^${AT} {2}✔ {2}\\S.* {2}evt_1$`),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('removes control characters from received text', async () => {
    const post = await start();
    const evil = '\u001b[2J\u009b31m\nforged line';
    await post('evt_1', { ...event('1'), type: evil, subject: evil, data: { version: 1, record: { title: evil } } });
    await post('evt_2', event('2'), { 'webhook-id': 'x\u009b31m' });
    expect(received).toHaveLength(2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
    for (const one of received) expect(line(one)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  it('prints why a request was not verified', () => {
    const refused = { at: NOON, id: null, status: 401, verified: false, code: 'no_match', message: 'no fit' } as const;
    expect(line(refused)).toBe(`${AT}  ✗  not verified, no_match: no fit  no id`);
  });
});
