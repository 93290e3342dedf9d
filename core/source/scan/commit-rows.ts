/**
 * Compares rows with their snapshots and commits the differences, unless the snapshot is newer than the row. Knows
 * nothing of pages, cadences or quota. The snapshots are built in build-snapshot.ts.
 */

import { memoize } from '../../model/memoize.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { ManifestScope } from '../../ports/manifest-store.ts';
import type { SnapshotWrite } from '../../ports/snapshot-store.ts';
import type { WireRow } from '../../ports/source-api.ts';
import { type CleanRecord, cleanRow } from '../../resources/clean.ts';
import type { PolledResource } from '../../resources/resource.ts';
import { passMoments } from '../../snapshot/restage.ts';
import { suggestsAnotherRole, withoutHiddenFields } from '../account/hidden-fields.ts';
import { judgeNovelty, type Novelty, precedesSweep } from '../account/sight.ts';
import { isFuture } from '../clock-moved.ts';
import { buildDeletion, buildFirstWrite, buildNextWrite, type RowBatch } from './build-snapshot.ts';
import { type ChangeWindow, lastCompleteScan } from './change-window.ts';
import { confirmRows } from './confirm-rows.ts';
import { parseRows } from './list-rows.ts';
import { findMovedProjects, withPresentProject } from './project-labels.ts';
import { buildReplay, isOlderThanScans, type ReplayedRecord, readHistories } from './replay-history.ts';
import { confirmableUntil, confirmsDue, findLastEdit, isOutdated, type RowSource } from './replica-lag.ts';
import type { CommitPorts, ScanContext } from './scan-context.ts';

export interface Committed {
  readonly created: number;
  readonly changed: number;
  /** Ids that another process committed since the rows were requested. They are dirty: the next scan compares them again. */
  readonly conflicts: readonly string[];
  /** Ids whose row is older than the snapshot. They are dirty. */
  readonly outdated: readonly string[];
  /** Those of them whose row says the same about what is due as the snapshot. */
  readonly confirmed: readonly string[];
  /** Ids that were marked dirty before the commit. */
  readonly markedDirty: readonly string[];
}

export const NOTHING_COMMITTED: Committed = {
  ...{ created: 0, changed: 0 },
  ...{ conflicts: [], outdated: [], confirmed: [], markedDirty: [] },
};

export function addCommitted(a: Committed, b: Committed): Committed {
  return {
    created: a.created + b.created,
    changed: a.changed + b.changed,
    conflicts: [...a.conflicts, ...b.conflicts],
    outdated: [...a.outdated, ...b.outdated],
    confirmed: [...a.confirmed, ...b.confirmed],
    markedDirty: [...a.markedDirty, ...b.markedDirty],
  };
}

export async function commitRows(
  ports: CommitPorts,
  context: ScanContext,
  rows: readonly WireRow[],
  batch: RowBatch,
): Promise<Committed> {
  if (rows.length === 0) return NOTHING_COMMITTED;
  const records = rows.map((row) => withoutHiddenFields(context, cleanRow(context.resource, row)));
  const fields = records.map((record) => record.fields);
  if (context.resource.name === 'task') context.closedStatuses.learn(fields, batch.now);
  // A baseline finds no snapshots unless it was interrupted. Then its writes conflict, and those rows are compared.
  if (context.cause !== 'baseline') return commitRecords(ports, context, records, batch);
  const writes = records.map((record) => buildFirstWrite(context, record, batch, 'new'));
  const first = await commitWrites(ports, context, writes);
  if (first.conflicts.length === 0) return first;
  const again = new Set(first.conflicts);
  const conflicting = records.filter(({ id }) => again.has(id));
  const second = await commitRecords(ports, context, conflicting, batch);
  await markDirty(ports, context, second.conflicts);
  return { ...second, created: first.created + second.created };
}

/** Commits that a record was deleted. False when another process committed the record first. */
export async function commitDeleted(
  ports: CommitPorts,
  context: ScanContext,
  snapshot: Snapshot,
  occurred: ChangeWindow,
): Promise<boolean> {
  const record = await withPresentProject(ports.snapshots, snapshot);
  const write = buildDeletion(context, snapshot, record, occurred);
  return (await commitWrites(ports, context, [write])).conflicts.length === 0;
}

