/**
 * Finds out why a sweep did not show some records. Only the API's own 404 proves a deletion. A brake prevents a wrong
 * role or filter from looking like a mass deletion, and answers are remembered so that every record gets its turn.
 */

import { GiveUp, RetryLater } from '../model/errors.ts';
import { MAX_MISSING_IDS, type ScanState, type UnlistedRecord } from '../model/scan.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { between, DAY, type Duration, HOUR, type Instant, plus } from '../model/time.ts';
import type { ManifestKey } from '../ports/manifest-store.ts';
import type { WireRow } from '../ports/source-api.ts';
import { commitDeleted, commitRows, commitWrites } from './commit-rows.ts';
import type { ScanContext } from './scan-context.ts';
import type { ScanPorts } from './scan-list.ts';

/** What the scan state keeps about missing records. */
export type MissingState = Required<Pick<ScanState, 'held' | 'unlisted' | 'waiting'>>;

export interface MissingOutcome extends MissingState {
  readonly deleted: number;
  /** Missing records that are not decided yet. */
  readonly open: number;
}

/** The brake holds when more records than both of these disappear at once: that is more likely a fault. */
const BRAKE_SHARE = 0.05;
const BRAKE_COUNT = 10;

/** After this long the brake is released, if a sample of the records is really deleted. */
const BRAKE_RELEASE = HOUR;
const SAMPLE_SIZE = 10;

/** Records requested per scan, one request each. The rest stays dirty and is requested by the next sweep. */
const MAX_REQUESTS = 50;

/** After this many failed requests the API is more likely down than the records broken. */
const MAX_FAILURES = 3;

/** When a record that is not listed is requested again. If it cannot be read, at first hourly, then less and less often. */
function recheckAfter(answer: UnlistedRecord['answer'], age: Duration): Duration {
  return answer === 'exists' ? DAY : Math.min(DAY, Math.max(HOUR, age));
}

/** Remembered answers, so that the state fits its item. The ones beyond are requested again. */
const MAX_UNLISTED = 1000;

export interface Missing {
  readonly ids: readonly string[];
  /** How many others are missing. */
  readonly more: number;
}

export async function settleMissing(ports: ScanPorts, context: ScanContext, missing: Missing): Promise<MissingOutcome> {
  const { source, resource, state, startedAt } = context;
  if (missing.ids.length === 0) return { deleted: 0, open: missing.more, held: null, unlisted: {}, waiting: [] };
  const isMissing = new Set(missing.ids);
  // A record that is listed again is forgotten here.
  const known = Object.entries(state.unlisted ?? {}).filter(([id]) => isMissing.has(id));
  const unlisted = new Map<string, UnlistedRecord>(known);
  const ids = nextInTurn(missing.ids, unlisted, startedAt);
  const snapshots = await ports.snapshots.getMany(source, resource.name, ids.slice(0, MAX_MISSING_IDS));
  const candidates = ids.flatMap((id) => snapshots.get(id) ?? []).filter(({ deletedAt }) => deletedAt === null);
  // Records that earlier sweeps did not list either have not vanished with the others.
  const isWaiting = new Set([...(state.waiting ?? []), ...unlisted.keys()]);
  const vanished = candidates.filter(({ key }) => !isWaiting.has(key.id));
  const unread = Math.max(0, ids.length - MAX_MISSING_IDS) + missing.more;
  const brake = applyBrake(vanished.length + unread, context);
  const waiting = candidates.filter(({ key }) => isWaiting.has(key.id));
  const free = (brake.held === null ? candidates : waiting).slice(0, MAX_REQUESTS);
  const settled = new Set(await requestAll(ports, context, free, unlisted, 0));
  if (brake.isSampled) {
    const sample = vanished.slice(0, Math.max(0, MAX_REQUESTS - free.length));
    for (const id of await requestAll(ports, context, sample, unlisted, SAMPLE_SIZE)) settled.add(id);
  }
  // Ids that are already deleted, or never existed, are not expected again.
  for (const id of ids.slice(0, MAX_MISSING_IDS)) {
    if (snapshots.get(id)?.deletedAt !== null) await clearDirty(ports, context, id);
  }
  const left = (brake.held === null ? candidates : waiting).map(({ key }) => key.id);
  return {
    deleted: settled.size,
    open: candidates.filter(({ key }) => !settled.has(key.id) && !unlisted.has(key.id)).length + unread,
    held: brake.held,
    unlisted: Object.fromEntries([...unlisted].slice(0, MAX_UNLISTED)),
    waiting: left.filter((id) => !settled.has(id) && !unlisted.has(id)),
  };
}

/** Records without an answer first, then those whose last answer is the oldest. */
function nextInTurn(
  missing: readonly string[],
  unlisted: ReadonlyMap<string, UnlistedRecord>,
  now: Instant,
): readonly string[] {
  const unanswered = missing.filter((id) => !unlisted.has(id));
  const again = [...unlisted]
    .filter(([, { askAt }]) => askAt <= now)
    .sort(([, a], [, b]) => (a.askAt < b.askAt ? -1 : 1));
  return [...unanswered, ...again.map(([id]) => id)];
}

/**
 * Whether the brake holds. While it does, single deletions that were noticed before go on; the others are sampled after
 * a while.
 */
