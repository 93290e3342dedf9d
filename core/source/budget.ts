/** Puts a bound on the requests of a cycle, so that a list longer than thought cannot eat into people's share. */

import { RetryLater } from '../model/errors.ts';
import type { SourceApi } from '../ports/source-api.ts';

export function limitRequests(api: SourceApi, budget: number): SourceApi {
  const start = api.requests();
  let asked = 0;
  const spend = () => {
    // What was asked for may still wait for its turn, what was repeated was asked for once: whichever is more.
    if (Math.max(asked, api.requests() - start) < budget) {
      asked += 1;
      return;
    }
    throw new RetryLater(
      'TIDINGS_SOURCE_QUOTA_RESERVED',
      `the rest of today's quota is kept for people: ${budget} requests were left, and are made`,
    );
  };
  return {
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
  };
}
