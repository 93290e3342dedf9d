/**
 * Compares rows with their snapshots and commits the differences, unless the snapshot is newer than the row. Knows
 * nothing of pages, cadences or quota.
 */

import type { Fields, RecordKey } from '../../model/record.ts';
import { type Change, offsetFrom, type Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { ManifestScope, ManifestStore } from '../../ports/manifest-store.ts';
import type { SnapshotStore, SnapshotWrite } from '../../ports/snapshot-store.ts';
import type { SourceApi, WireRow } from '../../ports/source-api.ts';
import { type CleanRecord, cleanRow } from '../../resources/clean.ts';
import type { Resource } from '../../resources/resource.ts';
import { compare } from '../../snapshot/compare.ts';
import { digestChange } from '../../snapshot/digest-change.ts';
import { passMoments } from '../../snapshot/restage.ts';
import { computeStage, withoutNewTimeFacts } from '../../snapshot/stage.ts';
import { suggestsAnotherRole, withoutHiddenFields } from '../account/hidden-fields.ts';
import { isOutOfSight, judgeNovelty, type Novelty, precedesSweep } from '../account/sight.ts';
import { isFuture } from '../clock-moved.ts';
import { confirmableUntil } from '../due-moments.ts';
import type { FindAuthor } from './attribution.ts';
import { type ChangeWindow, changeWindow, lastCompleteScan } from './change-window.ts';
import { isOutdated, modifiedAt } from './replica-lag.ts';
import { confirmReversals } from './reversals.ts';
import type { ScanContext } from './scan-context.ts';

export interface CommitPorts {
  readonly api: Pick<SourceApi, 'get'>;
  readonly snapshots: SnapshotStore;
  readonly manifests: ManifestStore;
}

/** What differs between the batches of rows of one scan. */
export interface RowBatch {
  /** When the rows were requested: they may be as old as this. */
  readonly requestedAt: Instant;
  readonly now: Instant;
  /** The API's clock in the response. @default - unknown */
  readonly serverTime?: Instant | null;
  /** @default - changes have no author */
  readonly findAuthor?: FindAuthor;
}

export interface Committed {
  readonly created: number;
  readonly changed: number;
  /** Ids that another process committed since the rows were requested. They are dirty: the next scan compares them again. */
  readonly conflicts: readonly string[];
  /** Ids whose row is older than the snapshot. They are dirty. */
  readonly outdated: readonly string[];
  /** Ids that were marked dirty before the commit. */
  readonly markedDirty: readonly string[];
}

export const NOTHING_COMMITTED: Committed = { created: 0, changed: 0, conflicts: [], outdated: [], markedDirty: [] };

export function addCommitted(a: Committed, b: Committed): Committed {
  return {
    created: a.created + b.created,
    changed: a.changed + b.changed,
    conflicts: [...a.conflicts, ...b.conflicts],
    outdated: [...a.outdated, ...b.outdated],
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
  learnStatuses(context, fields);
  // A baseline finds no snapshots unless it was interrupted. Then its writes conflict, and those rows are compared.
  if (context.cause !== 'baseline') return commitRecords(ports, context, records, batch);
  const writes = records.map((record) => firstWrite(context, record, batch, 'new'));
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
  // Keep the stage: if the record returns, a stage it already had is not a change.
  const { by: _, ...last } = snapshot;
  const deleted: Snapshot = {
    ...last,
    version: snapshot.version + 1,
    deletedAt: occurred.before,
    committedAt: occurred.before,
    cause: context.cause,
    occurred,
    nextMoment: null,
  };
  const write = { snapshot: withDigest(deleted, snapshot, []), expected: snapshot.version };
  return (await commitWrites(ports, context, [write])).conflicts.length === 0;
}

async function commitRecords(
  ports: CommitPorts,
  context: ScanContext,
  records: readonly CleanRecord[],
  batch: RowBatch,
): Promise<Committed> {
  const ids = records.map(({ id }) => id);
  const snapshots = await ports.snapshots.getMany(context.source, context.resource.name, ids);
  // The row of a task in a renamed status has the new name, its snapshot the configured one.
  learnStatuses(
    context,
    [...snapshots.values()].map(({ record }) => record),
  );
  const isOld = (record: CleanRecord) => isOutdated(record, snapshots.get(record.id), batch.now);
  const rows = records.filter((record) => !isOld(record));
  const { records: current, unconfirmed } = await confirmReversals(ports.api, context, rows, snapshots);
  const outdated = [...records.filter(isOld).map(({ id }) => id), ...unconfirmed];
  await markDirty(ports, context, outdated);
  const novelties = new Map<string, Novelty>();
  const shownAt = lastCompleteScan(context);
  for (const record of current) {
    if (snapshots.has(record.id)) continue;
    novelties.set(record.id, await judgeNovelty(ports.snapshots, context, record, shownAt));
  }
  const writes = current.flatMap((record) => {
    const before = snapshots.get(record.id);
    if (before === undefined) return firstWrite(context, record, batch, novelties.get(record.id) ?? 'new');
    return nextWrite(context, record, before, batch) ?? [];
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
    const committedAt = snapshots.get(key.id)?.committedAt ?? '';
    // A commit in the future was made before the clock was put back.
    return committedAt > batch.requestedAt && !isFuture(committedAt, batch.now);
  };
  const stale = writes.filter(isStale).map(({ snapshot }) => snapshot.key.id);
  await markDirty(ports, context, stale);
  const fresh = writes.filter((write) => !isStale(write));
  const committed = await commitWrites(ports, context, fresh);
  const conflicts = new Set(committed.conflicts);
  const changed = fresh.flatMap(({ snapshot }) => (conflicts.has(snapshot.key.id) ? [] : [snapshot]));
  // The rows themselves confirm the moments between the change and the scan, and those that were skipped while a record
  // was not listed.
  const { timeZone, closedStatuses, startedAt, state } = context;
  const written = new Set(writes.map(({ snapshot }) => snapshot.key.id));
  const unchanged = current.flatMap(({ id }) => (written.has(id) ? [] : (snapshots.get(id) ?? [])));
  const skipped = unchanged.filter(({ nextMoment }) => isPassed(nextMoment, state.settledUntil));
  if (timeZone !== null) {
    const staging = { timeZone, rules: closedStatuses.rules() };
    await passMoments(ports.snapshots, [...changed, ...skipped], confirmableUntil(startedAt), batch.now, staging);
  }
  return { ...committed, outdated, conflicts: [...stale, ...committed.conflicts] };
}

function isPassed(moment: Instant | null, settledUntil: Instant | null): boolean {
  return moment !== null && settledUntil !== null && moment <= settledUntil;
}

/** More new records than this may be old ones that another role shows, and so may be a single one with an old id. */
const MAX_UNCONFIRMED_RECORDS = 5;

function learnStatuses({ resource, closedStatuses }: ScanContext, records: readonly Snapshot['record'][]): void {
  if (resource.name === 'task') closedStatuses.learn(records);
}

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

export function scopesOf(resource: Resource): readonly ManifestScope[] {
  return resource.openFilter === undefined ? ['all'] : ['all', 'open'];
}

function firstWrite(scan: ScanContext, { id, fields }: CleanRecord, batch: RowBatch, novelty: Novelty): SnapshotWrite {
  const context = novelty === 'old' ? silence(scan) : scan;
  const key = { source: context.source, resource: context.resource.name, id };
  const snapshot = buildSnapshot(context, { key, before: undefined, record: fields, changes: [] }, batch);
  return { expected: 0, snapshot: novelty === 'unsure' ? { ...snapshot, appeared: true } : snapshot };
}

/** Undefined when nothing changed. */
function nextWrite(
  context: ScanContext,
  record: CleanRecord,
  before: Snapshot,
  batch: RowBatch,
): SnapshotWrite | undefined {
  const compared = compare(before.record, record.fields, context.resource);
  if (!compared.differs && before.deletedAt === null) return undefined;
  const isShownAgain = before.deletedAt !== null && (context.isNewIdentity || isOutOfSight(before));
  const { key } = before;
  const change = { key, before, record: compared.record, changes: compared.changes };
  const snapshot = buildSnapshot(isShownAgain ? silence(context) : context, change, batch);
  return { expected: before.version, snapshot };
}

/** A record that the token newly shows is committed like one of the baseline. */
function silence(context: ScanContext): ScanContext {
  return { ...context, cause: 'baseline', announceExisting: false };
}

/** What a row changes in its snapshot. */
interface RowChange {
  readonly key: RecordKey;
  /** Undefined when the record is new. */
  readonly before: Snapshot | undefined;
  readonly record: Fields;
  readonly changes: readonly Change[];
}

function buildSnapshot(context: ScanContext, change: RowChange, { now, serverTime, findAuthor }: RowBatch): Snapshot {
  const { key, before, record, changes } = change;
  const { timeZone, cause, startedAt, forgottenVersion = 0 } = context;
  const response = { receivedAt: now, serverTime };
  const asOf = stagedAsOf(context, change);
  const rules = context.closedStatuses.rules();
  const { stage, nextMoment } = computeStage(key.resource, record, { timeZone, at: asOf, rules, before });
  // To announce existing records, commit the stage without its new time-driven facts; the end of the scan adds them as changes.
  const leaveToSettling = cause === 'baseline' && context.announceExisting === true;
  const hasMoved = changes.some(({ field }) => field === 'datedue' || field === 'dateend');
  const snapshot: Snapshot = {
    key,
    version: (before?.version ?? forgottenVersion) + 1,
    ...offsetFrom((before ?? context).versionOffset),
    record,
    stage: leaveToSettling ? withoutNewTimeFacts(stage, hasMoved ? {} : (before?.stage ?? {})) : stage,
    deletedAt: null,
    committedAt: now,
    cause,
    occurred: changeWindow(context, { before, record, changes, response }),
    nextMoment: leaveToSettling ? startedAt : nextMoment,
  };
  const by = findAuthor?.({ id: key.id, before, record, changes });
  const authored = by === undefined ? snapshot : { ...snapshot, by };
  // A baseline has no events.
  return cause === 'baseline' ? authored : withDigest(authored, before, changes);
}

function withDigest(after: Snapshot, before: Snapshot | undefined, changes: readonly Change[]): Snapshot {
  return { ...after, digest: digestChange(before, after, changes) };
}

/**
 * A changed record is staged as of its change. Moments between the change and the scan follow as commits of their own,
 * each with its exact instant, and not as part of the change.
 */
function stagedAsOf({ state, cause, startedAt }: ScanContext, { before, record, changes }: RowChange): Instant {
  const { settledUntil } = state;
  if (cause === 'baseline' || settledUntil === null) return startedAt;
  // Only names of other records changed, or a status that the API derives from the day.
  const isOwnChange = before === undefined || changes.length > 0;
  // A date that did not change does not date this change.
  const isDated = record.datemodified !== before?.record.datemodified;
  const changedAt = isDated ? modifiedAt(record) : isOwnChange ? undefined : settledUntil;
  // An undated row may be as old as lists lag behind: a moment since then is not confirmed by it.
  if (changedAt === undefined) return confirmableUntil(startedAt);
  const unsettled = changedAt < settledUntil ? settledUntil : changedAt;
  return unsettled < startedAt ? unsettled : startedAt;
}
