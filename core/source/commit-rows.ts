/**
 * Compares rows with their snapshots and commits what differs, unless the snapshot is the newer of the two. Knows nothing
 * of pages, cadences or quota.
 */

import type { RecordKey } from '../model/record.ts';
import type { Cause, Snapshot } from '../model/snapshot.ts';
import { fromMillis, type Instant, parseInstant, parseMillis, SECOND } from '../model/time.ts';
import type { ManifestScope, ManifestStore } from '../ports/manifest-store.ts';
import type { SnapshotStore, SnapshotWrite } from '../ports/snapshot-store.ts';
import type { WireRow } from '../ports/source-api.ts';
import { type CleanRecord, cleanRow } from '../resources/clean.ts';
import type { Resource } from '../resources/resource.ts';
import { compare } from '../snapshot/compare.ts';
import { clearTimeFacts, computeStage, type StageRules } from '../snapshot/stage.ts';
import type { FindAuthor } from './attribution.ts';

export interface CommitPorts {
  readonly snapshots: SnapshotStore;
  readonly manifests: ManifestStore;
}

/** When, why and how this look happened: what every snapshot of a scan has in common. */
export interface ScanContext {
  readonly source: string;
  readonly resource: Resource;
  readonly rules: StageRules;
  /** The zone in which the account's days are reckoned. */
  readonly timeZone: string;
  /** Whether a baseline tells what time has made of it already: overdue, due soon. */
  readonly announceExisting: boolean;
  /** Names the people behind changes. @default - nobody is named */
  readonly authorOf?: FindAuthor;
  readonly cause: Cause;
  /** Start of the last good scan; null: never looked before. */
  readonly after: Instant | null;
  /** Start of this one. */
  readonly before: Instant;
  /** When the rows at hand were asked for: they may be as old as this. */
  readonly askedAt: Instant;
  readonly now: Instant;
}

export interface Committed {
  readonly created: number;
  readonly changed: number;
  /** Ids somebody else committed since the rows were asked for. They are doubtful: the next scan compares them again. */
  readonly conflicts: readonly string[];
  /** Ids that were written down as doubtful for this. */
  readonly markedDirty: readonly string[];
}

const NOTHING: Committed = { created: 0, changed: 0, conflicts: [], markedDirty: [] };

export async function commitRows(ports: CommitPorts, look: ScanContext, rows: readonly WireRow[]): Promise<Committed> {
  if (rows.length === 0) return NOTHING;
  const records = rows.map((row) => cleanRow(look.resource, row));
  // A baseline meets no snapshot, unless it was broken off: then the writes conflict, and are compared after all.
  if (look.cause !== 'baseline') return commitRecords(ports, look, records);
  const first = await commitWrites(
    ports,
    look,
    records.map((record) => firstWrite(look, record)),
  );
  if (first.conflicts.length === 0) return first;
  const again = new Set(first.conflicts);
  const second = await commitRecords(
    ports,
    look,
    records.filter(({ id }) => again.has(id)),
  );
  await doubt(ports, look, second.conflicts);
  return { ...second, created: first.created + second.created };
}

/** Commits that a record is gone. False when somebody else committed meanwhile. */
export async function commitGone(ports: CommitPorts, look: ScanContext, snapshot: Snapshot): Promise<boolean> {
  // The stage stays as it was: when the record returns, what it was then is not news again.
  const { by: _, ...last } = snapshot;
  const gone: Snapshot = {
    ...last,
    version: snapshot.version + 1,
    deletedAt: look.now,
    committedAt: look.now,
    cause: look.cause,
    occurred: { after: look.after, before: look.before },
    nextMoment: null,
  };
  const { conflicts: left } = await commitWrites(ports, look, [{ snapshot: gone, expected: snapshot.version }]);
  return left.length === 0;
}