async function commitRecords(
  ports: CommitPorts,
  context: ScanContext,
  records: readonly CleanRecord[],
  batch: RowBatch,
): Promise<Committed> {
  const ids = records.map(({ id }) => id);
  const snapshots = new Map(await ports.snapshots.getMany(context.source, context.resource.name, ids));
  const response = describeResponse(context, records, batch);
  const older = records.filter((record) => isOutdated(record, snapshots.get(record.id), response));
  const olderIds = new Set(older.map(({ id }) => id));
  const rows = older.length === 0 ? records : records.filter(({ id }) => !olderIds.has(id));
  const { records: current, unconfirmed } = await confirmRows(ports.api, context, rows, snapshots, batch.now);
  const replay = await commitHistories(ports, context, current, snapshots, batch);
  const outdated = [...olderIds, ...unconfirmed];
  const confirmed = older.flatMap((record) => {
    const before = snapshots.get(record.id);
    return before !== undefined && confirmsDue(record, before, batch.now) ? record.id : [];
  });
  await markDirty(ports, context, outdated);
  const novelties = new Map<string, Novelty>();
  const shownAt = lastCompleteScan(context);
  for (const record of current) {
    if (snapshots.has(record.id)) continue;
    const novelty = replay.old.has(record.id) ? 'old' : undefined;
    novelties.set(record.id, novelty ?? (await judgeNovelty(ports.snapshots, context, record, shownAt)));
  }
  const writes = current.flatMap((record) => {
    const before = snapshots.get(record.id);
    if (before === undefined) return buildFirstWrite(context, record, batch, novelties.get(record.id) ?? 'new');
    return buildNextWrite(context, record, before, batch) ?? [];
  });
  if (writes.some((write) => suggestsAnotherRole(context, write, snapshots))) await context.identity.confirm();
  const unknown = writes.filter(({ expected }) => expected === 0);
  const isSuspicious =
    unknown.length > MAX_UNCONFIRMED_RECORDS ||
    unknown.some(({ snapshot: { key } }) => precedesSweep(context.state, key.id));
  if (isSuspicious && !context.isNewIdentity) await context.identity.confirm();
  // A snapshot committed after the row was requested may be newer than the row. A poller stalled for this long lost its
  // lease a minute before the other one committed (see source-lease.ts), so clocks that differ by seconds do no harm.
  const isStale = ({ snapshot: { key } }: SnapshotWrite) => {
    if (replay.committed.has(key.id)) return false;
    const committedAt = snapshots.get(key.id)?.committedAt ?? '';
    // A commit in the future was made before the clock was put back.
    return committedAt > batch.requestedAt && !isFuture(committedAt, batch.now);
  };
  const stale = writes.filter(isStale).map(({ snapshot }) => snapshot.key.id);
  await markDirty(ports, context, stale);
  const fresh = writes.filter((write) => !isStale(write));
  // Before the commit: after a crash the next scan finds the same projects.
  const moved = findMovedProjects(context, fresh, snapshots);
  if (moved.length > 0) await context.rereadTasks?.(moved);
  const committed = await commitWrites(ports, context, fresh);
  const conflicting = new Set(committed.conflicts);
  const changed = fresh.map(({ snapshot }) => snapshot).filter(({ key }) => !conflicting.has(key.id));
  // The rows themselves confirm the moments between the change and the scan, and those that were skipped while a record
  // was not listed.
  const { timeZone, closedStatuses, state } = context;
  const startedAt = context.apiClock.earlierOf(context.startedAt);
  const written = new Set(writes.map(({ snapshot }) => snapshot.key.id));
  const unchanged = current.flatMap(({ id }) => (written.has(id) ? [] : (snapshots.get(id) ?? [])));
  const skipped = unchanged.filter(({ nextMoment }) => isPassed(nextMoment, state.settledUntil));
  if (timeZone !== null) {
    const staging = { timeZone, rules: closedStatuses.rules() };
    const clock = { now: () => batch.now };
    await passMoments({ ...ports, clock }, [...changed, ...skipped], confirmableUntil(startedAt), staging);
  }
  return {
    ...committed,
    created: committed.created + replay.created,
    changed: committed.changed + replay.changed,
    markedDirty: [...committed.markedDirty, ...replay.markedDirty],
    outdated,
    confirmed,
    conflicts: [...stale, ...committed.conflicts, ...replay.conflicts],
  };
}

