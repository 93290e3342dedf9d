/**
 * Compares rows with their snapshots and commits the differences, unless the snapshot is newer than the row. Knows
 * nothing of pages, cadences or quota.
 */

import type { Fields, RecordKey } from '../model/record.ts';
import type { Change, Snapshot } from '../model/snapshot.ts';
import {
  DAY,
  type Duration,
  fromMillis,
  type Instant,
  parseInstant,
  parseMillis,
  plus,
  SECOND,
} from '../model/time.ts';
import type { ManifestScope, ManifestStore } from '../ports/manifest-store.ts';
import type { SnapshotStore, SnapshotWrite } from '../ports/snapshot-store.ts';
import type { WireRow } from '../ports/source-api.ts';
import { type CleanRecord, cleanRow } from '../resources/clean.ts';
import type { Resource } from '../resources/resource.ts';
import { compare } from '../snapshot/compare.ts';
import { digestChange } from '../snapshot/digest-change.ts';
import { passMoments } from '../snapshot/restage.ts';
import { computeStage, withoutNewTimeFacts } from '../snapshot/stage.ts';
import type { FindAuthor } from './attribution.ts';
import { isFuture } from './clock-moved.ts';
import { emptiesHideableField, withoutHiddenFields } from './hidden-fields.ts';
import type { ScanContext } from './scan-context.ts';

export interface CommitPorts {
  readonly snapshots: SnapshotStore;
  readonly manifests: ManifestStore;
}

/** What differs between the batches of rows of one scan. */
export interface RowBatch {
  /** When the rows were requested: they may be as old as this. */
  readonly requestedAt: Instant;
  readonly now: Instant;
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

const NOTHING: Committed = { created: 0, changed: 0, conflicts: [], outdated: [], markedDirty: [] };

/**
 * A replica of the API may lag behind and show a row as it was before its snapshot, so older rows are ignored for this
 * long after the commit. After that the API really went back, for example because a backup was restored.
 */
const MAX_REPLICA_LAG: Duration = DAY;

export async function commitRows(
  ports: CommitPorts,
  context: ScanContext,
  rows: readonly WireRow[],
  batch: RowBatch,
): Promise<Committed> {
  if (rows.length === 0) return NOTHING;
  const records = rows.map((row) => withoutHiddenFields(context, cleanRow(context.resource, row)));
  learnStatuses(
    context,
    records.map(({ fields }) => fields),
  );
  // A baseline finds no snapshots unless it was interrupted. Then its writes conflict, and those rows are compared.
  if (context.cause !== 'baseline') return commitRecords(ports, context, records, batch);
  const writes = records.map((record) => firstWrite(context, record, batch));
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
  now: Instant,
): Promise<boolean> {
  // Keep the stage: if the record returns, a stage it already had is not a change.
  const { by: _, ...last } = snapshot;
  const deleted: Snapshot = {
    ...last,
    version: snapshot.version + 1,
    deletedAt: now,
    committedAt: now,
    cause: context.cause,
    occurred: { after: context.state.lastGoodScanAt, before: context.startedAt },
    nextMoment: null,
  };
  const write = { snapshot: withDigest(deleted, snapshot, []), expected: snapshot.version };
  const { conflicts } = await commitWrites(ports, context, [write]);
  return conflicts.length === 0;
}

async function commitRecords(
  ports: CommitPorts,
  context: ScanContext,
  records: readonly CleanRecord[],
  batch: RowBatch,
): Promise<Committed> {
  const ids = records.map(({ id }) => id);
  const known = await ports.snapshots.getMany(context.source, context.resource.name, ids);
  // The row of a task in a renamed status has the new name, its snapshot the configured one.
  learnStatuses(
    context,
    [...known.values()].map(({ record }) => record),
  );
  const isOld = (record: CleanRecord) => isOutdated(record, known.get(record.id), batch.now);
  const outdated = records.filter(isOld).map(({ id }) => id);
  await markDirty(ports, context, outdated);
  const current = outdated.length === 0 ? records : records.filter((record) => !isOld(record));
  const writes = current.flatMap((record) => nextWrite(context, record, known.get(record.id), batch) ?? []);
  if (writes.some((write) => emptiesHideableField(context, write, known))) await context.identity.confirm();
  const unknown = writes.filter(({ expected }) => expected === 0).length;
  if (unknown > MAX_UNCONFIRMED_RECORDS && !context.isNewIdentity) await context.identity.confirm();
  // A snapshot committed after the row was requested may be newer than the row. A poller stalled for this long lost its
  // lease a minute before the other one committed (see source-lease.ts), so clocks that differ by seconds do no harm.
  const isStale = ({ snapshot: { key } }: SnapshotWrite) => {
    const committedAt = known.get(key.id)?.committedAt ?? '';
    // A commit in the future was made before the clock was put back.
    return committedAt > batch.requestedAt && !isFuture(committedAt, batch.now);
  };
  const stale = writes.filter(isStale).map(({ snapshot }) => snapshot.key.id);
  await markDirty(ports, context, stale);
  const fresh = writes.filter((write) => !isStale(write));
  const committed = await commitWrites(ports, context, fresh);
  const conflicts = new Set(committed.conflicts);
  const changed = fresh.flatMap(({ snapshot }) => (conflicts.has(snapshot.key.id) ? [] : [snapshot]));
  // The rows themselves confirm the moments between the change and the scan.
  const { timeZone, closedStatuses, startedAt } = context;
  if (timeZone !== null)
    await passMoments(ports.snapshots, changed, startedAt, batch.now, { timeZone, rules: closedStatuses.rules() });
  return { ...committed, outdated, conflicts: [...stale, ...committed.conflicts] };
}

/** More new records than this may be old ones that another role shows. */
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
  if (writes.length === 0) return NOTHING;
  const ids = writes.map(({ snapshot }) => snapshot.key.id);
  const markedDirty = context.cause === 'baseline' ? [] : ids;
  // Mark before the commit. Otherwise, after a crash, a record that goes from A to B and back to A would match its old
  // fingerprint. A baseline needs no mark: its chunk is written after the commit.
  await markDirty(ports, context, markedDirty);
  const outcomes = await ports.snapshots.commit(writes);
  const conflicts = ids.filter((_, index) => outcomes[index] === 'conflict');
  const created = writes.filter(({ expected }, index) => expected === 0 && outcomes[index] === 'committed').length;
  return { ...NOTHING, created, changed: writes.length - conflicts.length - created, conflicts, markedDirty };
}

