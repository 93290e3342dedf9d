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
import { type ReceiverOptions, type RunningReceiver, startReceiver, VERIFIERS } from '../receivers.ts';

const clock = { now: () => fromMillis(Date.now()) };
const http = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: 10_000 });
let receiver: RunningReceiver | undefined;
let seed = 0;

afterEach(() => receiver?.close());
afterAll(() => http.close());

async function runTest(
  verifier: keyof typeof VERIFIERS,
  receiverOptions: ReceiverOptions = {},
  options: Partial<EndpointTestOptions> = {},
) {
  receiver = await startReceiver(VERIFIERS[verifier], receiverOptions);
  seed += 1;
  return testEndpoint({ url: new URL(receiver.url), secret: SECRET, http, clock, seed: String(seed), ...options });
}

const named = (results: readonly EndpointTestResult[], verdict: string) =>
  results.filter((result) => result.verdict === verdict).map(({ name }) => name);

const INVALID = [
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
  it.each(['right', 'rightByHand'] as const)('passes the receiver %s', async (verifier) => {
    const results = await runTest(verifier);
    expect(named(results, 'pass')).toEqual(['valid', 'again', 'raw-bytes', 'big', 'rotation', ...INVALID]);
    expect(named(results, 'unclear')).toEqual(['processed-once']);
    expect(isPassed(results)).toBe(true);
    expect(results.every(({ fix }) => fix === null)).toBe(true);
  });

  it.each([
    ['acceptsEverything', INVALID],
    ['ignoresTime', ['stale', 'future']],
    ['ignoresTheFuture', ['future']],
    ['reserializesJson', ['raw-bytes', 'respaced']],
    ['readsLatin1', ['raw-bytes']],
    ['acceptsOneSignatureOnly', ['rotation']],
    ['acceptsAnyOfSeveral', ['none-good']],
    ['comparesTheStart', ['none-good']],
    ['ignoresVersions', ['none-good']],
    ['acceptsUnsigned', ['unsigned']],
  ] as const)('detects the faults of the receiver %s', async (verifier, faults) => {
    const results = await runTest(verifier);
    expect(named(results, 'fail')).toEqual(faults);
    expect(isPassed(results)).toBe(false);
    for (const { verdict, fix } of results) expect(fix === null).toBe(verdict !== 'fail');
  });

  it('stops when a valid request is rejected, because other rejections would mean nothing', async () => {
    const results = await runTest('rejectsEverything');
    expect(results).toMatchObject([
      { name: 'valid', status: 401, verdict: 'fail', fix: expect.stringContaining('base64') },
    ]);
    expect(isPassed(results)).toBe(false);
  });

  it('suggests checking the path after a 404', async () => {
    expect(await runTest('rejectsEverything', { refusal: 404 })).toMatchObject([{ remark: 'check the path' }]);
  });

  it('detects a body limit that is too low', async () => {
    const results = await runTest('right', { maxBytes: 100 * 1024 });
    expect(named(results, 'fail')).toEqual(['big']);
  });

  it('stops after one request when there is no response', async () => {
    receiver = await startReceiver(VERIFIERS.right);
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
  ] as const)('reports %s as unclear for invalid requests', async (_, status) => {
    const results = await runTest('right', {
      later: (response) => (status === null ? response.destroy() : response.writeHead(status).end()),
    });
    expect(named(results, 'unclear')).toEqual(['processed-once', ...INVALID]);
    expect(named(results, 'fail')).toEqual(['again', 'raw-bytes', 'big', 'rotation']);
    expect(isPassed(results)).toBe(false);
  });

  it('counts a 500 as a rejection with a remark, and warns about 410', async () => {
    const broken = await runTest('right', { refusal: 500 });
    expect(isPassed(broken)).toBe(true);
    expect(broken.at(-1)).toMatchObject({ verdict: 'pass', remark: 'server error instead of a rejection' });
    receiver?.close();
    expect((await runTest('right', { refusal: 410 })).at(-1)?.remark).toContain('would disable');
  });

  it('reports each result as soon as it is known', async () => {
    const reported: EndpointTestResult[] = [];
    expect(await runTest('right', {}, { onResult: (result) => reported.push(result) })).toEqual(reported);
  });
});

describe('duplicate processing', () => {
  const once = (results: readonly EndpointTestResult[]) => results.find(({ name }) => name === 'processed-once');

  it('is detected by the x-processed header of responses', async () => {
    expect(once(await runTest('right', { reportsCount: true }))).toMatchObject({ verdict: 'pass', fix: null });
    receiver?.close();
    const twice = await runTest('right', { reportsCount: true, once: false });
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

  it('is detected by a separate counter', async () => {
    expect(once(await runTest('right', {}, counting))).toMatchObject({ verdict: 'pass' });
    receiver?.close();
    expect(once(await runTest('right', { once: false }, counting))).toMatchObject({ verdict: 'fail' });
  });

  it('is unclear when the counter returns no number or never increases', async () => {
    expect(once(await runTest('right', {}, { ...counting, processed: async () => undefined }))).toMatchObject({
      verdict: 'unclear',
      remark: 'not visible from outside',
    });
    receiver?.close();
    expect(once(await runTest('right', {}, { ...counting, processed: async () => 7 }))).toMatchObject({
      verdict: 'unclear',
      remark: 'the count did not increase for the first request either',
    });
  });

  it('is counted with whole numbers only', () => {
    expect(['7', ' 7\n', '-1', '1.5', '', 'seven', undefined].map(readCount)).toEqual([
      7,
      7,
      ...Array(5).fill(undefined),
    ]);
  });
});

describe('buildEndpointTestCases', () => {
  const all = (one: string) => {
    const { valid, again, others } = buildEndpointTestCases(SECRET, NOON, one);
    return { valid, again, cases: [valid, ...others] };
  };

  it('uses a unique id for each request except the retry, and other ids in each test', () => {
    const ids = (one: string) => all(one).cases.map(({ headers }) => headers['webhook-id'] ?? '');
    expect(new Set([...ids('a'), ...ids('b')]).size).toBe(2 * ids('a').length);
    const { valid, again } = all('a');
    expect([again.headers, again.body]).toEqual([valid.headers, valid.body]);
  });

  it('contains only pings marked as tests, and never the secret', () => {
    for (const { body, headers } of all('a').cases) {
      expect(JSON.parse(body)).toMatchObject({ type: 'tidings.ping', test: true });
      expect(JSON.stringify([body, headers])).not.toContain(SECRET.slice(6));
    }
  });
});
