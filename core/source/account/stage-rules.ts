/**
 * The time zone and rules that stages are computed with, and the restaging of a source's records when these change.
 * What a stage means is defined in `snapshot/stage.ts`.
 */

import { createHash } from 'node:crypto';
import { isSameValue } from '../../model/json.ts';
import { rowInstant, type Snapshot } from '../../model/snapshot.ts';
import { type Instant, plus } from '../../model/time.ts';
import type { SnapshotStore, SnapshotWrite } from '../../ports/snapshot-store.ts';
import { recallAnnounced, withoutNewTimeFacts } from '../../snapshot/kept-facts.ts';
import { computeStage, type StageRules } from '../../snapshot/stage.ts';
import type { SourceContext } from '../scan/scan-context.ts';

/** Changes when any input of the stage changes, apart from the record and the day. */
export function stageRulesHash(timeZone: string | null, rules: StageRules): string {
  return createHash('sha256')
    .update(JSON.stringify([timeZone, rules]))
    .digest('hex')
    .slice(0, 16);
}

/** Large enough for one batch of a store, small enough to stop soon when the lease is lost. */
const RESTAGE_BATCH_SIZE = 100;

/** A resource whose records are restaged. */
export interface RestagedResource {
  readonly name: string;
  /** Up to here the time-driven changes are committed; null: unknown. */
  readonly settledUntil: Instant | null;
}

/**
 * Restages all records under another zone or other rules, without events, as of the last settled instant: moments that
 * are due but not settled stay due. What the rules newly make true becomes due as well and is emitted once, after a scan.
 * An interrupted run starts over and skips the records that are already restaged. Returns how many changed.
 * @param isFirstZone the zone was unknown: all facts are those of the baseline, and none is news
 */
export async function restageAll(
  snapshots: SnapshotStore,
  context: Pick<SourceContext, 'source' | 'timeZone' | 'rules' | 'assertLeaseHeld' | 'signal'>,
  resources: readonly RestagedResource[],
  now: Instant,
  isFirstZone = false,
): Promise<number> {
  const { source, assertLeaseHeld, signal } = context;
  let changed = 0;
  let writes: SnapshotWrite[] = [];
  const flush = async () => {
    await assertLeaseHeld();
    const outcomes = await snapshots.commit(writes);
    changed += outcomes.filter((outcome) => outcome === 'committed').length;
    writes = [];
  };
  for (const { name, settledUntil } of resources) {
    const asOf = settledUntil === null || settledUntil > now ? now : settledUntil;
    for await (const before of snapshots.list(source, name)) {
      if (signal?.aborted === true) return changed;
      // A moment that is already due is computed with the new rules when it is committed.
      if (before.deletedAt !== null || (before.nextMoment !== null && before.nextMoment <= asOf)) continue;
      const after = restageSilently(before, context, asOf, now, isFirstZone || settledUntil === null);
      if (after.nextMoment === before.nextMoment && isSameValue(after.stage, before.stage)) continue;
      writes.push({ snapshot: after, expected: before.version });
      if (writes.length === RESTAGE_BATCH_SIZE) await flush();
    }
  }
  if (writes.length > 0) await flush();
  return changed;
}

function restageSilently(
  before: Snapshot,
  { timeZone, rules }: Pick<SourceContext, 'timeZone' | 'rules'>,
  asOf: Instant,
  now: Instant,
  isAllSilent: boolean,
): Snapshot {
  const { stage, nextMoment } = computeStage(before.key.resource, before.record, { timeZone, at: asOf, rules, before });
  const silent = isAllSilent ? stage : withoutNewTimeFacts(stage, recallAnnounced(before.stage));
  const hasNews = !isSameValue(silent, stage);
  // Just before the next moment, so that both are emitted in their order.
  const newsAt = nextMoment !== null && nextMoment <= now ? plus(nextMoment, -1) : now;
  return {
    ...before,
    version: before.version + 1,
    stage: silent,
    nextMoment: hasNews ? newsAt : nextMoment,
    cause: 'baseline',
    committedAt: now,
    rowAt: rowInstant(before),
  };
}
