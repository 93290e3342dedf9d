/** Port: the responses to requests with an `Idempotency-Key`, so that a repeated request acts once. */

import type { Instant } from '../model/time.ts';

export interface IdempotentRequest {
  /** Hash of method, path and body: the same key with another request is an error. */
  readonly fingerprint: string;
  readonly startedAt: Instant;
  /** The response, encrypted, because it may contain a new secret. Null until the request has ended. */
  readonly response: string | null;
}

export interface IdempotencyStore {
  /**
   * Records the start of a request, unless one with this id is stored that started at or after `staleBefore` or has ended.
   * Returns that one; undefined when the caller is to process the request. @param id of caller and key
   */
  begin(
    id: string,
    request: Omit<IdempotentRequest, 'response'>,
    times: { readonly staleBefore: Instant; readonly expiresAt: Instant },
  ): Promise<IdempotentRequest | undefined>;
  /** Stores the response. */
  finish(id: string, response: string): Promise<void>;
  /** Forgets a request that failed, so that it can be repeated. */
  forget(id: string): Promise<void>;
  /** Deletes requests that expired before this instant, where they do not expire by themselves. */
  prune(now: Instant): Promise<void>;
}
