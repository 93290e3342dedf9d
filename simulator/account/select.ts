/**
 * Answers a list: reads the query against the resource's table, tests every record the viewer sees, sorts, counts and cuts a page.
 * Returns positions of records; http/ writes them.
 */
import { invalid, unknownParameter } from '../request-error.ts';
import type { FilterContext, Resource, SortKey, Test, Viewer } from '../resources/resource.ts';
import { task } from '../resources/task.ts';
import type { Data } from './data.ts';
import type { Row } from './records.ts';
import type { Rows } from './table.ts';

const DEFAULT_LIMIT = 10;

export interface ListQuery {
  readonly tests: readonly Test<Row>[];
  readonly sort: { readonly key: SortKey<Row>; readonly descending: boolean } | undefined;
  readonly offset: number;
  readonly limit: number;
  /** The same for every page of one list. */
  readonly key: string;
}

export interface Selection {
  /** Matching records before offset and limit. */
  readonly count: number;
  readonly slots: readonly number[];
}

/** Reads and checks the parameters of a list. A blank value is ignored; the last value of a repeated name is used. */
export function readQuery(resource: Resource, params: URLSearchParams, viewer: Viewer, data: Data): ListQuery {
  const given = new URLSearchParams();
  for (const [name, value] of params) {
    if (!isKnown(resource, name)) throw unknownParameter(name, resource.name);
    if (value !== '') given.set(name, value);
    else given.delete(name);
  }
  if (resource.needs !== undefined && !given.has(resource.needs)) {
    throw invalid(resource.needs, `is required to list ${resource.name}`);
  }
  const asked: FilterContext = { data, viewer, taskTest: (query) => taskTest(query, asked) };
  const tests = compile(resource, given, asked);
  const { sees } = resource;
  // Most viewers see everything; only the others need a visibility check per record.
  if (sees !== undefined && mayBeBlind(resource, viewer)) tests.push((row) => sees.call(resource, row, viewer, data));
  if (viewer.hiddenProject !== undefined || viewer.missingRow !== undefined)
    tests.push((row) => !isHidden(resource, row, viewer));
  const implied = resource.implied?.(given, asked);
  if (implied !== undefined) tests.push(implied);
  const offset = readCount(given, 'offset', 0);
  const limit = readCount(given, 'limit', DEFAULT_LIMIT);
  given.delete('offset');
  given.delete('limit');
  given.sort();
  return { tests, sort: readSort(resource, given), offset, limit, key: given.toString() };
}

/** Whether the list omits the record, or it belongs to a project that the viewer does not see, or is that project. */
export function isHidden({ name }: Resource, row: Row, { hiddenProject, missingRow }: Viewer): boolean {
  if (row.id === missingRow) return true;
  if (hiddenProject === undefined) return false;
  return (name === 'project' ? row.id : (row as { projectid?: number }).projectid) === hiddenProject;
}

function isKnown(resource: Resource, name: string): boolean {
  if (name === 'offset' || name === 'limit') return true;
  if (name === 'sortfield' || name === 'sortdir') return Object.keys(resource.sorts).length > 0;
  return resource.filters.some((filter) => filter.name === name);
}

function compile(resource: Resource, given: URLSearchParams, asked: FilterContext): Test<Row>[] {
  const ignored = resource.ignores?.(asked.viewer) ?? [];
  const tests: Test<Row>[] = [];
  for (const filter of resource.filters) {
    const value = given.get(filter.name);
    if (value === null) continue;
    // Compiled even when ignored, because the service rejects a malformed value in any role.
    const test = filter.compile(value, asked);
    if (!ignored.includes(filter.name)) tests.push(test);
  }
  return tests;
}

function taskTest(query: URLSearchParams, asked: FilterContext): Test<Row> {
  const tests = compile(task as Resource, query, asked);
  return (row) => tests.every((test) => test(row));
}

function mayBeBlind(resource: Resource, viewer: Viewer): boolean {
  return resource.name === 'task' ? viewer.restricted : viewer.role === 'Resource' || viewer.role === 'Executive';
}

