/** One scan of one resource: sweep, open or delta. Reads, commits, and says what the next state of the scan is. */

import type { ScanKind, ScanState, SweepProgress } from '../model/scan.ts';
import { type Duration, type Instant, MINUTE, plus, SECOND } from '../model/time.ts';
import type { WireRow } from '../ports/source-api.ts';
import type { Resource } from '../resources/resource.ts';
import type { StageRules } from '../snapshot/stage.ts';
import { type FindAuthor, readAuthors } from './attribution.ts';
import { commitRows, type ScanContext } from './commit-rows.ts';
import { settleMissing } from './missing.ts';
import { readPages } from './paging.ts';
import { type ScanPorts, scanList } from './scan-list.ts';

export interface ScanOptions {
  readonly source: string;
  readonly resource: Resource;
  readonly kind: ScanKind;
  readonly rules: StageRules;
  readonly timeZone: string;
  readonly announceExisting: boolean;
  /** Whether the people behind changes of tasks are looked for: one request more a scan that finds something. */
  readonly attribution: boolean;
  readonly state: ScanState;
  /** Saves where a sweep has come to. */
  readonly save: (progress: SweepProgress) => Promise<void>;
  /** Rows of every page. @default - adapts */
  readonly pageSize?: number;
  readonly tell?: (seen: number, total: number | null) => void;
  /** Called before anything is written: throws when another poller took over. */
  readonly assertLeaseHeld: () => Promise<void>;
  readonly signal?: AbortSignal;
}

export interface ScanReport {
  readonly source: string;
  readonly resource: string;
  readonly kind: ScanKind;
  /** True when this was the first complete look, which is silent. */
  readonly baseline: boolean;
  readonly seen: number;
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  /** False when rows may have been missed: then what did not come is not called deleted. */
  readonly complete: boolean;
  readonly requests: number;
}

export interface CompletedScan {
  readonly report: ScanReport;
  readonly state: ScanState;
}

/**
 * How far a delta looks back behind the start of the last good scan: records are indexed late, clocks differ, and a
 * record seen twice costs nothing. One second more, because `datemodifiedbegin` means after, in whole seconds.
 */
export const LOOKBACK: Duration = 5 * MINUTE + SECOND;

/** A broken-off sweep older than this begins anew: what it saw first is too old to be called seen. */
const RESUMABLE: Duration = 60 * MINUTE;

/** A delta is as long as what changed, whatever the limit; this much of a bulk edit still fits a page. */
const DELTA_LIMIT = 4000;

/** Records re-read in one request by their local ids. */
const REREAD_AT_ONCE = 200;

export async function scan(ports: ScanPorts, order: ScanOptions): Promise<CompletedScan> {
  const requests = ports.api.requests();
  const startedAt = ports.clock.now();
  const outcome = await { sweep, open, delta }[order.kind](ports, order, startedAt);
  const cost = ports.api.requests() - requests;
  const { state, kind } = order;
  return {
    report: { source: order.source, resource: order.resource.name, kind, requests: cost, ...outcome.report },
    state: {
      ...state,
      // What was left changed before this scan: it is looked for again at once, and as of the look before.
      lastGoodScanAt: outcome.left > 0 ? state.lastGoodScanAt : outcome.startedAt,
      lastTriedAt: startedAt,
      failures: 0,
      lastError: null,
      forbiddenAt: null,
      cost: { ...state.cost, [kind]: cost },
      ...outcome.state,
    },
  };
}

interface Outcome {
  readonly startedAt: Instant;
  /** Rows whose record somebody else committed meanwhile. */
  readonly left: number;
  readonly report: Omit<ScanReport, 'source' | 'resource' | 'kind' | 'requests'>;
  readonly state: Partial<ScanState>;
}

async function sweep(ports: ScanPorts, order: ScanOptions, now: Instant): Promise<Outcome> {
  const { state, resource } = order;
  const progress = state.progress !== null && plus(state.progress.startedAt, RESUMABLE) > now ? state.progress : null;
  const startedAt = progress?.startedAt ?? now;
  const baseline = state.baselinedAt === null;
  const look = lookOf(order, startedAt, baseline ? 'baseline' : 'poll', ports.clock.now());
  const {
    serverTime,
    missing,
    more,
    conflicts: left,
    ...list
  } = await scanList(ports, {
    ...listOrder(order, look),
    scope: 'all',
    filters: {},
    progress,
    save: order.save,
  });
  // Of a list that does not show everything, or was not read whole, absence says nothing.
  const absent = list.complete && resource.listsAll && !baseline ? { ids: missing, more } : { ids: [], more: 0 };
  const { deleted, held } = await settleMissing(ports, { ...order, look }, absent);
  return {
    startedAt,
    left,
    report: { ...list, baseline, deleted },
    state: {
      baselinedAt: state.baselinedAt ?? ports.clock.now(),
      lastSweepAt: startedAt,
      // What a moving list hid is still modified since the old cursor. Where there is none, this one is better.
      cursor: (list.complete && left === 0) || state.cursor === null ? earlier(startedAt, serverTime) : state.cursor,
      count: list.seen + absent.ids.length + absent.more - deleted,
      countedAt: startedAt,
      sweepSoon: false,
      progress: null,
      held,
    },
  };
}