async function commitRecords(
  ports: CommitPorts,
  look: ScanContext,
  records: readonly CleanRecord[],
): Promise<Committed> {
  const ids = records.map(({ id }) => id);
  const known = await ports.snapshots.getMany(look.source, look.resource.name, ids);
  const writes = records.flatMap((record) => nextWrite(look, record, known.get(record.id)) ?? []);
  // What was committed since the row was asked for may know better than the row. A poller that stalled this long lost its
  // lease a minute before the other committed (see hold.ts): clocks that differ by seconds make no difference here.
  const isLate = ({ snapshot: { key } }: SnapshotWrite) => (known.get(key.id)?.committedAt ?? '') > look.askedAt;
  const late = writes.filter(isLate).map(({ snapshot }) => snapshot.key.id);
  await doubt(ports, look, late);
  const committed = await commitWrites(
    ports,
    look,
    writes.filter((write) => !isLate(write)),
  );
  return { ...committed, conflicts: [...late, ...committed.conflicts] };
}

async function commitWrites(
  ports: CommitPorts,
  look: ScanContext,
  writes: readonly SnapshotWrite[],
): Promise<Committed> {
  if (writes.length === 0) return NOTHING;
  const ids = writes.map(({ snapshot }) => snapshot.key.id);
  const doubted = look.cause === 'baseline' ? [] : ids;
  // Before the commit, so that a fingerprint can never vouch for a state that was left in between (A, B, A again).
  // A baseline has no fingerprints to mistrust yet: its chunk is written after it.
  await doubt(ports, look, doubted);
  const outcomes = await ports.snapshots.commit(writes);
  const left = ids.filter((_, index) => outcomes[index] === 'conflict');
  const created = writes.filter(({ expected }, index) => expected === 0 && outcomes[index] === 'committed').length;
  return { created, changed: writes.length - left.length - created, conflicts: left, markedDirty: doubted };
}

async function doubt(
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

function firstWrite(look: ScanContext, { id, fields }: CleanRecord): SnapshotWrite {
  return { expected: 0, snapshot: snapshotOf(look, keyOf(look, id), 1, fields) };
}

function nextWrite(look: ScanContext, record: CleanRecord, before: Snapshot | undefined): SnapshotWrite | undefined {
  if (before === undefined) return firstWrite(look, record);
  const compared = compare(before.record, record.fields, look.resource);
  if (!compared.differs && before.deletedAt === null) return undefined;
  const snapshot = snapshotOf(look, before.key, before.version + 1, compared.record);
  return { expected: before.version, snapshot };
}

function keyOf({ source, resource }: ScanContext, id: string): RecordKey {
  return { source, resource: resource.name, id };
}

function snapshotOf(look: ScanContext, key: RecordKey, version: number, record: Snapshot['record']): Snapshot {
  const { rules, timeZone, cause, now } = look;
  const { stage, nextMoment } = computeStage(key.resource, record, timeZone, now, rules);
  // A baseline that is to be announced does not know the time yet; the next tick tells it.
  const untold = cause === 'baseline' && look.announceExisting;
  const snapshot: Snapshot = {
    key,
    version,
    record,
    stage: untold ? clearTimeFacts(stage) : stage,
    deletedAt: null,
    committedAt: now,
    cause,
    occurred: { after: look.after, before: latestPossibleChange(record, look) },
    nextMoment: untold ? now : nextMoment,
  };
  const by = look.authorOf?.(key.id, modifiedAt(record));
  return by === undefined ? snapshot : { ...snapshot, by };
}

/** A record that says when it was last modified did not change after that, in whole seconds. */
function latestPossibleChange({ datemodified }: Snapshot['record'], { after, before }: ScanContext): Instant {
  const modified = typeof datemodified === 'string' ? parseMillis(datemodified) : undefined;
  if (modified === undefined) return before;
  const latest = fromMillis(modified + SECOND);
  return latest < before && (after === null || latest > after) ? latest : before;
}

function modifiedAt({ datemodified }: Snapshot['record']): Instant | undefined {
  return typeof datemodified === 'string' ? parseInstant(datemodified) : undefined;
}