/** The rows that are compared are a part of the response: the others are parsed only for a row that looks outdated. */
function describeResponse({ resource }: ScanContext, records: readonly CleanRecord[], batch: RowBatch): RowSource {
  const { now, serverTime, page } = batch;
  const until = serverTime != null && serverTime > now ? serverTime : now;
  const lastEdit = memoize((_: 'response') => {
    const all = page === undefined ? records : parseRows(page).rows.map((row) => cleanRow(resource, row));
    return findLastEdit(all, until);
  });
  return { now, resource, lastEdit: () => lastEdit('response') };
}

interface CommittedHistories extends Committed {
  /** Ids of the records that have a newer snapshot now. */
  readonly committed: ReadonlySet<string>;
  /** Ids of the new records that were made before the last scan. */
  readonly old: ReadonlySet<string>;
}

/** Commits the single changes of records whose history is known, one round for each, and updates `snapshots`. */
async function commitHistories(
  ports: CommitPorts,
  context: ScanContext,
  records: readonly CleanRecord[],
  snapshots: Map<string, Snapshot>,
  batch: RowBatch,
): Promise<CommittedHistories> {
  const fresh = records.filter(({ id }) => (snapshots.get(id)?.committedAt ?? '') <= batch.requestedAt);
  const histories = await readHistories(ports, context, fresh, snapshots);
  const isOldRecord = (one: ReplayedRecord) => !snapshots.has(one.id) && isOlderThanScans(context, one);
  const old = new Set(histories.filter(isOldRecord).map(({ id }) => id));
  const pending = histories
    .filter(({ id }) => !old.has(id))
    .map((one) => ({ id: one.id, writes: [...buildReplay(context, one, snapshots.get(one.id), batch)] }));
  const committed = new Set<string>();
  let all: Committed = NOTHING_COMMITTED;
  for (;;) {
    const round = pending.flatMap(({ writes }) => writes.shift() ?? []);
    if (round.length === 0) return { ...all, committed, old };
    await context.assertLeaseHeld();
    const outcome = await commitWrites(ports, context, round);
    all = addCommitted(all, outcome);
    const conflicting = new Set(outcome.conflicts);
    for (const one of pending) if (conflicting.has(one.id)) one.writes.length = 0;
    for (const { snapshot } of round) {
      if (conflicting.has(snapshot.key.id)) continue;
      snapshots.set(snapshot.key.id, snapshot);
      committed.add(snapshot.key.id);
    }
  }
}

function isPassed(moment: Instant | null, settledUntil: Instant | null): boolean {
  return moment !== null && settledUntil !== null && moment <= settledUntil;
}

/** More new records than this may be old ones that another role shows, and so may be a single one with an old id. */
const MAX_UNCONFIRMED_RECORDS = 5;

/** Marks the records dirty and commits the writes. */
export async function commitWrites(
  ports: CommitPorts,
  context: ScanContext,
  writes: readonly SnapshotWrite[],
): Promise<Committed> {
  if (writes.length === 0) return NOTHING_COMMITTED;
  const ids = writes.map(({ snapshot }) => snapshot.key.id);
  const markedDirty = context.cause === 'baseline' ? [] : ids;
  // Mark before the commit. Otherwise, after a crash, a record that goes from A to B and back to A would match its old
  // fingerprint. A baseline needs no mark: its chunk is written after the commit.
  await markDirty(ports, context, markedDirty);
  const outcomes = await ports.snapshots.commit(writes);
  const conflicts = ids.filter((_, index) => outcomes[index] === 'conflict');
  const created = writes.filter(({ expected }, index) => expected === 0 && outcomes[index] === 'committed').length;
  return { ...NOTHING_COMMITTED, created, changed: writes.length - conflicts.length - created, conflicts, markedDirty };
}

async function markDirty(
  { manifests }: CommitPorts,
  { source, resource }: ScanContext,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const scope of scopesOf(resource)) await manifests.markDirty({ source, resource: resource.name, scope }, ids);
}

export function scopesOf(resource: PolledResource): readonly ManifestScope[] {
  return resource.listsOpen === true ? ['all', 'open'] : ['all'];
}
