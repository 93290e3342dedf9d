/**
 * Examines an endpoint: sends what `examPaper` makes and judges the answers. Can tell whether it verifies; whether it does
 * anything twice only where it says so itself.
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
  /** Makes the ids of this exam its own. */
  readonly seed: string;
  /** How many events the endpoint has dealt with so far, from elsewhere. @default - the header `x-processed` of its answers */
  readonly processed?: (() => Promise<number | undefined>) | undefined;
  /** Called with each result as it comes. */
  readonly onResult?: (result: EndpointTestResult) => void;
  readonly pause?: (ms: number) => Promise<void>;
}

/** `unclear`: it cannot be told from outside, or the answer says neither yes nor no. Not held against it. */
export type EndpointTestVerdict = 'pass' | 'fail' | 'unclear';

export interface EndpointTestResult {
  readonly name: string;
  readonly sent: string;
  readonly expected: string;
  /** null when there was no answer. */
  readonly status: number | null;
  readonly ms: number;
  readonly verdict: EndpointTestVerdict;
  /** What is worth knowing about the answer. */
  readonly remark: string | null;
  /** What to mend; null when there is nothing to. */
  readonly mend: string | null;
}

/** Whether it truly verifies. That it does nothing twice may stay open: few endpoints tell. */
export function isPassed(results: readonly EndpointTestResult[]): boolean {
  return (
    results.length > 1 &&
    results.every(({ name, verdict }) => verdict === 'pass' || (verdict === 'unclear' && name === TWICE))
  );
}

const TWICE = 'processed-once';

/** Longer than this, and a busy day would bring timeouts: deliveries wait 15 s. */
const SLOW = 5 * SECOND;

/** Time for an endpoint that works after it answered, before it is said to have done nothing. */
const SETTLE_MS = 1000;

export async function testEndpoint(options: EndpointTestOptions): Promise<readonly EndpointTestResult[]> {
  const { secret, clock, seed, onResult: told = () => {} } = options;
  const { valid, again, others } = buildEndpointTestCases(secret, clock.now(), seed);
  const results: EndpointTestResult[] = [];
  const tell = (result: EndpointTestResult) => {
    results.push(result);
    told(result);
  };
  const count = { before: await options.processed?.(), first: undefined as number | undefined };
  const first = await ask(options, valid);
  const judged = judge(valid, first);
  tell(judged);
  // To refuse everything is no art: the other answers would mean nothing.
  if (first.answer === undefined || judged.verdict === 'fail') return results;
  count.first = await countAfter(options, first.answer);
  const second = await ask(options, again);
  tell(judge(again, second));
  tell(judgeTwice(count, second.answer === undefined ? undefined : await countAfter(options, second.answer)));
  for (const one of others) tell(judge(one, await ask(options, one)));
  return results;
}

interface Asked {
  readonly answer: HttpResponse | undefined;
  readonly ms: number;
  readonly problem: string | null;
}

async function ask({ url, http, clock }: EndpointTestOptions, { headers, body }: EndpointTestCase): Promise<Asked> {
  const at = clock.now();
  try {
    const answer = await http.post(url, headers, body);
    return { answer, ms: between(at, clock.now()), problem: null };
  } catch (error) {
    // An address that is refused is the examiner's affair, not the endpoint's.
    if (!(error instanceof RetryLater)) throw error;
    return { answer: undefined, ms: between(at, clock.now()), problem: errorMessage(error) };
  }
}

function judge({ name, sent, expected, mend }: EndpointTestCase, { answer, ms, problem }: Asked): EndpointTestResult {
  const status = answer?.status ?? null;
  const accepted = status !== null && status >= 200 && status < 300;
  // Neither silence nor "too fast" is an answer to what was asked.
  const dodged = expected === 'refuse' && (status === null || status === 429);
  const verdict = dodged ? 'unclear' : accepted === (expected === 'accept') ? 'pass' : 'fail';
  const remark = problem ?? remarkOn(status ?? 0, accepted, ms);
  const words = expected === 'accept' ? '2xx' : '401 or another 4xx';
  return { name, sent, expected: words, status, ms, verdict, remark, mend: verdict === 'fail' ? mend : null };
}

function remarkOn(status: number, accepted: boolean, ms: number): string | null {
  if (status === 410) return '410 asks for nothing more: the subscription would be disabled';
  if (status >= 300 && status < 400) return 'redirects are not followed';
  if (status === 404) return 'is the path right?';
  if (status === 429) return 'too fast for it: this says nothing about the signature';
  if (status >= 500) return 'it broke rather than refuse';
  return accepted && ms > SLOW ? `took ${ms} ms: answer first, work afterwards` : null;
}

async function countAfter(
  { processed, pause = wait }: EndpointTestOptions,
  { headers }: HttpResponse,
): Promise<number | undefined> {
  if (processed === undefined) return readCount(headers['x-processed']);
  await pause(SETTLE_MS);
  return processed();
}

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Undefined for anything but a whole number. */
export function readCount(text: unknown): number | undefined {
  return typeof text === 'string' && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}

/** Whether the second of two equal requests did anything. */
function judgeTwice(
  { before, first }: { readonly before: number | undefined; readonly first: number | undefined },
  second: number | undefined,
): EndpointTestResult {
  const about = {
    name: TWICE,
    sent: '(how often it dealt with the two)',
    expected: 'once',
    status: null,
    ms: 0,
  };
  const unclear = (remark: string): EndpointTestResult => ({ ...about, verdict: 'unclear', remark, mend: null });
  if (first === undefined || second === undefined) return unclear('cannot be told from outside');
  if (before !== undefined && first === before) return unclear('its count did not move for the first one either');
  if (second === first) return { ...about, verdict: 'pass', remark: null, mend: null };
  return {
    ...about,
    verdict: 'fail',
    remark: `its count went from ${first} to ${second} with the second`,
    mend: 'Remember each webhook-id once it is dealt with, and do nothing when it comes again: retries and replays carry the same id.',
  };
}
