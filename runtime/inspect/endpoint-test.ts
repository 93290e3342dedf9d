/**
 * Tests whether an endpoint verifies webhooks: sends the requests of `buildEndpointTestCases` and checks the responses.
 * Whether a retry is processed twice shows only when the endpoint reports a count.
 */

import type { HttpResponse, HttpTransport } from '../../adapters/http/http-transport.ts';
import { errorMessage, RetryLater } from '../../core/model/errors.ts';
import { between, type Clock, SECOND } from '../../core/model/time.ts';
import { buildEndpointTestCases, type EndpointTestCase } from './endpoint-test-cases.ts';

export interface EndpointTestOptions {
  readonly url: URL;
  readonly secret: string;
  readonly http: HttpTransport;
  readonly clock: Clock;
  /** Makes the ids of this test unique. */
  readonly seed: string;
  /** How many events the endpoint has processed so far. @default - the `x-processed` header of its responses */
  readonly processed?: (() => Promise<number | undefined>) | undefined;
  /** Called with each result as soon as it is known. */
  readonly onResult?: (result: EndpointTestResult) => void;
  readonly pause?: (ms: number) => Promise<void>;
}

/** `unclear`: the result cannot be observed, or the response is neither an acceptance nor a rejection. */
export type EndpointTestVerdict = 'pass' | 'fail' | 'unclear';

export interface EndpointTestResult {
  readonly name: string;
  readonly sent: string;
  readonly expected: string;
  /** null when there was no response. */
  readonly status: number | null;
  readonly ms: number;
  readonly verdict: EndpointTestVerdict;
  /** A note on the response. */
  readonly remark: string | null;
  /** How to fix the endpoint; null when it passed. */
  readonly fix: string | null;
}

/** Whether the endpoint verifies webhooks. The check for duplicate processing may be unclear: few endpoints report a count. */
export function isPassed(results: readonly EndpointTestResult[]): boolean {
  return (
    results.length > 1 &&
    results.every(({ name, verdict }) => verdict === 'pass' || (verdict === 'unclear' && name === PROCESSED_ONCE))
  );
}

const PROCESSED_ONCE = 'processed-once';

/** Slower endpoints risk timeouts under load: deliveries wait 15 s. */
const SLOW_RESPONSE_MS = 5 * SECOND;

/** Time for an endpoint that processes events after it has responded. */
const SETTLE_MS = 1000;

export async function testEndpoint(options: EndpointTestOptions): Promise<readonly EndpointTestResult[]> {
  const { secret, clock, seed, onResult = () => {} } = options;
  const { valid, again, others } = buildEndpointTestCases(secret, clock.now(), seed);
  const results: EndpointTestResult[] = [];
  const report = (result: EndpointTestResult) => {
    results.push(result);
    onResult(result);
  };
  const count = { before: await options.processed?.(), first: undefined as number | undefined };
  const first = await sendCase(options, valid);
  const firstResult = evaluate(valid, first);
  report(firstResult);
  // An endpoint that rejects everything would pass the other cases without verifying anything.
  if (first.response === undefined || firstResult.verdict === 'fail') return results;
  count.first = await readCountAfter(options, first.response);
  const second = await sendCase(options, again);
  report(evaluate(again, second));
  const countAfterRetry = second.response === undefined ? undefined : await readCountAfter(options, second.response);
  report(evaluateProcessedOnce(count, countAfterRetry));
  for (const one of others) report(evaluate(one, await sendCase(options, one)));
  return results;
}

interface Exchange {
  readonly response: HttpResponse | undefined;
  readonly ms: number;
  readonly problem: string | null;
}

async function sendCase(
  { url, http, clock }: EndpointTestOptions,
  { headers, body }: EndpointTestCase,
): Promise<Exchange> {
  const at = clock.now();
  try {
    const response = await http.post(url, headers, body);
    return { response, ms: between(at, clock.now()), problem: null };
  } catch (error) {
    // A blocked address is an error of the caller, not of the endpoint.
    if (!(error instanceof RetryLater)) throw error;
    return { response: undefined, ms: between(at, clock.now()), problem: errorMessage(error) };
  }
}

function evaluate(
  { name, sent, expected, fix }: EndpointTestCase,
  { response, ms, problem }: Exchange,
): EndpointTestResult {
  const status = response?.status ?? null;
  const accepted = status !== null && status >= 200 && status < 300;
  // A timeout or a 429 says nothing about the signature.
  const isUnclear = expected === 'refuse' && (status === null || status === 429);
  const verdict = isUnclear ? 'unclear' : accepted === (expected === 'accept') ? 'pass' : 'fail';
  const remark = problem ?? describeResponse(status ?? 0, accepted, ms);
  const expectedStatus = expected === 'accept' ? '2xx' : '401 or another 4xx';
  return { name, sent, expected: expectedStatus, status, ms, verdict, remark, fix: verdict === 'fail' ? fix : null };
}

function describeResponse(status: number, accepted: boolean, ms: number): string | null {
  if (status === 410) return '410 Gone would disable the subscription';
  if (status >= 300 && status < 400) return 'redirects are not followed';
  if (status === 404) return 'check the path';
  if (status === 429) return 'rate limited: says nothing about the signature';
  if (status >= 500) return 'server error instead of a rejection';
  return accepted && ms > SLOW_RESPONSE_MS ? `took ${ms} ms: respond first, process later` : null;
}

async function readCountAfter(
  { processed, pause = wait }: EndpointTestOptions,
  { headers }: HttpResponse,
): Promise<number | undefined> {
  if (processed === undefined) return readCount(headers['x-processed']);
  await pause(SETTLE_MS);
  return processed();
}

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Undefined unless the text is a whole number. */
export function readCount(text: unknown): number | undefined {
  return typeof text === 'string' && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}

/** Whether the second of two identical requests was processed. */
function evaluateProcessedOnce(
  { before, first }: { readonly before: number | undefined; readonly first: number | undefined },
  second: number | undefined,
): EndpointTestResult {
  const base = {
    name: PROCESSED_ONCE,
    sent: '(how often the two requests were processed)',
    expected: 'once',
    status: null,
    ms: 0,
  };
  const unclear = (remark: string): EndpointTestResult => ({ ...base, verdict: 'unclear', remark, fix: null });
  if (first === undefined || second === undefined) return unclear('not visible from outside');
  if (before !== undefined && first === before)
    return unclear('the count did not increase for the first request either');
  if (second === first) return { ...base, verdict: 'pass', remark: null, fix: null };
  return {
    ...base,
    verdict: 'fail',
    remark: `the second request raised the count from ${first} to ${second}`,
    fix: 'Store each webhook-id you have processed and ignore requests that repeat it: retries and replays keep the id.',
  };
}
