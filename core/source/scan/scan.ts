/** One scan of one resource: sweep, open or delta. Reads, commits, and returns the next state of the scan. */

import { type Fields, isRecordId } from '../../model/record.ts';
import type { ScanState } from '../../model/scan.ts';
import { type Instant, plus } from '../../model/time.ts';
import type { FindAuthor, ListFilters, SourceApi, WireRow } from '../../ports/source-api.ts';
import { cleanRow } from '../../resources/clean.ts';
import { isOwed } from '../../resources/invoice-amounts.ts';
import { commitRows } from './commit-rows.ts';
import { parseRows } from './list-rows.ts';
import { fetchRecord } from './missing.ts';
import { largerLimit, largestPage } from './page-size.ts';
import { readPages } from './paging.ts';
import { earlier, scanAll } from './scan-all.ts';
import { LOOKBACK, type ScanContext } from './scan-context.ts';
import { type SaveProgress, type ScanPorts, scanList } from './scan-list.ts';
import type { ScanOutcome, ScanReport } from './scan-report.ts';

export interface CompletedScan {
  readonly report: ScanReport;
  /** All changes before the start of the scan are committed. */
  readonly confirms: boolean;
  readonly state: ScanState;
}

/** The size of a delta depends on what changed. Even most bulk edits fit a page of this size. */
const DELTA_PAGE_SIZE = 4000;

/** Records re-read by local id in one request. */
export const REREAD_BATCH_SIZE = 200;

/** Records re-read by their id in one scan, one request each. */
const MAX_REREADS_BY_ID = 50;

export async function scan(ports: ScanPorts, context: ScanContext, saveProgress: SaveProgress): Promise<CompletedScan> {
  const requestsBefore = ports.api.requests();
  const outcome = await runKind({ ...ports, api: confirmRoleOnceReadable(ports.api, context) }, context, saveProgress);
  const requests = ports.api.requests() - requestsBefore;
  const { source, resource, kind, state } = context;
  return {
    report: {
      source,
      resource: resource.name,
      kind,
      requests,
      ...outcome.report,
      ...(context.isNewIdentity ? { newIdentity: true } : {}),
    },
    confirms: isWhole(outcome) && outcome.conflicts === 0 && outcome.outdated !== true,
    state: {
      ...state,
      // Conflicting rows changed before this scan: the next scan is due at once and dates them from the scan before.
      lastGoodScanAt: outcome.conflicts > 0 ? state.lastGoodScanAt : context.startedAt,
      lastTriedAt: context.resumedAt,
      failures: 0,
      lastError: null,
      forbiddenAt: null,
      firstTriedAt: state.baselinedAt === null ? (state.firstTriedAt ?? context.resumedAt) : null,
      cost: { ...state.cost, [kind]: requests },
      failedSweeps: kind === 'sweep' ? null : (state.failedSweeps ?? null),
      pageLimits: { ...state.pageLimits, [kind]: largerLimit(state.pageLimits?.[kind]) },
      ...withIdentity(context),
      ...outcome.state,
    },
  };
}

/**
 * The same API. Where a resource that was forbidden is shown again, the role has changed, perhaps back to that of the last
 * scan: records that were created or deleted since are news then.
 */
function confirmRoleOnceReadable(api: SourceApi, { identity, state }: ScanContext): SourceApi {
  if (state.forbiddenAt === null) return api;
  let isConfirmed = false;
  return {
    ...api,
    async list(resource, query, signal) {
      const page = await api.list(resource, query, signal);
      if (!isConfirmed) await identity.confirm();
      isConfirmed = true;
      return page;
    },
  };
}

function withIdentity({ identity }: ScanContext): Pick<ScanState, 'identity'> {
  const current = identity.current();
  return current === undefined ? {} : { identity: current };
}

/** A list whose count never adds up counts as whole once its baseline was accepted. */
function isWhole({ report, state }: ScanOutcome): boolean {
  return report.complete || (state.baselinedAt != null && state.incompleteBaseline != null);
}

function runKind(ports: ScanPorts, context: ScanContext, saveProgress: SaveProgress): Promise<ScanOutcome> {
  if (context.kind === 'sweep') return scanAll(ports, context, saveProgress);
  return context.kind === 'open' ? scanOpen(ports, context) : scanDelta(ports, context);
}

/** Reads the open records. Records that left the list are re-read: they are paid, cancelled or deleted. */
async function scanOpen(ports: ScanPorts, context: ScanContext): Promise<ScanOutcome> {
  const { state, startedAt } = context;
  const {
    missing,
    serverTime: _,
    more: __,
    listCount: ___,
    highestId: ____,
    vanished: _____,
    conflicts,
    outdated,
    ...list
  } = await scanList(ports, context, 'open');
  // A list that is short of its count proves nothing, but each record that is read again does.
  const reread = await rereadMissing(ports, context, list.complete ? missing : missing.slice(0, REREAD_BATCH_SIZE));
  const isWholeList =
    list.complete && conflicts + reread.conflicts === 0 && !reread.hasUnfound && !reread.hasOpen && !outdated;
  return {
    conflicts: conflicts + reread.conflicts,
    outdated: outdated || reread.hasOpen,
    report: { ...list, changed: list.changed + reread.changed, baseline: false, deleted: 0 },
    state: {
      count: (state.count ?? 0) + list.created,
      sweepSoon: state.sweepSoon || reread.hasUnfound,
      completeOpenAt: isWholeList ? startedAt : (state.completeOpenAt ?? null),
    },
  };
}

