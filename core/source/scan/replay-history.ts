/**
 * Commits the single changes of records whose source keeps their history: each with its own person and instant, so that two
 * edits between two scans are two events. What the history does not explain is left to the comparison of rows.
 */

import { GiveUp, RetryLater } from '../../model/errors.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { between, type Duration, parseInstant, plus, SECOND } from '../../model/time.ts';
import type { SnapshotWrite } from '../../ports/snapshot-store.ts';
import type { HistoryStep } from '../../ports/source-api.ts';
import type { CleanRecord } from '../../resources/clean.ts';
import { compare } from '../../snapshot/compare.ts';
import { buildFirstWrite, buildNextWrite, type RowBatch } from './build-snapshot.ts';
import { lastCompleteScan } from './change-window.ts';
import { type CommitPorts, LOOKBACK, type ScanContext } from './scan-context.ts';

export interface ReplayedRecord {
  readonly id: string;
  readonly steps: readonly HistoryStep[];
}

/** How many histories are read between two checks of the lease. */
const CHECK_LEASE_EVERY = 10;

/**
 * Reads the histories of the records that were modified, one request each. A record whose modification date is the same has no
 * new history. Empty where the source keeps none.
 */
export async function readHistories(
  { api }: CommitPorts,
  context: ScanContext,
  records: readonly CleanRecord[],
  snapshots: ReadonlyMap<string, Snapshot>,
): Promise<readonly ReplayedRecord[]> {
  const { traits, resource, cause, isNewIdentity, signal, assertLeaseHeld } = context;
  const { readHistory } = traits;
  if (readHistory === undefined || cause === 'baseline' || isNewIdentity) return [];
  const replayed: ReplayedRecord[] = [];
  let read = 0;
  for (const { id, fields } of records) {
    const before = snapshots.get(id);
    if (before?.deletedAt != null) continue;
    // Also without a difference: a value may have been changed and changed back.
    if (before !== undefined && fields.datemodified === before.record.datemodified && !mayHaveMore(context, before))
      continue;
    const changes = before === undefined ? [] : compare(before.record, fields, resource).changes;
    const change = { resource: resource.name, id, before, record: fields, changes };
    const steps = await readHistory(api, change, signal).catch(ignoreUnreadable);
    if (steps.length > 0) replayed.push({ id, steps });
    read += 1;
    if (read % CHECK_LEASE_EVERY === 0) await assertLeaseHeld();
  }
  return replayed;
}

/**
 * Whether another change may have the same modification date: its second was not over when the record was read, and no
 * complete scan has read it since.
 */
function mayHaveMore({ state }: ScanContext, { record, committedAt }: Snapshot): boolean {
  const modified = typeof record.datemodified === 'string' ? parseInstant(record.datemodified) : undefined;
  if (modified === undefined || between(modified, committedAt) > SAME_SECOND) return false;
  return state.cursor === null || state.cursor <= plus(modified, SAME_SECOND);
}

const SAME_SECOND: Duration = 2 * SECOND;

/** Without its history, a change has no author. */
function ignoreUnreadable(error: unknown): readonly HistoryStep[] {
  if (error instanceof RetryLater || error instanceof GiveUp) return [];
  throw error;
}

/** Whether a record without a snapshot was made before the last scan that would have shown it: it was only not visible. */
export function isOlderThanScans(context: ScanContext, { steps }: ReplayedRecord): boolean {
  const shownAt = lastCompleteScan(context);
  const createdAt = steps[0]?.at;
  // The creation is dated by the API's clock, the scan by ours.
  return (
    shownAt !== null && createdAt !== undefined && createdAt < plus(context.apiClock.earlierOf(shownAt), -LOOKBACK)
  );
}

/**
 * The writes of all steps, in the order in which they are committed. The first of a new record is its creation.
 * @param current the records as they are now: what the history leaves unexplained is compared with them afterwards
 */
export function buildReplay(
  context: ScanContext,
  { id, steps }: ReplayedRecord,
  before: Snapshot | undefined,
  batch: RowBatch,
): readonly SnapshotWrite[] {
  const writes: SnapshotWrite[] = [];
  let last = before;
  for (const { record: fields, at, by } of steps) {
    const dated: RowBatch = { ...batch, occurred: { after: at, before: at }, findAuthor: () => by };
    const write =
      last === undefined
        ? buildFirstWrite(context, { id, fields }, dated, 'new')
        : buildNextWrite(context, { id, fields }, last, dated);
    if (write === undefined) continue;
    writes.push(write);
    last = write.snapshot;
  }
  return writes;
}