function readCount(given: URLSearchParams, name: 'offset' | 'limit', absent: number): number {
  const value = given.get(name);
  if (value === null) return absent;
  if (!/^\d{1,15}$/.test(value)) throw invalid(name, `expected 0 or a positive integer, got '${value}'`);
  return Number(value);
}

function readSort(resource: Resource, given: URLSearchParams): ListQuery['sort'] {
  const field = given.get('sortfield');
  const direction = given.get('sortdir');
  if (direction !== null && direction !== 'ASC' && direction !== 'DESC') {
    throw invalid('sortdir', `expected ASC or DESC, got '${direction}'`);
  }
  const descending = direction === 'DESC';
  if (field === null) return descending ? { key: (row) => row.id, descending } : undefined;
  if (!Object.hasOwn(resource.sorts, field)) {
    throw invalid('sortfield', `expected one of ${Object.keys(resource.sorts).join(', ')}, got '${field}'`);
  }
  const key = resource.sorts[field];
  if (key === undefined || (field === 'id' && !descending)) return undefined;
  return { key, descending };
}

/** Caches lists while the account does not change: a reader requests the same list for every page. */
export class Selector {
  readonly #kept = new Map<string, readonly number[]>();
  #version = Number.NaN;

  select(resource: Resource, query: ListQuery, viewer: Viewer, data: Data): Selection {
    const rows = resource.rows(data);
    if (query.tests.length === 0 && query.sort === undefined) return firstSlots(rows, query);
    const all = this.#all(resource, query, viewer, data);
    return { count: all.length, slots: all.slice(query.offset, query.offset + query.limit) };
  }

  #all(resource: Resource, query: ListQuery, viewer: Viewer, data: Data): readonly number[] {
    if (this.#version !== data.version) {
      this.#kept.clear();
      this.#version = data.version;
    }
    const { role, personid, restricted, hiddenProject, missingRow } = viewer;
    const sight = [role, personid, restricted, hiddenProject, missingRow];
    const key = [resource.name, ...sight, data.today(), query.key].join(' ');
    // A result that depends on the current second is not cached.
    const lasting = data.lateIndex.size === 0 && resource.implied === undefined;
    const cached = lasting ? this.#kept.get(key) : undefined;
    if (cached !== undefined) return cached;
    const rows = resource.rows(data);
    const matches = matching(rows, query.tests);
    const sorted = query.sort === undefined ? matches : sortSlots(matches, rows, query.sort, data);
    if (lasting) {
      // Few readers page at once; four lists of a million are 32 MB.
      if (this.#kept.size >= 4) this.#kept.clear();
      this.#kept.set(key, sorted);
    }
    return sorted;
  }
}

function firstSlots(rows: Rows<Row>, { offset, limit }: ListQuery): Selection {
  const slots: number[] = [];
  for (let slot = rows.nth(offset); slot < rows.slots && slots.length < limit; slot++) {
    if (rows.has(slot)) slots.push(slot);
  }
  return { count: rows.count, slots };
}

function matching(rows: Rows<Row>, tests: readonly Test<Row>[]): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < rows.slots; slot++) {
    if (!rows.has(slot)) continue;
    const row = rows.at(slot);
    let matches = true;
    for (const test of tests) {
      if (!test(row)) {
        matches = false;
        break;
      }
    }
    if (matches) slots.push(slot);
  }
  return slots;
}

/** Blank values first, texts whatever their case, equal ones by id. */
function sortSlots(
  slots: readonly number[],
  rows: Rows<Row>,
  { key, descending }: NonNullable<ListQuery['sort']>,
  data: Data,
): number[] {
  const keys = slots.map((slot) => {
    const value = key(rows.at(slot), data);
    return typeof value === 'string' ? value.toLowerCase() : value;
  });
  const order = Uint32Array.from(slots.keys());
  const sign = descending ? -1 : 1;
  order.sort((a, b) => sign * compare(keys[a] ?? null, keys[b] ?? null) || a - b);
  return Array.from(order, (position) => slots[position] ?? 0);
}

function compare(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
