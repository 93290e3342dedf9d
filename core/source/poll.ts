/**
 * Reads a resource, compares it with its snapshots and commits what changed.
 * Derives nothing and tells nobody: the commit is the news, the feed carries it on.
 */

import { RetryLater } from '../model/errors.ts';
import type { Fields, RecordKey } from '../model/record.ts';
import { type ScanState, unscanned } from '../model/scan.ts';
import type { Cause, Snapshot } from '../model/snapshot.ts';
import { between, type Clock, type Duration, type Instant, MINUTE } from '../model/time.ts';
import type { Lease, Ledger } from '../ports/ledger.ts';
import type { SnapshotStore, SnapshotWrite } from '../ports/snapshot-store.ts';
import type { Page, SourceApi } from '../ports/source-api.ts';
import { compare } from '../snapshot/compare.ts';
import { type Rules, stageOf } from '../snapshot/stage.ts';
import { type CleanRecord, cleanRow } from './clean.ts';
import { taskFields } from './task-fields.ts';

export interface PollPorts {
  readonly api: SourceApi;
  readonly snapshots: SnapshotStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Names this process among pollers; a lease belongs to one holder. */
  readonly holder: string;
}

export interface PollOrder {
  readonly source: string;
  readonly resource: 'task';
  readonly rules: Rules;
  /** Told after each page, for people who wait. @default - nobody is told */
  readonly progress?: (seen: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface PollReport {
  readonly source: string;
  readonly resource: string;
  /** True when this was the first complete look, which is silent. */
  readonly baseline: boolean;
  readonly seen: number;
  readonly created: number;
  readonly changed: number;
  readonly requests: number;
}

const PAGE = 500;

/** Longer than a sweep takes; a poller that dies holds up the next one no longer than this. */
const LEASE: Duration = 5 * MINUTE;

/** Whether a scan of the resource is due, going by when the last good one began. */
export function isScanDue(state: ScanState | undefined, every: Duration, now: Instant): boolean {
  const last = state?.lastGoodScanAt ?? null;
  return last === null || between(last, now) >= every;
}

/** One sweep. Undefined when another poller is at it. A failure is written to the scan's state and thrown on. */
export async function poll(ports: PollPorts, order: PollOrder): Promise<PollReport | undefined> {
  const { ledger, clock, holder } = ports;
  const startedAt = clock.now();
  const lease = await ledger.acquireLease(`poll/${order.source}/${order.resource}`, holder, startedAt, LEASE);
  if (lease === undefined) return undefined;
  const state = (await ledger.scanState(order.source, order.resource)) ?? unscanned(order.source, order.resource);
  try {
    const report = await sweep(ports, order, state, startedAt, lease);
    await ledger.saveScanState({
      ...state,
      baselinedAt: state.baselinedAt ?? clock.now(),
      lastGoodScanAt: startedAt,
      failures: 0,
      lastError: null,
    });
    return report;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Stopped by us is not a failure of the source.
    if (order.signal?.aborted !== true) {
      await ledger.saveScanState({ ...state, failures: state.failures + 1, lastError: message });
    }
    throw error;
  } finally {
    await ledger.releaseLease(lease);
  }
}

async function sweep(
  ports: PollPorts,
  order: PollOrder,
  state: ScanState,
  startedAt: Instant,
  lease: Lease,
): Promise<PollReport> {
  const cause: Cause = state.baselinedAt === null ? 'baseline' : 'poll';
  const tally = { seen: 0, created: 0, changed: 0, requests: 0 };
  for (let offset = 0; ; offset += PAGE) {
    const page = await readPage(ports.api, order, offset);
    tally.requests += 1;
    tally.seen += page.rows.length;
    await keepLease(ports, lease);
    const look = { cause, after: state.lastGoodScanAt, before: startedAt, now: ports.clock.now() };
    const outcome = await commitPage(ports.snapshots, order, page, look);
    tally.created += outcome.created;
    tally.changed += outcome.changed;
    order.progress?.(tally.seen, page.listCount);
    if (offset + PAGE >= page.listCount) break;
  }
  return { source: order.source, resource: order.resource, baseline: cause === 'baseline', ...tally };
}

async function readPage(api: SourceApi, order: PollOrder, offset: number): Promise<Page> {
  // In id order new records only append, so that a page read later misses nothing that was there before.
  const filters = { sortfield: 'id', sortdir: 'ASC' };
  const page = await api.list(order.resource, { offset, limit: PAGE, filters }, order.signal);
  const expected = Math.max(0, Math.min(PAGE, page.listCount - offset));
  if (page.rows.length < expected) {
    throw new RetryLater(
      'TIDINGS_SOURCE_PAGE_SHORT',
      `${order.resource}: ${expected} records expected from ${offset} of ${page.listCount}, got ${page.rows.length}`,
    );
  }
  return page;
}

async function keepLease({ ledger, clock, holder }: PollPorts, lease: Lease): Promise<void> {
  const kept = await ledger.acquireLease(lease.name, holder, clock.now(), LEASE);
  if (kept?.fence !== lease.fence) {
    throw new RetryLater('TIDINGS_SOURCE_LEASE_LOST', `${lease.name}: another poller took over; this one stops`);
  }
}

/** When and why this look happened: what every snapshot of a scan has in common. */
interface Look {
  readonly cause: Cause;
  readonly after: Instant | null;
  readonly before: Instant;
  readonly now: Instant;
}

async function commitPage(
  snapshots: SnapshotStore,
  order: PollOrder,
  page: Page,
  look: Look,
): Promise<{ created: number; changed: number }> {
  const records = page.rows.map((row) => cleanRow(order.resource, row, taskFields));
  const known = await snapshots.getMany(
    order.source,
    order.resource,
    records.map(({ id }) => id),
  );
  const writes = records.flatMap((record) => nextSnapshot(order, record, known.get(record.id), look) ?? []);
  const outcomes = await snapshots.commit(writes);
  // A conflict needs no care here: another poller saw the record too, and the next scan compares with its state.
  const committed = writes.filter((_, index) => outcomes[index] === 'committed');
  const created = committed.filter(({ expected }) => expected === 0).length;
  return { created, changed: committed.length - created };
}

function nextSnapshot(
  order: PollOrder,
  { id, fields }: CleanRecord,
  before: Snapshot | undefined,
  look: Look,
): SnapshotWrite | undefined {
  const key: RecordKey = { source: order.source, resource: order.resource, id };
  if (before === undefined) return { expected: 0, snapshot: snapshotOf(key, 1, fields, order.rules, look) };
  const { record, differs } = compare(before.record, fields, taskFields);
  if (!differs) return undefined;
  return { expected: before.version, snapshot: snapshotOf(key, before.version + 1, record, order.rules, look) };
}

function snapshotOf(key: RecordKey, version: number, record: Fields, rules: Rules, look: Look): Snapshot {
  return {
    key,
    version,
    record,
    stage: stageOf(key.resource, record, rules),
    deletedAt: null,
    committedAt: look.now,
    cause: look.cause,
    occurred: { after: look.after, before: look.before },
    nextMoment: null,
  };
}
