/**
 * Reads the records whose moments have come, and commits what time alone did to those that the API shows. Needs no scan:
 * one record that cannot be read, or a list that never adds up, delays no other record.
 */

import { addDays, dayIn } from '../../model/calendar.ts';
import { concernsSingleRecord, endsCycle, isFailedScan } from '../../model/error-codes.ts';
import { TidingsError } from '../../model/errors.ts';
import { type Fields, isRecordId } from '../../model/record.ts';
import type { ScanState } from '../../model/scan.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { type Instant, parseInstant, plus, SECOND } from '../../model/time.ts';
import type { ListFilters, Page, WireRow } from '../../ports/source-api.ts';
import { passMoments, readInOrder, type Staging } from '../../snapshot/restage.ts';
import { momentsAfter } from '../due-moments.ts';
import { leaseLostError } from '../source-lease.ts';
import { commitRows } from './commit-rows.ts';
import { parseRows } from './list-rows.ts';
import { fetchRecord } from './missing.ts';
import { confirmableUntil } from './replica-lag.ts';
import type { RunPorts } from './run-scan.ts';
import { LOCAL_ID, REREAD_BATCH_SIZE } from './scan.ts';
import { clockFields, type ScanContext } from './scan-context.ts';

/** Rows of one page. What is due on a day fits one page in most accounts. */
const PAGE_SIZE = 2000;

/** Pages of one filter. Records beyond them are read one by one, and in the next read. */
const MAX_PAGES = 5;

/** Records read by their id, one request each. The others are read next time. */
const MAX_SINGLE_READS = 20;

/** After this many failed requests the API is more likely down than the records broken. */
const MAX_FAILURES = 3;

/** More than any account has. */
const ALL_MOMENTS = 1_000_000;

export interface DueReadResult {
  /** As last saved. */
  readonly state: ScanState;
  /** Why the read ended early. @default - it did not */
  readonly error?: unknown;
}

/**
 * Saves which records are still to be read. Throws when another poller has taken over.
 * @param scanConfirms a scan in the same cycle showed all other changes: all moments before are settled
 */
export async function readDue(ports: RunPorts, context: ScanContext, scanConfirms: boolean): Promise<DueReadResult> {
  const { source, resource, state, startedAt, timeZone, closedStatuses } = context;
  if (timeZone === null) return { state };
  const after = momentsAfter(state, context.apiClock.earlierOf(startedAt));
  const moments = await ports.snapshots.due({ source, resource: resource.name, after, until: startedAt }, ALL_MOMENTS);
  // What no list shows is decided by sweeps, and does not become overdue until then.
  const isUndecided = (id: string) => (state.unlisted?.[id]?.answer ?? 'exists') !== 'exists';
  const dueUntil = (until: Instant) => moments.filter(({ key, at }) => at <= until && !isUndecided(key.id));
  const readUntil = confirmableUntil(context.apiClock.earlierOf(startedAt));
  const read = await readRecords(
    ports,
    context,
    dueUntil(readUntil).map(({ key }) => key.id),
  );
  // The responses show the API's clock. What is not over by that clock is read again.
  const judgedAt = context.apiClock.earlierOf(startedAt);
  const until = confirmableUntil(judgedAt);
  const due = dueUntil(until < readUntil ? until : readUntil);
  const ids = due.map(({ key }) => key.id);
  await passAll(
    ports,
    context,
    ids.filter((id) => read.shown.has(id)),
    until,
    { timeZone, rules: closedStatuses.rules() },
  );
  const pending = due.filter(({ key }) => !read.shown.has(key.id) && !read.absent.has(key.id));
  const settledUntil = moments.some(({ at }) => at > until) ? until : judgedAt;
  const isSettled = scanConfirms && pending.length === 0 && !isAfter(state.settledUntil, settledUntil, startedAt);
  const next: ScanState = {
    ...state,
    version: state.version + 1,
    count: state.count === null ? null : state.count + read.created,
    // A 404 may be a deletion: only a sweep decides.
    sweepSoon: state.sweepSoon || read.absent.size > 0,
    settledUntil: isSettled ? settledUntil : state.settledUntil,
    dueRead: {
      at: judgedAt,
      pending: pending.length,
      since: pending[0]?.at ?? null,
      attempts: pending.length === 0 ? 0 : (state.dueRead?.attempts ?? 0) + 1,
    },
    ...(resource.name === 'task' ? closedStatuses.memory() : {}),
    ...clockFields(context),
  };
  await context.assertLeaseHeld();
  if (!(await ports.scanStates.save(next))) throw leaseLostError(`${source} ${resource.name}`);
  return read.error === undefined ? { state: next } : { state: next, error: read.error };
}

