/**
 * Finds out why a sweep did not show some records. Only the API's own 404 proves a deletion, and only if the token has
 * not lost sight of the record. A brake prevents a wrong role or filter from looking like a mass deletion, and answers
 * are remembered so that every record gets its turn.
 */

import { concernsSingleRecord, isForbidden } from '../../model/error-codes.ts';
import { GiveUp, RetryLater } from '../../model/errors.ts';
import { MAX_MISSING_IDS, type ScanState, type UnlistedRecord } from '../../model/scan.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { between, DAY, type Duration, HOUR, type Instant, MINUTE, plus } from '../../model/time.ts';
import type { WireRow } from '../../ports/source-api.ts';
import { type Sight, watchSight } from '../account/sight.ts';
import { commitDeleted, commitRows } from './commit-rows.ts';
import { clearDirty, commitOutOfSight, countHidden } from './out-of-sight.ts';
import { MAX_REPLICA_LAG } from './replica-lag.ts';
import type { ScanContext } from './scan-context.ts';
import type { ScanPorts } from './scan-list.ts';
import { MAX_REQUESTS, type Missing, nextInTurn, nextOverflow, rememberAnswers } from './take-turns.ts';

/** What the scan state keeps about missing records. */
type MissingState = Required<Pick<ScanState, 'held' | 'unlisted' | 'waiting' | 'overflow'>> &
  Pick<ScanState, 'outOfSight'>;

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

/** After this many failed requests the API is more likely down than the records broken. */
const MAX_FAILURES = 3;

/** When a record that is not listed is requested again. If it cannot be read, soon at first, then less and less often. */
function recheckAfter(answer: UnlistedRecord['answer'], age: Duration): Duration {
  return answer === 'exists' ? DAY : Math.min(DAY, Math.max(answer === 'failed' ? 5 * MINUTE : HOUR, age));
}

export async function settleMissing(ports: ScanPorts, context: ScanContext, missing: Missing): Promise<MissingOutcome> {
  const { source, resource, state, startedAt } = context;
  if (missing.ids.length === 0) return { ...NOTHING_MISSING, open: missing.more };
  const isMissing = new Set(missing.ids);
  // A record that is listed again is forgotten here.
  const stillMissing = Object.entries(state.unlisted ?? {}).filter(([id]) => isMissing.has(id));
  const unlisted = new Map<string, UnlistedRecord>(stillMissing);
  const { ids, unanswered, inOverflow } = nextInTurn(missing, unlisted, context);
  const snapshots = await ports.snapshots.getMany(source, resource.name, ids.slice(0, MAX_MISSING_IDS));
  const candidates = ids.flatMap((id) => snapshots.get(id) ?? []).filter(({ deletedAt }) => deletedAt === null);
  // Records that earlier sweeps did not list either have not vanished with the others.
  const isWaiting = new Set([...(state.waiting ?? []), ...unlisted.keys()]);
  const vanished = candidates.filter(({ key }) => !isWaiting.has(key.id));
  const read = ids.slice(0, MAX_MISSING_IDS).filter((id) => !unlisted.has(id)).length;
  const unread = unanswered - read + missing.more;
  const brake = applyBrake(vanished.length + unread - (state.overflow?.count ?? 0), context);
  const waiting = candidates.filter(({ key }) => isWaiting.has(key.id));
  const free = (brake.held === null ? candidates : waiting).slice(0, MAX_REQUESTS);
  const inTurn = free.filter(({ key }) => inOverflow.has(key.id));
  const others = free.filter(({ key }) => !inOverflow.has(key.id));
  const answers = [
    await requestAll(ports, context, others, unlisted, 'each'),
    await requestAll(ports, context, inTurn, unlisted, 'few'),
  ];
  const sample = brake.isSampled ? vanished.slice(0, Math.max(0, MAX_REQUESTS - free.length)) : [];
  const sampled = await requestAll(ports, context, sample, unlisted, 'sample');
  answers.push(sampled);
  const deleted = answers.flatMap((answer) => answer.deleted);
  const lost = answers.flatMap((answer) => answer.lost);
  const settled = new Set([...deleted, ...lost]);
  // Ids that are already deleted, or never existed, are not expected again.
  for (const id of ids.slice(0, MAX_MISSING_IDS)) {
    if (snapshots.get(id)?.deletedAt !== null) await clearDirty(ports, context, [id]);
  }
  // The records exist and only the list does not show them: that is no mass deletion.
  const held = sampled.isListFault ? null : brake.held;
  const isDecided = ({ key: { id } }: Snapshot) => settled.has(id) || unlisted.has(id);
  const left = (brake.held === null ? candidates : waiting)
    .filter((snapshot) => !isDecided(snapshot) && !inOverflow.has(snapshot.key.id))
    .map(({ key }) => key.id);
  const open = candidates.filter((snapshot) => !isDecided(snapshot)).length + unread;
  const remembered = rememberAnswers(unlisted);
  const overflow = nextOverflow(state.overflow, {
    isHeld: held !== null,
    isListFault: sampled.isListFault,
    forgotten: unlisted.size - remembered.length,
    unanswered: open - left.length,
    asked: lastBefore(inTurn, (snapshot) => !isDecided(snapshot)),
  });
  return {
    deleted: deleted.length,
    open: overflow === null ? open : Math.max(left.length, open - overflow.count),
    held,
    unlisted: Object.fromEntries(remembered),
    waiting: left,
    overflow,
    ...(lost.length === 0 ? {} : { outOfSight: { count: countHidden(state, startedAt) + lost.length, at: startedAt } }),
  };
}

