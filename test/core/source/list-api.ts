/** An API in memory for property tests: one list that can be changed between any two of its answers. */

import { createHash } from 'node:crypto';
import { workTraits } from '../../../adapters/sources/work/traits.ts';
import { GiveUp } from '../../../core/model/errors.ts';
import { compareIds } from '../../../core/model/record.ts';
import { type Clock, fromMillis, type Instant } from '../../../core/model/time.ts';
import type { ListQuery, Page, SourceApi, WireRow } from '../../../core/ports/source-api.ts';

export interface ListApi extends SourceApi {
  readonly rows: Map<string, WireRow>;
  /** Creates or changes, and stamps datemodified. */
  put(id: string, fields: Record<string, unknown>): void;
  /** Called before each answer: the place to move the list under a reader, or to fail. */
  before: (call: 'list' | 'get' | 'quota', count: number) => void;
  quotaLimit: number;
  /** The token's person, role and zone, and whether they see only their own tasks. */
  me: {
    person: string;
    role: string | null;
    restricttasks?: string;
    firstname?: string;
    lastname?: string;
    timezone?: string;
  };
  /** Whether every response names the token's person. */
  namesPerson: boolean;
  /** Records of other resources that the token sees, such as `project/1`. */
  readonly visible: Set<string>;
  /** Records of people that are not in the list. */
  readonly people: Map<string, WireRow>;
}

export function listApi(clock: Clock): ListApi {
  const rows = new Map<string, WireRow>();
  let requests = 0;
  // The resource of the list.
  let listed = '';
  const stamp = () => clock.now().slice(0, 19).replace('T', ' ');
  const api: ListApi = {
    traits: workTraits,
    rows,
    put: (id, fields) => rows.set(id, { ...rows.get(id), id, ...fields, datemodified: stamp() }),
    before: () => {},
    quotaLimit: 1_000_000,
    me: { person: '1', role: 'Administrator' },
    namesPerson: false,
    visible: new Set(),
    people: new Map(),
    async list(resource, query) {
      requests += 1;
      api.before('list', requests);
      if (resource === 'me')
        return pageOf([{ ...api.me, id: api.me.person, group: api.me.role }], query, clock.now(), api.me.person);
      listed = resource;
      const page = pageOf(select(rows, resource, query), query, clock.now());
      return api.namesPerson ? { ...page, personId: () => api.me.person } : page;
    },
    async get(resource, id) {
      requests += 1;
      api.before('get', requests);
      if (resource === 'person' && api.people.has(id)) return api.people.get(id);
      if (['project', 'invoice'].includes(resource) && resource !== listed)
        return api.visible.has(`${resource}/${id}`) ? { id } : undefined;
      return rows.get(id);
    },
    async quota() {
      api.before('quota', requests);
      return { limit: api.quotaLimit, used: requests, resetsAt: null };
    },
    requests: () => requests,
  };
  return api;
}

function select(rows: ReadonlyMap<string, WireRow>, resource: string, { filters }: ListQuery): WireRow[] {
  const stamp = (instant: Instant | undefined) => instant?.slice(0, 19).replace('T', ' ');
  const since = stamp(filters.modifiedAfter) ?? '';
  const localids = filters.localIds;
  if (localids?.some((localid) => !/^\d+$/.test(localid))) {
    throw new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', `localid: expected integers, got ${localids}`);
  }
  const modifiedBefore = stamp(filters.modifiedBefore);
  const { dueFrom = '', dueUntil = '9' } = filters;
  const isDue = (datedue: unknown) => String(datedue) >= dueFrom && String(datedue) <= dueUntil;
  return [...rows.values()]
    .filter((row) => since === '' || String(row.datemodified) > since)
    .filter((row) => modifiedBefore === undefined || String(row.datemodified) < modifiedBefore)
    .filter(({ datedue }) => filters.dueFrom === undefined || (typeof datedue === 'string' && isDue(datedue)))
    .filter((row) => filters.open === undefined || resource !== 'invoice' || row.balance !== '0.00')
    .filter((row) => localids === undefined || localids.includes(String(row.localid)))
    .sort((a, b) => compareIds(String(a.id), String(b.id)) * (filters.order === 'descending' ? -1 : 1));
}

function pageOf(all: readonly WireRow[], { offset, limit }: ListQuery, now: Instant, personId = '1'): Page {
  const rows = all.slice(offset, offset + limit);
  const text = JSON.stringify(rows);
  const hash = (value: string) => createHash('sha1').update(value).digest();
  return {
    digest: hash(text).toString('hex'),
    bytes: text.length,
    took: 1,
    serverTime: now,
    content: () => ({
      listCount: all.length,
      personId,
      rows: rows.map((row) => ({
        id: String(row.id),
        fingerprint: hash(JSON.stringify(row)).readBigUInt64BE(),
        parse: () => structuredClone(row),
      })),
    }),
  };
}

/** A clock that moves only when the test advances it. */
export function handClock(start: Instant): Clock & { advance(millis: number): void } {
  let now = Date.parse(start);
  return {
    now: () => fromMillis(now),
    advance: (millis) => {
      now += millis;
    },
  };
}