/** Whether more is settled already. An instant in the future is due to a wrong clock. */
function isAfter(settled: Instant | null, until: Instant, now: Instant): boolean {
  return settled !== null && settled > until && settled <= now;
}

interface ReadRecords {
  /** The API showed the record as it is, and its changes are committed. */
  readonly shown: ReadonlySet<string>;
  /** The API answered 404 or 403. */
  readonly absent: ReadonlySet<string>;
  readonly created: number;
  readonly error?: unknown;
}

async function readRecords(ports: RunPorts, context: ScanContext, ids: readonly string[]): Promise<ReadRecords> {
  const { source, resource } = context;
  const shown = new Set<string>();
  const absent = new Set<string>();
  const outdated = new Set<string>();
  let created = 0;
  const commit = async (rows: readonly WireRow[], requestedAt: Instant, page?: Page) => {
    await context.assertLeaseHeld();
    const now = ports.clock.now();
    const committed = await commitRows(ports, context, rows, {
      requestedAt,
      now,
      serverTime: page?.serverTime ?? null,
      page: page?.content().rows.filter(({ id }) => isRecordId(id)),
    });
    created += committed.created;
    const confirmed = new Set(committed.confirmed);
    const older = committed.outdated.filter((id) => !confirmed.has(id));
    for (const id of older) outdated.add(id);
    const unsettled = new Set([...older, ...committed.conflicts]);
    for (const { id } of rows) if (!unsettled.has(String(id))) shown.add(String(id));
  };
  try {
    const snapshots = await ports.snapshots.getMany(source, resource.name, ids);
    for (const filters of filtersFor(context, [...snapshots.values()])) {
      await readList(ports, context, filters, async (page, requestedAt) => {
        // The list shows others too: their changes are found as in a scan.
        const rows = page.content().rows.filter(({ id }) => isRecordId(id) && !shown.has(id));
        await commit(parseRows(rows).rows, requestedAt, page);
      });
    }
    let failures = 0;
    const left = ids.filter((id) => !shown.has(id) && !outdated.has(id));
    for (const id of left.slice(0, MAX_SINGLE_READS)) {
      if (failures >= MAX_FAILURES) break;
      const requestedAt = ports.clock.now();
      const answer = await fetchRecord(ports, context, id).catch((error: unknown) => ignoreOfSingleRecord(error));
      if (answer === undefined) failures += 1;
      else if (typeof answer === 'string') absent.add(id);
      else await commit([answer], requestedAt);
    }
    return { shown, absent, created };
  } catch (error) {
    return { shown, absent, created, error };
  }
}

function ignoreOfSingleRecord(error: unknown): undefined {
  if (error instanceof TidingsError && concernsSingleRecord(error.code)) return undefined;
  throw error;
}

/** Reads a filtered list. If the API does not serve it, the records are read one by one. */
async function readList(
  { api, clock }: RunPorts,
  { resource, signal }: ScanContext,
  filters: ListFilters,
  use: (page: Page, requestedAt: Instant) => Promise<void>,
): Promise<void> {
  for (let offset = 0, pages = 0; pages < MAX_PAGES; pages++) {
    const requestedAt = clock.now();
    const page = await api.list(resource.name, { offset, limit: PAGE_SIZE, filters }, signal).catch(ignoreOfList);
    if (page === undefined) return;
    await use(page, requestedAt);
    const { rows, listCount } = page.content();
    offset += rows.length;
    if (rows.length === 0 || offset >= listCount) return;
  }
}

function ignoreOfList(error: unknown): undefined {
  if (error instanceof TidingsError && !endsCycle(error.code) && isFailedScan(error.code)) return undefined;
  throw error;
}

