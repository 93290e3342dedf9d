/**
 * Commits what time alone does to records: each as of its own moment. The caller decides up to which moment the
 * snapshots are confirmed by a scan; this makes no request.
 */

import type { Snapshot } from '../model/snapshot.ts';
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
 * Restages all records of a resource that have a moment in the range. A record with several moments passes each of
 * them in order: after days of silence it is due soon before it is overdue.
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
  const { source, resource, until } = range;
  const due = await ports.snapshots.due(range, ALL_MOMENTS);
  const ids = due.map(({ key }) => key.id).filter((id) => !skipped.has(id));
  for (let at = 0; at < ids.length; at += RESTAGE_BATCH) {
    const batch = await ports.snapshots.getMany(source, resource, ids.slice(at, at + RESTAGE_BATCH));
    await beforeWrite();
    await passMoments(ports.snapshots, [...batch.values()], until, ports.clock.now(), staging);
  }
}

/** Restages these snapshots as of each of their moments up to `until`. */
export async function passMoments(
  snapshots: SnapshotStore,
  candidates: readonly Snapshot[],
  until: Instant,
  now: Instant,
  { timeZone, rules }: Staging,
): Promise<void> {
  let current = candidates;
  for (;;) {
    const next = current.flatMap((before) =>
      isDue(before.nextMoment, until) ? [restage(before, timeZone, before.nextMoment, now, rules)] : [],
    );
    if (next.length === 0) return;
    const outcomes = await snapshots.commit(next.map((snapshot) => ({ snapshot, expected: snapshot.version - 1 })));
    // After a conflict another process has restaged or changed the record: the moment is its to commit.
    current = next.filter((_, index) => outcomes[index] === 'committed');
  }
}

function isDue(moment: Instant | null, until: Instant): moment is Instant {
  return moment !== null && moment <= until;
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
    occurred: { after: at, before: at },
  };
}
