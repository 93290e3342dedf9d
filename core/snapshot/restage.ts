/**
 * Commits what time alone does to records: each as of its own moment. The caller decides up to which moment the
 * snapshots are confirmed by a scan; this makes no request.
 */

import { rowInstant, type Snapshot } from '../model/snapshot.ts';
import type { Clock, Instant } from '../model/time.ts';
import type { MomentRange, SnapshotStore } from '../ports/snapshot-store.ts';
import { digestChange } from './digest-change.ts';
import { computeStage, type StageRules } from './stage.ts';

/** The zone and rules of a source. */
export interface Staging {
  readonly timeZone: string;
  readonly rules: StageRules;
}

export interface RestagePorts {
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
}

/** More than any account has: the range must be passed completely before it counts as passed. */
const ALL_MOMENTS = 1_000_000;

/** Records restaged in one commit. */
const RESTAGE_BATCH = 100;

/** Moments of one resource. */
export interface DueRange extends MomentRange {
  readonly source: string;
  readonly resource: string;
}

/**
 * Restages all records of a resource that have a moment in the range, in the order of the moments.
 * @param beforeWrite called before each write; throws to stop
 * @param skipped ids of records that the scan did not confirm
 */
export async function restageDue(
  ports: RestagePorts,
  range: DueRange,
  staging: Staging,
  beforeWrite: () => Promise<void>,
  skipped: ReadonlySet<string> = new Set(),
): Promise<void> {
  const due = await ports.snapshots.due(range, ALL_MOMENTS);
  const ids = due.map(({ key }) => key.id).filter((id) => !skipped.has(id));
  await passMoments(ports, await readInOrder(ports.snapshots, range, ids), range.until, staging, beforeWrite);
}

/** The stored snapshots, in the order of the ids. */
export async function readInOrder(
  snapshots: Pick<SnapshotStore, 'getMany'>,
  { source, resource }: Pick<DueRange, 'source' | 'resource'>,
  ids: readonly string[],
): Promise<readonly Snapshot[]> {
  const stored: Snapshot[] = [];
  for (let at = 0; at < ids.length; at += RESTAGE_BATCH) {
    const batch = ids.slice(at, at + RESTAGE_BATCH);
    const found = await snapshots.getMany(source, resource, batch);
    stored.push(...batch.flatMap((id) => found.get(id) ?? []));
  }
  return stored;
}

/**
 * Restages these snapshots as of each of their moments up to `until`. After days of silence the days pass one after the
 * other, each for all records: what became due on Saturday is emitted before what became due on Sunday.
 * @param beforeWrite called before each write; throws to stop
 */
export async function passMoments(
  { snapshots, clock }: RestagePorts,
  candidates: readonly Snapshot[],
  until: Instant,
  { timeZone, rules }: Staging,
  beforeWrite: () => Promise<void> = async () => {},
): Promise<void> {
  const byMoment = new Map<Instant, Snapshot[]>();
  const add = (snapshot: Snapshot) => {
    const { nextMoment } = snapshot;
    if (nextMoment === null || nextMoment > until) return;
    const others = byMoment.get(nextMoment);
    if (others === undefined) byMoment.set(nextMoment, [snapshot]);
    else others.push(snapshot);
  };
  for (const candidate of candidates) add(candidate);
  for (;;) {
    const [moment] = [...byMoment.keys()].sort();
    if (moment === undefined) return;
    const due = byMoment.get(moment) ?? [];
    byMoment.delete(moment);
    for (let at = 0; at < due.length; at += RESTAGE_BATCH) {
      await beforeWrite();
      const now = clock.now();
      const next = due.slice(at, at + RESTAGE_BATCH).map((before) => restage(before, timeZone, moment, now, rules));
      const outcomes = await snapshots.commit(next.map((snapshot) => ({ snapshot, expected: snapshot.version - 1 })));
      // After a conflict another process has restaged or changed the record: the moment is its to commit.
      for (const [index, snapshot] of next.entries()) if (outcomes[index] === 'committed') add(snapshot);
    }
  }
}

/** The snapshot after its moment. What time alone did happened exactly then. */
export function restage(before: Snapshot, zone: string, at: Instant, now: Instant, rules: StageRules): Snapshot {
  const { stage, nextMoment } = computeStage(before.key.resource, before.record, { timeZone: zone, at, rules, before });
  // No person did this.
  const { by: _, ...rest } = before;
  return {
    ...rest,
    version: before.version + 1,
    stage,
    digest: digestChange(before, { ...before, stage }, []),
    nextMoment,
    cause: 'tick',
    committedAt: now,
    rowAt: rowInstant(before),
    occurred: { after: at, before: at },
  };
}