/** The id of the last record before the first of this kind; undefined: there is none. */
function lastBefore(snapshots: readonly Snapshot[], isStop: (snapshot: Snapshot) => boolean): string | undefined {
  const stop = snapshots.findIndex(isStop);
  return snapshots.slice(0, stop < 0 ? snapshots.length : stop).at(-1)?.key.id;
}

const NOTHING_MISSING = { deleted: 0, open: 0, held: null, unlisted: {}, waiting: [], overflow: null } as const;

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

interface Settled {
  /** Ids of the records that were deleted. */
  readonly deleted: readonly string[];
  /** Ids of the records that the token no longer sees. */
  readonly lost: readonly string[];
  /** Nearly all records of a sample exist. */
  readonly isListFault: boolean;
}

/**
 * Which deletions count. `each`: every one by itself. `few`: only so many in one sweep, because no brake holds them.
 * `sample`: if none of the first records exists, or if they are few among records that exist.
 */
type Trust = 'each' | 'few' | 'sample';

/** Requests the records, and commits those that were deleted or are out of sight. */
async function requestAll(
  ports: ScanPorts,
  context: ScanContext,
  snapshots: readonly Snapshot[],
  unlisted: Map<string, UnlistedRecord>,
  trust: Trust,
): Promise<Settled> {
  const absent: Snapshot[] = [];
  let isAnyAbsent = false;
  let failures = 0;
  let existing = 0;
  let existingFirst = 0;
  const remember = (
    id: string,
    answer: UnlistedRecord['answer'],
    existedAt = lastExistedAt(context, id, unlisted),
    askAt?: Instant,
  ) => {
    const now = ports.clock.now();
    const since = unlisted.get(id)?.since ?? now;
    const again = askAt ?? plus(now, recheckAfter(answer, between(since, now)));
    unlisted.set(id, { answer, since, askAt: again, existedAt });
  };
  for (const [index, snapshot] of snapshots.entries()) {
    if (failures >= MAX_FAILURES || (trust === 'few' && absent.length >= BRAKE_COUNT)) break;
    const { id } = snapshot.key;
    const requestedAt = ports.clock.now();
    const answer = await requestRecord(ports, context, id);
    await context.assertLeaseHeld();
    const now = ports.clock.now();
    if (answer === 'deleted') {
      isAnyAbsent = true;
      const { committedAt, cause } = snapshot;
      const provenAt = plus(committedAt, MAX_REPLICA_LAG);
      // A record of the baseline is older than its snapshot.
      const isRecent = cause !== 'baseline' && committedAt <= requestedAt && requestedAt < provenAt;
      if (isRecent) remember(id, 'absent', undefined, provenAt);
      else absent.push(snapshot);
      continue;
    }
    if (typeof answer === 'string') remember(id, answer);
    else remember(id, 'exists', requestedAt);
    if (answer === 'failed') failures += 1;
    if (typeof answer === 'string') continue;
    // The record exists: the list changed during the scan, or does not show everything.
    existing += 1;
    if (index < SAMPLE_SIZE) existingFirst += 1;
    await commitRows(ports, context, [answer], { requestedAt, now });
  }
  if (isAnyAbsent) await context.identity.confirm();
  const isListFault = trust === 'sample' && existing >= SAMPLE_SIZE && absent.length <= BRAKE_COUNT;
  const nothing: Settled = { deleted: [], lost: [], isListFault };
  const isMassDeletion = existingFirst === 0 && absent.length >= Math.min(SAMPLE_SIZE, snapshots.length);
  if (absent.length === 0 || (trust === 'sample' && !isListFault && !isMassDeletion)) return nothing;
  const sight = watchSight(ports.api, context.resource, context.identity.current(), context.signal);
  const deleted: string[] = [];
  const lost: Snapshot[] = [];
  for (const snapshot of absent) {
    const { id } = snapshot.key;
    const isProven = await proveDeletion(sight, snapshot);
    if (isProven === 'failed') remember(id, 'failed');
    if (isProven === false) lost.push(snapshot);
    if (isProven !== true) continue;
    await context.assertLeaseHeld();
    const existedAt = lastExistedAt(context, id, unlisted);
    if (!(await commitDeleted(ports, context, snapshot, { after: existedAt, before: ports.clock.now() }))) continue;
    deleted.push(id);
    unlisted.delete(id);
    await clearDirty(ports, context, [id]);
  }
  await context.assertLeaseHeld();
  const hidden = await commitOutOfSight(ports, context, lost);
  for (const id of hidden) unlisted.delete(id);
  await clearDirty(ports, context, hidden);
  return { ...nothing, deleted, lost: hidden };
}

