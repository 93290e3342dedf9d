/** Port: the responses to requests with an `Idempotency-Key`, so that a repeated request acts once. */

import type { Instant } from '../model/time.ts';

export interface IdempotentRequest {
  /** Hash of method, path and body: the same key with another request is an error. */
  readonly fingerprint: string;
  readonly startedAt: Instant;
  /** The response, encrypted, because it may contain a new secret. Null until the request has ended. */
  readonly response: string | null;
}

interface BegunRequest {
  /** The stored one, which is in progress or has ended. Undefined: the caller is to process the request. */
  readonly earlier?: IdempotentRequest;
  /** Whether nothing was stored of it. */
  readonly isNew: boolean;
  /** Until then the id stands for one request: the same instant for each repetition, also after one that failed. */
  readonly expiresAt: Instant;
}

export interface IdempotencyStore {
  /**
   * Records the start of a request, unless one with this id is stored that started at or after `staleBefore` or has ended.
   * @param id of caller and key
   */
  begin(
    id: string,
    request: Omit<IdempotentRequest, 'response'>,
    times: { readonly staleBefore: Instant; readonly expiresAt: Instant },
  ): Promise<BegunRequest>;
  /** Stores the response. */
  finish(id: string, response: string): Promise<void>;
  /** For a request that failed: it can be repeated at once, until its expiry. */
  release(id: string): Promise<void>;
  /** For a request that was refused before anything was changed, and whose id was new: nothing of it stays. */
  forget(id: string): Promise<void>;
  /** Deletes requests that expired before this instant, where they do not expire by themselves. */
  prune(now: Instant): Promise<void>;
}
