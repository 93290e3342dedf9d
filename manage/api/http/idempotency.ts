/**
 * Processes a request with an `Idempotency-Key` once, and returns the same response to those that repeat it within a day.
 * Responses are stored encrypted, because they may contain a new secret.
 */

import { createHash } from 'node:crypto';
import { DAY, type Duration, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';
import { KEPT_UNIT_BYTES, takeKept } from './quotas.ts';
import type { RouteResult } from './route.ts';

const KEPT_FOR = DAY;
/** A request that takes longer was interrupted: API Gateway waits up to 30 s. */
const STALE_AFTER = MINUTE;

/** Characters of a sealed response. A larger one does not fit in an item of DynamoDB, which holds 400 KB. */
const MAX_SEALED_LENGTH = 350_000;

const REQUEST_ID_LENGTH = 20;

const KEY = /^[\x21-\x7e]{1,255}$/;

export interface IdempotentCall {
  readonly key: string;
  /** Method, path and body. */
  readonly request: string;
}

/** The id of a caller's key in the store: the same for every request with it. */
function idempotencyIdOf({ kind, id }: Caller, key: string): string {
  if (!KEY.test(key)) {
    const detail = 'Idempotency-Key: expected 1 to 255 characters without spaces';
    throw new Problem(400, 'TIDINGS_API_IDEMPOTENCY_KEY', { detail });
  }
  return sha256(`${kind} ${id} ${key}`);
}

/**
 * @param process gets the id of the request: 20 hex digits that are the same for each repetition. A later request with the same
 * key, after a day, has another id: what it makes, such as a token or a secret, must not be what it made before.
 */
export async function processOnce(
  api: Pick<ApiPorts, 'idempotency' | 'secrets' | 'clock' | 'requestLimiter'>,
  caller: Caller,
  { key, request }: IdempotentCall,
  process: (request: string) => Promise<RouteResult>,
): Promise<RouteResult> {
  const { idempotency, secrets, clock } = api;
  const id = idempotencyIdOf(caller, key);
  const fingerprint = sha256(request);
  const startedAt = clock.now();
  const times = { staleBefore: plus(startedAt, -STALE_AFTER), expiresAt: plus(startedAt, KEPT_FOR) };
  const { earlier, isNew, expiresAt } = await idempotency.begin(id, { fingerprint, startedAt }, times);
  if (earlier !== undefined) {
    if (earlier.fingerprint !== fingerprint) {
      const detail = 'Idempotency-Key: expected a new key for another request, got one that was used';
      throw new Problem(422, 'TIDINGS_API_IDEMPOTENCY_KEY', { detail });
    }
    if (earlier.response === null) {
      const detail = 'a request with this Idempotency-Key is in progress: repeat it in a moment';
      throw new Problem(409, 'TIDINGS_API_IN_PROGRESS', { detail, headers: { 'retry-after': '1' } });
    }
    const result = JSON.parse(await secrets.resolve(earlier.response)) as RouteResult;
    return { ...result, headers: { ...result.headers, 'idempotency-replayed': 'true' } };
  }
  try {
    const wait = await takeKept(api, caller, 1);
    if (wait > 0) throw tooManyKept(wait);
    const result = await process(sha256(`${id} ${expiresAt}`).slice(0, REQUEST_ID_LENGTH));
    const sealed = await secrets.seal(JSON.stringify(result));
    const further = Math.ceil(sealed.length / KEPT_UNIT_BYTES) - 1;
    // Hardly any response is that large: the same request is processed again.
    const isTooLarge = sealed.length > MAX_SEALED_LENGTH || (further > 0 && (await takeKept(api, caller, further)) > 0);
    if (isTooLarge) await idempotency.release(id);
    else await idempotency.finish(id, sealed);
    return result;
  } catch (error) {
    // Nothing was changed, or not all of it: the caller may repeat the request. Quotas are charged before anything is changed.
    if (isNew && error instanceof Problem && error.code === 'TIDINGS_API_QUOTA') await idempotency.forget(id);
    else await idempotency.release(id);
    throw error;
  }
}

function tooManyKept(wait: Duration): Problem {
  const seconds = String(Math.max(1, Math.ceil(wait / SECOND)));
  const detail = `this key has made many requests with an Idempotency-Key, whose responses are kept for a day: wait ${seconds} s`;
  return new Problem(429, 'TIDINGS_API_QUOTA', { detail, headers: { 'retry-after': seconds } });
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
