/** The endpoint test distinguishes correct receivers from faulty ones and names each fault. */

import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { fromMillis } from '../../../core/model/time.ts';
import {
  type EndpointTestOptions,
  type EndpointTestResult,
  isPassed,
  readCount,
  testEndpoint,
} from '../../../runtime/inspect/endpoint-test.ts';
import { buildEndpointTestCases } from '../../../runtime/inspect/endpoint-test-cases.ts';
import { NOON, SECRET } from '../../samples.ts';
import { JUDGES, type ReceiverHabits, type RunningReceiver, startJudge } from '../receivers.ts';

const clock = { now: () => fromMillis(Date.now()) };
const http = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: 1000 });
let receiver: RunningReceiver | undefined;
let seed = 0;

afterEach(() => receiver?.close());
afterAll(() => http.close());

async function exam(
  judge: keyof typeof JUDGES,
  habits: ReceiverHabits = {},
  options: Partial<EndpointTestOptions> = {},
) {
  receiver = await startJudge(JUDGES[judge], habits);
  seed += 1;
  return testEndpoint({ url: new URL(receiver.url), secret: SECRET, http, clock, seed: String(seed), ...options });
}

const named = (results: readonly EndpointTestResult[], verdict: string) =>
  results.filter((result) => result.verdict === verdict).map(({ name }) => name);

const WRONG = [
  'tampered-body',
  'respaced',
  'tampered-id',
  'moved-time',
  'stale',
  'future',
  'wrong-secret',
  'unsigned',
  'none-good',
];

describe('testEndpoint', () => {
  it.each(['right', 'rightByHand'] as const)('is passed by a receiver that is %s', async (judge) => {
    const results = await exam(judge);
    expect(named(results, 'pass')).toEqual(['valid', 'again', 'raw-bytes', 'big', 'rotation', ...WRONG]);
    expect(named(results, 'unclear')).toEqual(['processed-once']);
    expect(isPassed(results)).toBe(true);
    expect(results.every(({ fix: mend }) => mend === null)).toBe(true);
  });

  it.each([
    ['takesEverything', WRONG],
    ['ignoresTime', ['stale', 'future']],
    ['ignoresTheFuture', ['future']],
    ['writesJsonAnew', ['raw-bytes', 'respaced']],
    ['readsLatin1', ['raw-bytes']],
    ['takesOneSignatureOnly', ['rotation']],
    ['takesAnyOfSeveral', ['none-good']],
    ['comparesTheStart', ['none-good']],
    ['ignoresVersions', ['none-good']],
    ['takesUnsigned', ['unsigned']],
  ] as const)('finds out a receiver that %s', async (judge, faults) => {
    const results = await exam(judge);
    expect(named(results, 'fail')).toEqual(faults);
    expect(isPassed(results)).toBe(false);
    for (const { verdict, fix: mend } of results) expect(mend === null).toBe(verdict !== 'fail');
  });

  it('stops at a receiver that refuses what is valid: its refusals would mean nothing', async () => {
    const results = await exam('refusesEverything');
    expect(results).toMatchObject([
      { name: 'valid', status: 401, verdict: 'fail', fix: expect.stringContaining('base64') },
    ]);
    expect(isPassed(results)).toBe(false);
  });

  it('asks whether the path is right when there is none', async () => {
    expect(await exam('refusesEverything', { refusal: 404 })).toMatchObject([{ remark: 'check the path' }]);
  });

  it('finds out a limit on bodies that is too low', async () => {
    const results = await exam('right', { largest: 100 * 1024 });
    expect(named(results, 'fail')).toEqual(['big']);
  });

  it('stops after one request where nobody answers', async () => {
    receiver = await startJudge(JUDGES.right);
    receiver.close();
    const results = await testEndpoint({ url: new URL(receiver.url), secret: SECRET, http, clock, seed: 'x' });
    expect(results).toMatchObject([
      { name: 'valid', status: null, verdict: 'fail', remark: expect.stringContaining('did not answer') },
    ]);
    expect(isPassed(results)).toBe(false);
  });

  it.each([
    ['too fast', 429],
    ['no answer', null],
  ] as const)('takes %s for no answer to what was asked', async (_, status) => {
    const results = await exam('right', {
      later: (response) => (status === null ? response.destroy() : response.writeHead(status).end()),
    });
    expect(named(results, 'unclear')).toEqual(['processed-once', ...WRONG]);
    expect(named(results, 'fail')).toEqual(['again', 'raw-bytes', 'big', 'rotation']);
    expect(isPassed(results)).toBe(false);
  });

  it('takes 500 for a refusal, and says what it is; warns of 410', async () => {
    const broken = await exam('right', { refusal: 500 });
    expect(isPassed(broken)).toBe(true);
    expect(broken.at(-1)).toMatchObject({ verdict: 'pass', remark: 'server error instead of a rejection' });
    receiver?.close();
    expect((await exam('right', { refusal: 410 })).at(-1)?.remark).toContain('would disable');
  });

  it('tells each result as it comes', async () => {
    const told: EndpointTestResult[] = [];
    expect(await exam('right', {}, { onResult: (result) => told.push(result) })).toEqual(told);
  });
});