/** The lists that show these records: one or two for tasks, else one for each batch. */
function filtersFor(context: ScanContext, snapshots: readonly Snapshot[]): readonly ListFilters[] {
  const { listsByDueDate = false, readsBy, maxPageSize = REREAD_BATCH_SIZE } = context.resource;
  if (listsByDueDate) return dateFilters(context, snapshots);
  if (readsBy === undefined) return [];
  const size = Math.min(maxPageSize, REREAD_BATCH_SIZE);
  if (readsBy === 'id')
    return batchesOf(
      snapshots.map(({ key }) => key.id),
      size,
    ).map((ids) => ({ ids }));
  const localIds = snapshots.map(({ record }) => String(record.localid)).filter((id) => LOCAL_ID.test(id));
  return batchesOf(localIds, size).map((batch) => ({ localIds: [...new Set(batch)] }));
}

function batchesOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size);
  return starts.map((start) => items.slice(start, start + size));
}

/**
 * Most tasks of a day have one of a few due dates. Stale ones were last modified on one day, unless an undated change, such as
 * logged hours, came later: those are listed by their local ids.
 */
function dateFilters(context: ScanContext, snapshots: readonly Snapshot[]): readonly ListFilters[] {
  const sorting: ListFilters = { order: 'ascending' };
  const isByDate = new Map(snapshots.map((snapshot) => [snapshot, changesByDueDate(context, snapshot)]));
  const dates = snapshots.filter((one) => isByDate.get(one)).map(({ record }) => String(record.datedue));
  const byActivity = snapshots.filter((one) => isByDate.get(one) === false);
  const modified = byActivity.filter(({ stage }) => stage.activeDay === undefined).map(({ record }) => record);
  const undated = byActivity.filter(({ stage }) => stage.activeDay !== undefined).map(({ record }) => record);
  const [firstDate, lastDate] = endsOf(dates);
  const [first, last] = endsOf(modified.flatMap(modifiedAt));
  return [
    ...(firstDate === undefined || lastDate === undefined
      ? []
      : [{ ...sorting, dueFrom: firstDate, dueUntil: lastDate }]),
    // Both ends are excluded.
    ...(first === undefined || last === undefined
      ? []
      : [{ ...sorting, modifiedAfter: plus(first, -SECOND), modifiedBefore: plus(last, SECOND) }]),
    ...localIdFilters(undated).map((filter) => ({ ...sorting, ...filter })),
  ];
}

/** Tasks of one list by local id. It shows those numbers of all their projects, so more tasks would be several pages. */
const LOCAL_IDS_PER_LIST = 40;

/** The local id of a task is unique in its project only, so the list may show others too. */
function localIdFilters(records: readonly Fields[]): readonly ListFilters[] {
  const numbered = records.filter(
    ({ localid, projectid }) => LOCAL_ID.test(String(localid)) && isRecordId(String(projectid)),
  );
  return batchesOf(numbered, LOCAL_IDS_PER_LIST).map((batch) => {
    const valuesOf = (field: string) => [...new Set(batch.map((record) => String(record[field])))];
    return { localIds: valuesOf('localid'), projectIds: valuesOf('projectid') };
  });
}

function changesByDueDate({ timeZone, rules }: ScanContext, { record, nextMoment }: Snapshot): boolean {
  if (timeZone === null || nextMoment === null || typeof record.datedue !== 'string') return false;
  const day = dayIn(timeZone, nextMoment);
  return day === addDays(record.datedue, 1) || day === addDays(record.datedue, -rules.taskDueSoon);
}

function modifiedAt({ datemodified }: Fields): readonly Instant[] {
  const instant = typeof datemodified === 'string' ? parseInstant(datemodified) : undefined;
  return instant === undefined ? [] : [instant];
}

function endsOf(values: readonly string[]): readonly [string | undefined, string | undefined] {
  const sorted = values.toSorted();
  return [sorted[0], sorted.at(-1)];
}

/** In the order of the moments. */
async function passAll(
  { snapshots, clock }: RunPorts,
  { source, resource, assertLeaseHeld }: ScanContext,
  ids: readonly string[],
  until: Instant,
  staging: Staging,
): Promise<void> {
  const stored = await readInOrder(snapshots, { source, resource: resource.name }, ids);
  await passMoments({ snapshots, clock }, stored, until, staging, assertLeaseHeld);
}