function applyBrake(
  missing: number,
  { state, startedAt }: ScanContext,
): { held: ScanState['held']; isSampled: boolean } {
  const isMass = missing > BRAKE_COUNT && missing > (state.count ?? 0) * BRAKE_SHARE;
  if (!isMass) return { held: null, isSampled: false };
  const since = state.held?.since ?? startedAt;
  return { held: { count: missing, since }, isSampled: between(since, startedAt) >= BRAKE_RELEASE };
}

/**
 * Requests the records and commits the deleted ones. Returns their ids.
 * @param sampleSize deletions count only if none of the first records exists; 0: each counts by itself
 */
async function requestAll(
  ports: ScanPorts,
  context: ScanContext,
  snapshots: readonly Snapshot[],
  unlisted: Map<string, UnlistedRecord>,
  sampleSize: number,
): Promise<readonly string[]> {
  const absent: Snapshot[] = [];
  let failures = 0;
  let found = 0;
  for (const [index, snapshot] of snapshots.entries()) {
    if (failures >= MAX_FAILURES) break;
    const { id } = snapshot.key;
    const requestedAt = ports.clock.now();
    const answer = await requestRecord(ports, context, id);
    await context.assertLeaseHeld();
    const now = ports.clock.now();
    if (answer === 'deleted') {
      absent.push(snapshot);
      continue;
    }
    const remembered = typeof answer === 'string' ? answer : 'exists';
    const since = unlisted.get(id)?.since ?? now;
    unlisted.set(id, { answer: remembered, since, askAt: plus(now, recheckAfter(remembered, between(since, now))) });
    if (answer === 'failed') failures += 1;
    if (typeof answer === 'string') continue;
    // The record exists: the list changed during the scan, or does not show everything.
    if (index < sampleSize) found += 1;
    await commitRows(ports, context, [answer], { requestedAt, now });
  }
  if (sampleSize > 0 && (found > 0 || absent.length < Math.min(sampleSize, snapshots.length))) return [];
  // Losing sight of a record is not a deletion.
  if (absent.length > 0) await context.identity.confirm();
  const deleted: string[] = [];
  for (const snapshot of absent) {
    const { id } = snapshot.key;
    await context.assertLeaseHeld();
    if (!(await commitDeleted(ports, context, snapshot, ports.clock.now()))) continue;
    deleted.push(id);
    unlisted.delete(id);
    await clearDirty(ports, context, id);
  }
  return deleted;
}

/** Errors of a single record. Any other would meet the next request as well. */
const FAILED = ['TIDINGS_SOURCE_STATUS', 'TIDINGS_SOURCE_CUT_OFF', 'TIDINGS_SOURCE_ANSWER_INVALID'];

async function requestRecord(
  ports: ScanPorts,
  context: ScanContext,
  id: string,
): Promise<WireRow | 'deleted' | 'forbidden' | 'failed'> {
  try {
    const record = await fetchRecord(ports, context, id);
    return record === 'unknown' ? 'forbidden' : record;
  } catch (error) {
    if (error instanceof RetryLater && FAILED.includes(error.code)) return 'failed';
    throw error;
  }
}

/** The record, or why there is none: `unknown` when the token may not read it. */
export async function fetchRecord({ api }: ScanPorts, { resource, signal }: ScanContext, id: string) {
  try {
    return (await api.get(resource.name, id, signal)) ?? 'deleted';
  } catch (error) {
    // Forbidden does not prove absence.
    if (error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_FORBIDDEN') return 'unknown';
    throw error;
  }
}

/** After a change of the token's person or role, missing records are out of sight and not deleted. */
export async function loseSight(ports: ScanPorts, context: ScanContext, ids: readonly string[]): Promise<void> {
  const { source, resource } = context;
  for (let at = 0; at < ids.length; at += LOSE_BATCH_SIZE) {
    const batch = ids.slice(at, at + LOSE_BATCH_SIZE);
    const snapshots = await ports.snapshots.getMany(source, resource.name, batch);
    const live = [...snapshots.values()].filter(({ deletedAt }) => deletedAt === null);
    await context.assertLeaseHeld();
    await commitOutOfSight(ports, context, live, ports.clock.now());
    for (const scope of ['all', 'open'] as const)
      await ports.manifests.clearDirty({ source, resource: resource.name, scope }, batch);
  }
}

/** Commits, without events, that the token no longer shows these records. */
async function commitOutOfSight(
  ports: ScanPorts,
  context: ScanContext,
  snapshots: readonly Snapshot[],
  now: Instant,
): Promise<void> {
  const writes = snapshots.map((snapshot) => ({
    expected: snapshot.version,
    snapshot: {
      ...snapshot,
      version: snapshot.version + 1,
      deletedAt: now,
      committedAt: now,
      cause: 'baseline' as const,
      nextMoment: null,
    },
  }));
  await commitWrites(ports, context, writes);
}

/** Large enough for one batch of a store. */
const LOSE_BATCH_SIZE = 100;

async function clearDirty({ manifests }: ScanPorts, { source, resource }: ScanContext, id: string): Promise<void> {
  const key: ManifestKey = { source, resource: resource.name, scope: 'all' };
  await manifests.clearDirty(key, [id]);
}