describe('whether an endpoint does anything twice', () => {
  const once = (results: readonly EndpointTestResult[]) => results.find(({ name }) => name === 'processed-once');

  it('is told by the header x-processed of its answers', async () => {
    expect(once(await exam('right', { tellsCount: true }))).toMatchObject({ verdict: 'pass', fix: null });
    receiver?.close();
    const twice = await exam('right', { tellsCount: true, once: false });
    expect(once(twice)).toMatchObject({
      verdict: 'fail',
      remark: 'the second request raised the count from 1 to 2',
      fix: expect.stringContaining('webhook-id'),
    });
    expect(isPassed(twice)).toBe(false);
  });

  const counting: Partial<EndpointTestOptions> = {
    processed: async () => readCount(await (await fetch(receiver?.counterUrl ?? '')).text()),
    pause: async () => {},
  };

  it('is told by a counter elsewhere', async () => {
    expect(once(await exam('right', {}, counting))).toMatchObject({ verdict: 'pass' });
    receiver?.close();
    expect(once(await exam('right', { once: false }, counting))).toMatchObject({ verdict: 'fail' });
  });

  it('stays open where the counter says no number, or does not move at all', async () => {
    expect(once(await exam('right', {}, { ...counting, processed: async () => undefined }))).toMatchObject({
      verdict: 'unclear',
      remark: 'not visible from outside',
    });
    receiver?.close();
    expect(once(await exam('right', {}, { ...counting, processed: async () => 7 }))).toMatchObject({
      verdict: 'unclear',
      remark: 'the count did not increase for the first request either',
    });
  });

  it('is counted in whole numbers only', () => {
    expect(['7', ' 7\n', '-1', '1.5', '', 'seven', undefined].map(readCount)).toEqual([
      7,
      7,
      ...Array(5).fill(undefined),
    ]);
  });
});

describe('the paper', () => {
  const all = (one: string) => {
    const { valid, again, others } = buildEndpointTestCases(SECRET, NOON, one);
    return { valid, again, cases: [valid, ...others] };
  };

  it('has an id of its own for each request but the one that comes again, and others in each exam', () => {
    const ids = (one: string) => all(one).cases.map(({ headers }) => headers['webhook-id'] ?? '');
    expect(new Set([...ids('a'), ...ids('b')]).size).toBe(2 * ids('a').length);
    const { valid, again } = all('a');
    expect([again.headers, again.body]).toEqual([valid.headers, valid.body]);
  });

  it('sends only pings that are marked as tests, and never the secret', () => {
    for (const { body, headers } of all('a').cases) {
      expect(JSON.parse(body)).toMatchObject({ type: 'tidings.ping', test: true });
      expect(JSON.stringify([body, headers])).not.toContain(SECRET.slice(6));
    }
  });
});
