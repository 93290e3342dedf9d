/** The client of Redmine: lists and single records, translated into our model. Believes an answer only while the key is valid. */

import { GiveUp } from '../../../core/model/errors.ts';
import { isJsonObject } from '../../../core/model/json.ts';
import { type Duration, HOUR, MINUTE, SECOND } from '../../../core/model/time.ts';
import type { ListFilters, ListQuery, Page, WireRow } from '../../../core/ports/source-api.ts';
import type { SourceClient } from '../definition.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { type HttpClientOptions, openHttpClient } from '../http/http-client.ts';
import { invalidJsonResponse, type JsonPageOptions, jsonPage, readJsonResponse, rowsIn } from '../http/json-page.ts';
import { CURRENT_USER, toRedmineError, unauthorized } from './api-error.ts';
import { HISTORY, MAX_PAGE_SIZE, PATHS, SETTINGS } from './resources.ts';
import { type RedmineRow, TRANSLATIONS } from './rows.ts';
import { redmineTraits } from './traits.ts';

/** Redmine has no limit of its own; small servers answer ten requests a second. */
const PER_MINUTE = 600;

/** For so long, a key that was valid is taken as valid. Not for lists of changes: their cursor would move past what nobody saw. */
const VALID_FOR: Duration = 30 * SECOND;

/** Statuses, trackers and priorities are read once for the changes of a while. */
const REREAD_SETTINGS: Duration = 10 * MINUTE;

/** How often the server is asked whether it shows anything to people who did not log in. */
const REREAD_LOGIN_REQUIRED: Duration = HOUR;

export function redmineApi(options: HttpClientOptions): SourceClient {
  const { now = () => performance.now() } = options;
  const { send, excerpt, ...client } = openHttpClient(options, {
    credentials: { 'x-redmine-api-key': options.token },
    readError: toRedmineError,
    perMinute: PER_MINUTE,
  });
  let validAt = Number.NEGATIVE_INFINITY;
  const settings = new Map<string, { readonly at: number; readonly rows: readonly RedmineRow[] }>();
  let login: { readonly isRequired: boolean; readonly at: number } | undefined;

  const read = async (path: string, signal?: AbortSignal): Promise<{ content: RedmineRow; response: ApiResponse }> => {
    const response = await send('GET', path, { signal });
    return { content: readJsonResponse(path, response, excerpt), response };
  };

  /** A wrong key gets 200 with what everybody sees, unless the server requires a login: then every request fails. */
  const isLoginRequired = async (signal?: AbortSignal): Promise<boolean> => {
    if (login !== undefined && now() - login.at < REREAD_LOGIN_REQUIRED) return login.isRequired;
    const isRequired = await send('GET', 'issues.json?limit=1', { signal, isAnonymous: true }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_UNAUTHORIZED') return true;
        throw error;
      },
    );
    login = { isRequired, at: now() };
    return isRequired;
  };

  const readPerson = async (signal?: AbortSignal): Promise<RedmineRow> => {
    const { content } = await read(CURRENT_USER, signal);
    if (!isJsonObject(content.user) || content.user.id === undefined) throw unauthorized();
    validAt = now();
    return content.user;
  };

  const assertValid = async (signal?: AbortSignal, since = now() - VALID_FOR): Promise<void> => {
    if (validAt >= since || (await isLoginRequired(signal))) return;
    await readPerson(signal);
  };

  /** All rows of a list that needs several requests. */
  const readAll = async (path: string, key: string, signal?: AbortSignal): Promise<readonly RedmineRow[]> => {
    const rows: RedmineRow[] = [];
    for (let total = 1; rows.length < total; ) {
      const { content } = await read(`${path}&offset=${rows.length}&limit=${MAX_PAGE_SIZE}`, signal);
      const page = rowsIn(content, key, path);
      if (page.length === 0) break;
      rows.push(...page);
      total = Number(content.total_count ?? rows.length);
    }
    return rows;
  };

  /** Each project lists its versions, and those that others share with it. */
  const readVersions = async (signal?: AbortSignal): Promise<readonly RedmineRow[]> => {
    const versions = new Map<unknown, RedmineRow>();
    for (const { id } of await readAll(
      `projects.json?status=${encodeURIComponent(ALL_PROJECTS)}`,
      'projects',
      signal,
    )) {
      const { content } = await read(`projects/${id}/versions.json`, signal).catch((error: unknown) => {
        // Archived meanwhile, or without the module.
        if (error instanceof GiveUp && error.code !== 'TIDINGS_SOURCE_UNAUTHORIZED')
          return { content: { versions: [] } };
        throw error;
      });
      for (const version of rowsIn(content, 'versions', 'versions')) versions.set(version.id, version);
    }
    return [...versions.values()];
  };

  const readSettings = async (name: string, [path, key]: readonly [string, string], signal?: AbortSignal) => {
    const known = settings.get(name);
    if (known !== undefined && now() - known.at < REREAD_SETTINGS) return known.rows;
    const rows = rowsIn((await read(path, signal)).content, key, path);
    settings.set(name, { at: now(), rows });
    return rows;
  };

  const listRows = async (resource: string, query: ListQuery, signal?: AbortSignal): Promise<Page> => {
    const start = now();
    const pageOf = (rows: readonly RedmineRow[], listCount: number, response: JsonPageOptions['response']) =>
      jsonPage({ rows, listCount, limit: query.limit, response, translate: (row) => translate(resource, row) });
    if (resource === 'me') return pageOf([await readPerson(signal)], 1, { took: now() - start });
    if (SETTINGS[resource] !== undefined) {
      const rows = await readSettings(resource, SETTINGS[resource], signal);
      return pageOf(rows, rows.length, { took: now() - start });
    }
    if (resource === 'milestone') {
      const all = await readVersions(signal);
      const rows = all.slice(query.offset, query.offset + query.limit);
      return pageOf(rows, all.length, { took: now() - start });
    }
    const { list } = PATHS[resource] ?? unknownResource(resource);
    const path = `${list}.json?${searchOf(resource, query)}`;
    const { content, response } = await read(path, signal);
    const rows = rowsIn(content, list, path);
    if (typeof content.total_count !== 'number') throw invalidJsonResponse(path, 'it does not count its rows');
    return pageOf(rows, content.total_count, response);
  };

  return {
    ...client,
    traits: redmineTraits,
    async list(resource, query, signal) {
      const isDelta = query.filters.modifiedAfter !== undefined;
      if (!isDelta && resource !== 'me') await assertValid(signal);
      const start = now();
      const page = await listRows(resource, query, signal);
      if (isDelta) await assertValid(signal, start);
      return page;
    },
    async get(resource, id, signal) {
      if (!/^\d+$/.test(id))
        throw new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', `${resource}: expected an id of digits, got '${id}'`);
      await assertValid(signal);
      const isHistory = resource === HISTORY;
      const { list, one } = PATHS[isHistory ? 'task' : resource] ?? unknownResource(resource);
      try {
        const { content } = await read(`${list}/${id}.json${isHistory ? '?include=journals' : ''}`, signal);
        const row = content[one];
        if (!isJsonObject(row) || String(row.id) !== id)
          throw invalidJsonResponse(`${list}/${id}.json`, `it has no ${one} ${id}`);
        return isHistory ? row : translate(resource, row);
      } catch (error) {
        if (error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_NOT_FOUND') return undefined;
        throw error;
      }
    },
    // There is none.
    quota: async () => null,
  };
}

