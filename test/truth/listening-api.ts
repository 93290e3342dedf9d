/** Writes down what the API answers to Tidings, and changes nothing of it. */

import type { SourceApi } from '../../core/ports/source-api.ts';
import type { Answer } from './observation.ts';

export interface ListeningApi extends SourceApi {
  /** Answers since the last call, by resource, in the order in which they came. */
  take(): ReadonlyMap<string, readonly Answer[]>;
}

/** `now` returns the last entry of the journal and the person whose token reads. */
export function listeningApi(api: SourceApi, now: () => Pick<Answer, 'seq' | 'role'>): ListeningApi {
  let heard = new Map<string, Answer[]>();
  const note = (resource: string, ids: readonly string[], gone: string | null = null) => {
    const answers = heard.get(resource) ?? [];
    heard.set(resource, answers);
    answers.push({ ...now(), ids, gone });
  };
  return {
    async list(resource, query, signal) {
      const page = await api.list(resource, query, signal);
      // A request for the count only: its row is not an observation.
      const isCount = query.limit === 1 && Object.keys(query.filters).length === 0;
      if (!isCount) {
        // A page that cannot be read throws, here as there: then nothing was heard.
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
    take() {
      const taken = heard;
      heard = new Map();
      return taken;
    },
  };
}