async function markDirty(
  { manifests }: CommitPorts,
  { source, resource }: ScanContext,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const scope of scopesOf(resource)) await manifests.markDirty({ source, resource: resource.name, scope }, ids);
}

function scopesOf(resource: Resource): readonly ManifestScope[] {
  return resource.openFilter === undefined ? ['all'] : ['all', 'open'];
}

function firstWrite(scan: ScanContext, { id, fields }: CleanRecord, batch: RowBatch): SnapshotWrite {
  const context = silenceIfNewlyShown(scan);
  const key = { source: context.source, resource: context.resource.name, id };
  return { expected: 0, snapshot: buildSnapshot(context, key, undefined, fields, [], batch) };
}

/** Whether the row was modified before the record in the snapshot. A row of the same second may be newer. */
function isOutdated({ fields }: CleanRecord, before: Snapshot | undefined, now: Instant): boolean {
  if (before === undefined || plus(before.committedAt, MAX_REPLICA_LAG) < now) return false;
  const [row, known] = [modifiedAt(fields), modifiedAt(before.record)];
  return row !== undefined && known !== undefined && row < known;
}

/** Undefined when nothing changed. */
function nextWrite(
  context: ScanContext,
  record: CleanRecord,
  before: Snapshot | undefined,
  batch: RowBatch,
): SnapshotWrite | undefined {
  if (before === undefined) return firstWrite(context, record, batch);
  const compared = compare(before.record, record.fields, context.resource);
  if (!compared.differs && before.deletedAt === null) return undefined;
  const silenced = before.deletedAt === null ? context : silenceIfNewlyShown(context);
  const snapshot = buildSnapshot(silenced, before.key, before, compared.record, compared.changes, batch);
  return { expected: before.version, snapshot };
}

/** A record that another role shows is committed like one of the baseline. */
function silenceIfNewlyShown(context: ScanContext): ScanContext {
  return context.isNewIdentity ? { ...context, cause: 'baseline', announceExisting: false } : context;
}

function buildSnapshot(
  context: ScanContext,
  key: RecordKey,
  before: Snapshot | undefined,
  record: Snapshot['record'],
  changes: readonly Change[],
  { now, findAuthor }: RowBatch,
): Snapshot {
  const { timeZone, cause, startedAt } = context;
  const asOf = stagedAsOf(context, record, before);
  const rules = context.closedStatuses.rules();
  const { stage, nextMoment } = computeStage(key.resource, record, timeZone, asOf, rules, before);
  // To announce existing records, commit the stage without its new time-driven facts; the end of the scan adds them as changes.
  const leaveToSettling = cause === 'baseline' && context.announceExisting === true;
  const hasMoved = changes.some(({ field }) => field === 'datedue' || field === 'dateend');
  const snapshot: Snapshot = {
    key,
    version: (before?.version ?? 0) + 1,
    record,
    stage: leaveToSettling ? withoutNewTimeFacts(stage, hasMoved ? {} : (before?.stage ?? {})) : stage,
    deletedAt: null,
    committedAt: now,
    cause,
    occurred: { after: context.state.lastGoodScanAt, before: latestPossibleChange(record, context) },
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

/** A record did not change after its modification date, which is in whole seconds. */
function latestPossibleChange({ datemodified }: Snapshot['record'], { state, startedAt }: ScanContext): Instant {
  const modified = typeof datemodified === 'string' ? parseMillis(datemodified) : undefined;
  if (modified === undefined) return startedAt;
  const latest = fromMillis(modified + SECOND);
  const isInWindow = latest < startedAt && (state.lastGoodScanAt === null || latest > state.lastGoodScanAt);
  return isInWindow ? latest : startedAt;
}

/**
 * A changed record is staged as of its change. Moments between the change and the scan follow as commits of their own,
 * each with its exact instant, and not as part of the change.
 */
function stagedAsOf({ state, cause, startedAt }: ScanContext, record: Fields, before?: Snapshot): Instant {
  const { settledUntil } = state;
  // A date that did not change, as with a renamed project, does not date this change.
  const isDated = record.datemodified !== before?.record.datemodified;
  const changedAt = isDated ? modifiedAt(record) : undefined;
  if (cause === 'baseline' || settledUntil === null || changedAt === undefined) return startedAt;
  const unsettled = changedAt < settledUntil ? settledUntil : changedAt;
  return unsettled < startedAt ? unsettled : startedAt;
}

function modifiedAt({ datemodified }: Snapshot['record']): Instant | undefined {
  return typeof datemodified === 'string' ? parseInstant(datemodified) : undefined;
}
