/** Sends requests within an API's rate limit and retries reads that failed with a transient error. */

import { type GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { type Duration, MINUTE, SECOND } from '../../../core/model/time.ts';
import { type ApiCall, type ApiExchangeOptions, type ApiResponse, exchange } from './exchange.ts';
import { type RequestPacer, type Sleep, sleepUnlessAborted } from './request-pacer.ts';

export interface RequestOptions extends ApiExchangeOptions {
  readonly pacer: RequestPacer;
  /** Retries of a read after its first try. */
  readonly retries: number;
  readonly sleep: Sleep;
  /** In [0, 1): jitter. */
  readonly random: () => number;
  /** Turns an unsuccessful response into an error that says what to do next. */
  readonly readError: (call: ApiCall, response: ApiResponse) => RetryLater | GiveUp;
  /** Called for each request, retries included. */
  readonly onSend: (call: ApiCall) => void;
}

/** Success statuses per method. Descriptions and references of APIs disagree on 200, 201 and 202, so all count. */
const SUCCESS = { GET: [200], POST: [200, 201], PUT: [200, 202], DELETE: [200] } as const;

/** APIs do not say when their minute started, so we wait a whole one. */
export const RATE_LIMIT_WAIT: Duration = MINUTE;

/** Each wait is a minute. A third rejection in a row means that other clients keep the address busy. */
const MAX_RATE_LIMIT_WAITS = 2;

const FIRST_DELAY: Duration = SECOND / 2;
const MAX_DELAY: Duration = 30 * SECOND;

/** Resolves with a successful response. Throws RetryLater, GiveUp, or the signal's reason. */
export async function requestWithRetries(
  options: RequestOptions,
  call: ApiCall,
  signal?: AbortSignal,
): Promise<ApiResponse> {
  const { pacer, retries, sleep, random } = options;
  let tries = 0;
  let rateLimitWaits = 0;
  for (;;) {
    await pacer.waitForSlot(signal);
    const result = await attempt(options, call, signal);
    if (!(result instanceof Error)) return result;
    if (result.code === 'TIDINGS_SOURCE_TOO_FAST') {
      // Pauses all requests: those that wait for a slot would be rejected as well.
      pacer.pauseFor(RATE_LIMIT_WAIT);
      if (call.method !== 'GET' || rateLimitWaits++ >= MAX_RATE_LIMIT_WAITS) throw result;
    } else {
      if (call.method !== 'GET' || !isTransient(result) || tries >= retries) throw result;
      await sleepUnlessAborted(sleep, backoffDelay(tries++, random()), signal);
    }
  }
}

/** Half fixed and half random, so that clients which failed together do not retry together. */
export function backoffDelay(tries: number, random: number): Duration {
  return Math.min(MAX_DELAY, FIRST_DELAY * 2 ** tries) * (0.5 + random / 2);
}

async function attempt(
  options: RequestOptions,
  call: ApiCall,
  signal?: AbortSignal,
): Promise<ApiResponse | RetryLater | GiveUp> {
  options.onSend(call);
  try {
    const response = await exchange(options, call, signal);
    const success: readonly number[] = SUCCESS[call.method];
    return success.includes(response.status) ? response : options.readError(call, response);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RetryLater) return error;
    throw error;
  }
}

/** Network errors and 5xx. A 4xx, or a response that is too large or has the wrong encoding, would only come again. */
function isTransient(error: RetryLater | GiveUp): boolean {
  if (error.code === 'TIDINGS_SOURCE_UNREACHABLE' || error.code === 'TIDINGS_SOURCE_CUT_OFF') return true;
  return error.code === 'TIDINGS_SOURCE_STATUS' && (error.evidence.status ?? 0) >= 500;
}
