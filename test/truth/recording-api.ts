/** Wraps the API of a source and records the responses that Tidings receives. */

import type { ListQuery, Page, SourceApi } from '../../core/ports/source-api.ts';
import type { RecordedResponse } from './observation.ts';

/** The responses of a sweep, or of a lighter scan, of one resource. */
export interface RecordedScan {
  readonly resource: string;
  readonly isSweep: boolean;
  /** Tasks of some projects, read beside the scan of another resource. */
  readonly isBeside: boolean;
  readonly responses: readonly RecordedResponse[];
}

export interface RecordingApi extends SourceApi {
  /** Returns the responses of each scan since the last call, in order. */
  takeResponses(): readonly RecordedScan[];
}

/** `now` returns the number of the last journal entry that the API shows, whose the token is, and what they see. */
export function recordingApi(
  api: SourceApi,
  now: () => Pick<RecordedResponse, 'seq' | 'role' | 'person' | 'sight'>,
): RecordingApi {
  let recorded: (RecordedScan & { readonly responses: RecordedResponse[] })[] = [];
  /** Whether the last list was one of records whose moments had come: single records follow it. */
  let isDueRead = false;
  /** Whether the last response about the token's person named a role. */
  let hasRoleName = true;
  const note = (response: Partial<RecordedResponse>) => {
    const present = now();
    recorded.at(-1)?.responses.push({
      ...present,
      seesAll: present.role === 'Administrator' && hasRoleName,
      isSingle: false,
      ids: [],
      missingId: null,
      failedId: null,
      isUnconfirmed: false,
      isDueRead,
      ...response,
    });
  };
  const startScan = (resource: string, isSweep: boolean, isBeside: boolean) => {
    const current = recorded.at(-1);
    if (current?.resource === resource && current.isSweep === isSweep && current.isBeside === isBeside) return;
    recorded.push({ resource, isSweep, isBeside, responses: [] });
  };
  // One request at a time: a fault that changes the account during another request would come before this one is noted.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(request: () => Promise<Result>): Promise<Result> => {
    const result = last.then(request);
    last = result.catch(() => {});
    return result;
  };
  const recording: Pick<SourceApi, 'list' | 'get'> = {
    async list(resource, query, signal) {
      // A request for the count only: its row is not an observation.
      const isCount = query.limit === 1 && Object.keys(query.filters).length === 0;
      const page = await api.list(resource, query, signal).catch((error: unknown) => {
        if (resource === 'me') note({ isUnconfirmed: true });
        // The records of a list that fails are read one by one.
        else if (!isCount && isListOfDue(query)) {
          isDueRead = true;
          startScan(resource, false, false);
        }
        throw error;
      });
      if (resource === 'me') hasRoleName = namesRole(page);
      // Scans read in ascending order. The newest tasks only show whether the token sees tasks of others.
      if (!isCount && query.filters.order !== 'descending') {
        // An unreadable page throws here as it does in Tidings, so it is not recorded.
        const { rows } = page.content();
        isDueRead = isListOfDue(query);
        startScan(
          resource,
          Object.keys(query.filters).every((name) => name === 'order'),
          'projectIds' in query.filters && !isListOfDue(query),
        );
        note({ ids: rows.map(({ id }) => id) });
      }
      return page;
    },
    async get(resource, id, signal) {
      // A record of another resource only shows what the token sees.
      const noteScanned = (response: Partial<RecordedResponse>) => {
        const isOwn = resource === 'person' && id === now().person;
        if (resource === recorded.at(-1)?.resource && !isOwn) note({ ...response, isSingle: true });
      };
      try {
        const row = await api.get(resource, id, signal);
        noteScanned(row === undefined ? { missingId: id } : { ids: [id] });
        return row;
      } catch (error) {
        noteScanned({ failedId: id });
        throw error;
      }
    },
  };
  return {
    traits: api.traits,
    list: (...query) => inTurn(() => recording.list(...query)),
    get: (...query) => inTurn(() => recording.get(...query)),
    quota: (signal) => api.quota(signal),
    requests: () => api.requests(),
    takeResponses() {
      const taken = recorded;
      recorded = [];
      return taken;
    },
  };
}

/** Whether `/me/` names the group of the person, and not only its id. */
function namesRole(page: Page): boolean {
  const group = page.content().rows[0]?.parse().group;
  return typeof group === 'string' && group !== '';
}

/**
 * Deltas have no end, and only invoices are read by their local id for another reason. Tasks whose last activity has no
 * date, such as logged hours, are listed by their local ids and projects.
 */
function isListOfDue({ filters }: ListQuery): boolean {
  return ['dueFrom', 'modifiedBefore', 'localIds'].some((name) => name in filters);
}