interface Reread {
  readonly changed: number;
  readonly conflicts: number;
  /** Some of the records were not found. */
  readonly hasUnfound: boolean;
  /** Some of the records are open although the list did not show them. */
  readonly hasOpen: boolean;
}

async function rereadMissing(ports: ScanPorts, context: ScanContext, missing: readonly string[]): Promise<Reread> {
  const { source, resource } = context;
  const snapshots = [...(await ports.snapshots.getMany(source, resource.name, missing)).values()];
  const left = new Map(snapshots.map((snapshot) => [snapshot.key.id, snapshot.record]));
  let changed = 0;
  const conflicts = new Set<string>();
  const stillOpen = new Set<string>();
  const commit = async (rows: readonly WireRow[], requestedAt: Instant) => {
    await context.assertLeaseHeld();
    const committed = await commitRows(ports, context, rows, { requestedAt, now: ports.clock.now() });
    changed += committed.changed;
    for (const id of committed.conflicts) conflicts.add(id);
    for (const row of rows) {
      left.delete(String(row.id));
      if (isOwed(cleanRow(resource, row).fields)) stillOpen.add(String(row.id));
    }
  };
  const isNumbered = ({ localid }: Fields) => resource.readsBy === 'localid' && LOCAL_ID.test(String(localid));
  const numbered = [...left.values()].filter(isNumbered);
  for (let at = 0; at < numbered.length; at += REREAD_BATCH_SIZE) {
    const requestedAt = ports.clock.now();
    await commit(await fetchByLocalId(ports, context, numbered.slice(at, at + REREAD_BATCH_SIZE)), requestedAt);
  }
  // The local id finds nothing, or another invoice with the same one.
  const gone: string[] = [];
  for (const id of [...left.keys()].slice(0, MAX_REREADS_BY_ID)) {
    const requestedAt = ports.clock.now();
    const row = await fetchRecord(ports, context, id);
    if (typeof row === 'string') gone.push(id);
    else await commit([row], requestedAt);
  }
  // They are not open now, so the open list need not show them again; those not read yet are re-read by the next scan.
  // So is one that is still open: the list and the record came from replicas that differ.
  const isUnsettled = (id: string) => conflicts.has(id) || stillOpen.has(id);
  const cleared = missing.filter((id) => !isUnsettled(id) && (!left.has(id) || gone.includes(id)));
  const key = { source, resource: resource.name, scope: 'open' as const };
  if (cleared.length > 0) await ports.manifests.clearDirty(key, cleared);
  return { changed, conflicts: conflicts.size, hasUnfound: left.size > 0, hasOpen: stillOpen.size > 0 };
}

/** The filter takes whole numbers only: any other text would make the API reject the request. */
export const LOCAL_ID = /^\d{1,9}$/;

async function fetchByLocalId(
  { api }: ScanPorts,
  { resource, signal }: ScanContext,
  records: readonly Fields[],
): Promise<readonly WireRow[]> {
  const localIds = [...new Set(records.map((record) => String(record.localid)))];
  const page = await api.list(resource.name, { offset: 0, limit: records.length, filters: { localIds } }, signal);
  return parseRows(page.content().rows.filter(({ id }) => isRecordId(id))).rows;
}

/** Reads the records modified since the last good scan, with some overlap. */
async function scanDelta(ports: ScanPorts, context: ScanContext): Promise<ScanOutcome> {
  const { resource, state, startedAt, signal } = context;
  const since = state.cursor ?? startedAt;
  const filters: ListFilters = { order: 'ascending', modifiedAfter: plus(since, -LOOKBACK) };
  const tally = { seen: 0, created: 0, changed: 0, skipped: 0 };
  let conflicts = 0;
  let outdated = 0;
  let complete = true;
  let serverTime: Instant | null = null;
  const fetch = (request: { offset: number; limit: number }) =>
    ports.api.list(resource.name, { ...request, filters }, signal);
  let findAuthor: FindAuthor | undefined;
  const now = () => ports.clock.now();
  for await (const read of readPages({
    fetch,
    now,
    maxLimit: largestPage(resource, context.state.pageLimits?.delta),
    limitAt: () => context.pageSize ?? DELTA_PAGE_SIZE,
  })) {
    const { rows, unreadable } = parseRows(read.fresh ?? []);
    if (context.attribution === true && rows.length > 0) {
      findAuthor ??= await context.traits.readAuthors?.(ports.api, plus(since, -LOOKBACK), signal);
    }
    await context.assertLeaseHeld();
    const { serverTime: answeredAt } = read.page;
    const batch = { requestedAt: read.requestedAt, now: now(), serverTime: answeredAt, findAuthor };
    const committed = await commitRows(ports, context, rows, batch);
    tally.skipped += unreadable.length + read.invalid;
    tally.seen += rows.length;
    tally.created += committed.created;
    tally.changed += committed.changed;
    conflicts += committed.conflicts.length;
    outdated += committed.outdated.length;
    complete &&= read.complete;
    serverTime ??= read.page.serverTime;
  }
  return {
    conflicts,
    outdated: outdated > 0,
    report: { ...tally, complete, baseline: false, deleted: 0 },
    state: {
      count: (state.count ?? 0) + tally.created,
      // Missed and conflicting rows are still modified after the old cursor. A replica that lags may hide others.
      // If the count never adds up, waiting for a complete list would keep the cursor where it is forever.
      cursor:
        (complete || state.incompleteBaseline != null) && conflicts === 0 && outdated === 0
          ? earlier(startedAt, serverTime)
          : state.cursor,
    },
  };
}
