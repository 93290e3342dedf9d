/**
 * The time zone and rules that stages are computed with, and the restaging of a source's records when these change.
 * What a stage means is defined in `snapshot/stage.ts`.
 */

import { createHash } from 'node:crypto';
import { isTimeZone } from '../model/calendar.ts';
import type { Fields } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import type { SnapshotStore, SnapshotWrite } from '../ports/snapshot-store.ts';
import type { SourceApi } from '../ports/source-api.ts';
import { computeStage, type StageRules } from '../snapshot/stage.ts';
import type { SourceContext } from './scan-context.ts';

/** Used when neither the config nor the API names a zone. */
export const DEFAULT_TIME_ZONE = 'UTC';

/** The zone of the token's user; UTC when the API does not provide one. Two requests. */
export async function fetchTimeZone(api: SourceApi, signal?: AbortSignal): Promise<string> {
  try {
    const page = await api.list('me', { offset: 0, limit: 1, filters: {} }, signal);
    const { rows, personId } = page.content();
    const id = personId ?? rows[0]?.id;
    const person = id === undefined ? undefined : await api.get('person', id, signal);
    const zone = person?.timezone ?? rows[0]?.parse().timezone;
    return typeof zone === 'string' && isTimeZone(zone) ? zone : DEFAULT_TIME_ZONE;
  } catch {
    return DEFAULT_TIME_ZONE;
  }
}

/** The zone stored in the health record of the source. */
export function storedTimeZone(health: Fields | undefined): string | undefined {
  return typeof health?.timeZone === 'string' ? health.timeZone : undefined;
}

/** Changes when any input of the stage changes, apart from the record and the day. */
export function stageRulesHash(timeZone: string, rules: StageRules): string {
  return createHash('sha256')
    .update(JSON.stringify([timeZone, rules]))
    .digest('hex')
    .slice(0, 16);
}

/** Large enough for one batch of a store, small enough to stop soon when the lease is lost. */
const RESTAGE_BATCH_SIZE = 100;

/**
 * Restages all records without events: a new rule or zone is not a change of any record. Returns how many changed.
 * An overdue record stays overdue while it is open and its date is the same: a zone further west must not announce it
 * twice. An interrupted run starts over and skips the records that are already restaged.
 */
export async function restageAll(
  snapshots: SnapshotStore,
  { source, timeZone, rules, assertLeaseHeld, signal }: SourceContext,
  resources: readonly string[],
  now: Instant,
): Promise<number> {
  let changed = 0;
  let writes: SnapshotWrite[] = [];
  const flush = async () => {
    await assertLeaseHeld();
    const outcomes = await snapshots.commit(writes);
    changed += outcomes.filter((outcome) => outcome === 'committed').length;
    writes = [];
  };
  for (const resource of resources) {
    for await (const before of snapshots.list(source, resource)) {
      if (signal?.aborted === true) return changed;
      if (before.deletedAt !== null) continue;
      const after = restageSilently(before, timeZone, rules, now);
      if (JSON.stringify([after.stage, after.nextMoment]) === JSON.stringify([before.stage, before.nextMoment]))
        continue;
      writes.push({ snapshot: after, expected: before.version });
      if (writes.length === RESTAGE_BATCH_SIZE) await flush();
    }
  }
  if (writes.length > 0) await flush();
  return changed;
}

function restageSilently(before: Snapshot, zone: string, rules: StageRules, now: Instant): Snapshot {
  const { stage, nextMoment } = computeStage(before.key.resource, before.record, zone, now, rules);
  const staysOverdue = before.stage.overdue === true && stage.closed !== true && stage.owed !== false;
  return {
    ...before,
    version: before.version + 1,
    stage: staysOverdue ? { ...stage, overdue: true } : stage,
    nextMoment,
    cause: 'baseline',
    committedAt: now,
  };
}
