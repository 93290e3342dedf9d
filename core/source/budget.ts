/** Limits the requests of a poll cycle, so that a list longer than expected does not use quota reserved for people. */

import { RetryLater } from '../model/errors.ts';
import type { SourceApi } from '../ports/source-api.ts';

export function limitRequests(api: SourceApi, budget: number): SourceApi {
  const start = api.requests();
  let started = 0;
  const spend = () => {
    // Calls may still be queued, and retries are not calls: the larger number counts.
    if (Math.max(started, api.requests() - start) < budget) {
      started += 1;
      return;
    }
    throw new RetryLater('TIDINGS_SOURCE_QUOTA_RESERVED', `quota reserve reached after ${budget} requests`);
  };
  return {
    traits: api.traits,
    list: async (...query) => {
      spend();
      return api.list(...query);
    },
    get: async (...query) => {
      spend();
      return api.get(...query);
    },
    quota: (signal) => api.quota(signal),
    requests: () => api.requests(),
    tokenDigest: () => api.tokenDigest?.(),
  };
}