/** Active and closed ones: Redmine leaves closed projects out unless it is asked for them. */
const ALL_PROJECTS = '1|5';

function searchOf(resource: string, { offset, limit, filters }: ListQuery): string {
  const search = new URLSearchParams(resource === 'task' ? issueFilters(filters) : []);
  if (resource === 'project') search.set('status', ALL_PROJECTS);
  search.set('offset', String(offset));
  search.set('limit', String(limit));
  return search.toString();
}

/** Closed issues are left out unless every status is asked for. */
function issueFilters(filters: ListFilters): [string, string][] {
  const { order, modifiedAfter, modifiedBefore, ids, localIds, projectIds } = filters;
  const condition = (field: string, operator: string, values: readonly string[]): [string, string][] => [
    ['f[]', field],
    [`op[${field}]`, operator],
    ...values.map((value): [string, string] => [`v[${field}][]`, value]),
  ];
  // In whole seconds, both ends included.
  const range = [modifiedAfter, modifiedBefore].flatMap((end) => (end === undefined ? [] : [`${end.slice(0, 19)}Z`]));
  const wanted = ids ?? localIds;
  return [
    ...condition('status_id', '*', []),
    ...(modifiedAfter === undefined ? [] : condition('updated_on', modifiedBefore === undefined ? '>=' : '><', range)),
    ...(wanted === undefined ? [] : condition('issue_id', '=', [wanted.join(',')])),
    ...(projectIds === undefined ? [] : condition('project_id', '=', projectIds)),
    ...(order === undefined ? [] : [['sort', order === 'ascending' ? 'id' : 'id:desc'] as [string, string]]),
  ];
}

/** A row without a translation is one of another resource. */
function translate(resource: string, row: RedmineRow): WireRow {
  return TRANSLATIONS[resource]?.(row) ?? row;
}

function unknownResource(resource: string): never {
  throw new GiveUp('TIDINGS_SOURCE_NOT_FOUND', `Redmine has no ${resource}`);
}
