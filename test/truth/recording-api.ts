/** Wraps the API of a source and records the responses that Tidings receives. */

import type { SourceApi } from '../../core/ports/source-api.ts';
import type { RecordedResponse } from './observation.ts';

export interface RecordingApi extends SourceApi {
  /** Returns the responses since the last call, by resource, in order. */
  takeResponses(): ReadonlyMap<string, readonly RecordedResponse[]>;
}

/** `now` returns the number of the last journal entry and the role of the token. */
export function recordingApi(api: SourceApi, now: () => Pick<RecordedResponse, 'seq' | 'role'>): RecordingApi {
  let recorded = new Map<string, RecordedResponse[]>();
  const note = (resource: string, ids: readonly string[], missingId: string | null = null) => {
    const responses = recorded.get(resource) ?? [];
    recorded.set(resource, responses);
    responses.push({ ...now(), ids, missingId });
  };
  return {
    async list(resource, query, signal) {
      const page = await api.list(resource, query, signal);
      // A request for the count only: its row is not an observation.
      const isCount = query.limit === 1 && Object.keys(query.filters).length === 0;
      if (!isCount) {
        // An unreadable page throws here as it does in Tidings, so it is not recorded.
        const { rows } = page.content();
        note(
          resource,
          rows.map(({ id }) => id),
        );
      }
      return page;
    },
    async get(resource, id, signal) {
      const row = await api.get(resource, id, signal);
      note(resource, row === undefined ? [] : [id], row === undefined ? id : null);
      return row;
    },
    quota: (signal) => api.quota(signal),
    requests: () => api.requests(),
    takeResponses() {
      const taken = recorded;
      recorded = new Map();
      return taken;
    },
  };
}