async function proveDeletion(sight: Sight, snapshot: Snapshot): Promise<boolean | 'failed'> {
  try {
    return await sight.provesDeletion(snapshot);
  } catch (error) {
    if (isFailure(error)) return 'failed';
    throw error;
  }
}

/** The last scan or response that showed the record; null: unknown. */
function lastExistedAt(
  { state }: ScanContext,
  id: string,
  unlisted: ReadonlyMap<string, UnlistedRecord>,
): Instant | null {
  const remembered = unlisted.get(id);
  return (remembered === undefined ? state.completeSweepAt : remembered.existedAt) ?? null;
}

async function requestRecord(
  ports: ScanPorts,
  context: ScanContext,
  id: string,
): Promise<WireRow | 'deleted' | 'forbidden' | 'failed'> {
  try {
    const record = await fetchRecord(ports, context, id);
    return record === 'unknown' ? 'forbidden' : record;
  } catch (error) {
    if (isFailure(error)) return 'failed';
    throw error;
  }
}

function isFailure(error: unknown): boolean {
  return error instanceof RetryLater && concernsSingleRecord(error.code);
}

/** The record, or why there is none: `unknown` when the token may not read it. */
export async function fetchRecord({ api }: ScanPorts, { resource, signal }: ScanContext, id: string) {
  try {
    return (await api.get(resource.name, id, signal)) ?? 'deleted';
  } catch (error) {
    // Forbidden does not prove absence.
    if (error instanceof GiveUp && isForbidden(error.code)) return 'unknown';
    throw error;
  }
}
