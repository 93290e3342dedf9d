/** Sends requests at the API's pace and repeats the reads that may yet succeed. Knows nothing of what answers mean. */

import { type GiveUp, RetryLater } from '../../core/model/errors.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import { type ApiCall, type ApiExchangeOptions, type ApiResponse, exchange } from './exchange.ts';
import { type RequestPacer, type Sleep, sleepUnlessAborted } from './pace.ts';
import { refusal, TOO_FAST_WAIT } from './refusal.ts';

export interface RequestOptions extends ApiExchangeOptions {
  readonly pace: RequestPacer;
  /** Repetitions of a read after its first try. */
  readonly retries: number;
  readonly sleep: Sleep;
  /** In [0, 1): jitter. */
  readonly random: () => number;
  /** Called for each request that leaves, repetitions too. */
  readonly sent: (call: ApiCall) => void;
}

/** What counts as success for each method: description and reference differ on 200, 201 and 202, so all are taken. */
const SUCCESS = { GET: [200], POST: [200, 201], PUT: [200, 202], DELETE: [200] } as const;

/** Waits of a minute each: a third refusal in a row means that others keep the address busy. */
const TOO_FAST_WAITS = 2;

const FIRST_DELAY: Duration = SECOND / 2;
const LONGEST_DELAY: Duration = 30 * SECOND;

/** An answer that is a success, or RetryLater, GiveUp, or the signal's reason. */
export async function request(options: RequestOptions, call: ApiCall, signal?: AbortSignal): Promise<ApiResponse> {
  const { pace, retries, sleep, random } = options;
  let tries = 0;
  let tooFast = 0;
  for (;;) {
    await pace.turn(signal);
    const result = await attempt(options, call, signal);
    if (!(result instanceof Error)) return result;
    if (result.code === 'TIDINGS_SOURCE_TOO_FAST') {
      // For everybody: those who wait for their turn would only be refused as well.
      pace.close(TOO_FAST_WAIT);
      if (call.method !== 'GET' || tooFast++ >= TOO_FAST_WAITS) throw result;
    } else {
      if (call.method !== 'GET' || !mayPass(result) || tries >= retries) throw result;
      await sleepUnlessAborted(sleep, backoff(tries++, random()), signal);
    }
  }
}

/** Half of it fixed, half of it chance, so that clients which failed together do not come back together. */
export function backoff(tries: number, random: number): Duration {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** tries) * (0.5 + random / 2);
}

async function attempt(
  options: RequestOptions,
  call: ApiCall,
  signal?: AbortSignal,
): Promise<ApiResponse | RetryLater | GiveUp> {
  options.sent(call);
  try {
    const answer = await exchange(options, call, signal);
    const success: readonly number[] = SUCCESS[call.method];
    return success.includes(answer.status) ? answer : refusal(call, answer, options.excerpt);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RetryLater) return error;
    throw error;
  }
}

/** The network, and 5xx. An answer of 4xx, one too large or of the wrong kind would only be given again. */
function mayPass(error: RetryLater | GiveUp): boolean {
  if (error.code === 'TIDINGS_SOURCE_UNREACHABLE' || error.code === 'TIDINGS_SOURCE_CUT_OFF') return true;
  return error.code === 'TIDINGS_SOURCE_STATUS' && (error.evidence.status ?? 0) >= 500;
}