/** Reads what can still move. What left that list is re-read by its local id: paid, cancelled, or gone. */
async function open(ports: ScanPorts, order: ScanOptions, startedAt: Instant): Promise<Outcome> {
  const { resource, state } = order;
  const look = lookOf(order, startedAt, 'poll', startedAt);
  const {
    missing,
    serverTime: _,
    more: __,
    conflicts: left,
    ...list
  } = await scanList(ports, {
    ...listOrder(order, look),
    scope: 'open',
    filters: resource.openFilter ?? {},
    progress: null,
  });
  const reread = list.complete ? await rereadMissing(ports, order, look, missing) : NOTHING_REREAD;
  return {
    startedAt,
    left: left + reread.left,
    report: { ...list, changed: list.changed + reread.changed, baseline: false, deleted: 0 },
    state: { count: (state.count ?? 0) + list.created, sweepSoon: state.sweepSoon || reread.unfound },
  };
}

interface Reread {
  readonly changed: number;
  readonly left: number;
  /** Whether some of them were not found. */
  readonly unfound: boolean;
}

const NOTHING_REREAD: Reread = { changed: 0, left: 0, unfound: false };

async function rereadMissing(
  ports: ScanPorts,
  { source, resource, signal, assertLeaseHeld: mayGoOn }: ScanOptions,
  look: ScanContext,
  missing: readonly string[],
): Promise<Reread> {
  const key = { source, resource: resource.name, scope: 'open' as const };
  const snapshots = [...(await ports.snapshots.getMany(source, resource.name, missing)).values()];
  let changed = 0;
  let found = 0;
  const left = new Set<string>();
  for (let at = 0; at < snapshots.length; at += REREAD_AT_ONCE) {
    const batch = snapshots.slice(at, at + REREAD_AT_ONCE);
    const localid = batch.map(({ record }) => String(record.localid)).join(',');
    const askedAt = ports.clock.now();
    const page = await ports.api.list(resource.name, { offset: 0, limit: batch.length, filters: { localid } }, signal);
    await mayGoOn();
    const rows: WireRow[] = page.content().rows.map((row) => row.parse());
    const committed = await commitRows(ports, { ...look, askedAt, now: ports.clock.now() }, rows);
    changed += committed.changed;
    for (const id of committed.conflicts) left.add(id);
    found += rows.length;
  }
  // Whatever they are now, they are no longer among the open ones.
  const settled = missing.filter((id) => !left.has(id));
  if (settled.length > 0) await ports.manifests.clearDirty(key, settled);
  return { changed, left: left.size, unfound: found < snapshots.length };
}

/** Reads what was modified since the last good scan, and a little before. */
async function delta(ports: ScanPorts, order: ScanOptions, startedAt: Instant): Promise<Outcome> {
  const { resource, state, signal } = order;
  const look = lookOf(order, startedAt, 'poll', startedAt);
  const filters = {
    sortfield: 'id',
    sortdir: 'ASC',
    datemodifiedbegin: plus(state.cursor ?? startedAt, -LOOKBACK)
      .slice(0, 19)
      .replace('T', ' '),
  };
  const tally = { seen: 0, created: 0, changed: 0 };
  let left = 0;
  let complete = true;
  let serverTime: Instant | null = null;
  const fetch = (request: { offset: number; limit: number }) =>
    ports.api.list(resource.name, { ...request, filters }, signal);
  let authorOf: FindAuthor | undefined;
  const now = () => ports.clock.now();
  for await (const read of readPages({ fetch, now, limitAt: () => order.pageSize ?? DELTA_LIMIT })) {
    const rows = (read.fresh ?? []).map((row) => row.parse());
    if (order.attribution && rows.length > 0)
      authorOf ??= await readAuthors(ports.api, state.cursor ?? startedAt, signal);
    const named = authorOf === undefined ? look : { ...look, authorOf };
    await order.assertLeaseHeld();
    const committed = await commitRows(ports, { ...named, askedAt: read.askedAt, now: now() }, rows);
    tally.seen += rows.length;
    tally.created += committed.created;
    tally.changed += committed.changed;
    left += committed.conflicts.length;
    complete &&= read.complete;
    serverTime ??= read.page.serverTime;
  }
  return {
    startedAt,
    left,
    report: { ...tally, complete, baseline: false, deleted: 0 },
    state: {
      count: (state.count ?? 0) + tally.created,
      // What a moving list hid, or was left, is still modified since the old cursor.
      ...(complete && left === 0 ? { cursor: earlier(startedAt, serverTime) } : {}),
    },
  };
}

function lookOf(order: ScanOptions, before: Instant, cause: 'baseline' | 'poll', now: Instant): ScanContext {
  const { source, resource, rules, timeZone, announceExisting, state } = order;
  const after = state.lastGoodScanAt;
  return { source, resource, rules, timeZone, announceExisting, cause, after, before, askedAt: before, now };
}

function listOrder({ pageSize, tell, assertLeaseHeld: mayGoOn, signal }: ScanOptions, look: ScanContext) {
  return {
    look,
    mayGoOn,
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(tell === undefined ? {} : { tell }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Our clock or the API's, whichever is behind: a change must not fall between the two. */
function earlier(ours: Instant, theirs: Instant | null): Instant {
  return theirs !== null && theirs < ours ? theirs : ours;
}
