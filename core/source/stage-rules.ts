/**
 * By which zone and rules the days of a source are reckoned, and what happens to its records when these change.
 * Says nothing about what a day means; that is for the stage.
 */

import { createHash } from 'node:crypto';
import { isTimeZone } from '../model/calendar.ts';
import type { Fields } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import type { SnapshotStore, SnapshotWrite } from '../ports/snapshot-store.ts';
import type { SourceApi } from '../ports/source-api.ts';
import { computeStage, type StageRules } from '../snapshot/stage.ts';

/** Where nobody says otherwise. */
export const DEFAULT_TIME_ZONE = 'UTC';

/** The zone of the token's own person, asked for once; UTC when the API does not tell. Two requests. */
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

/** The zone as the health of the source remembers it. */
export function storedTimeZone(health: Fields | undefined): string | undefined {
  return typeof health?.timeZone === 'string' ? health.timeZone : undefined;
}

/** Changes when anything changes that the stage depends on, besides records and days. */
export function stageRulesHash(timeZone: string, rules: StageRules): string {
  return createHash('sha256')
    .update(JSON.stringify([timeZone, rules]))
    .digest('hex')
    .slice(0, 16);
}

export interface RestageOrder {
  readonly source: string;
  readonly resources: readonly string[];
  readonly zone: string;
  readonly rules: StageRules;
  readonly now: Instant;
  /** Called before anything is written: throws when another poller took over. */
  readonly mayGoOn: () => Promise<void>;
  readonly signal?: AbortSignal;
}

/** Enough to fill a round of a store, few enough that one who has to stop stops soon. */
const RESTAGED_AT_ONCE = 100;

/**
 * Stages all records anew, silently: another rule or zone is not news of any record. Returns how many moved.
 * What is overdue stays so while it is open and its date is the same: a zone further west must not tell it twice.
 * Broken off, it begins anew the next time, and passes over what it has done.
 */
export async function restageAll(snapshots: SnapshotStore, order: RestageOrder): Promise<number> {
  const { source, resources, zone, rules, now, mayGoOn, signal } = order;
  let moved = 0;
  let writes: SnapshotWrite[] = [];
  const flush = async () => {
    await mayGoOn();
    const outcomes = await snapshots.commit(writes);
    moved += outcomes.filter((outcome) => outcome === 'committed').length;
    writes = [];
  };
  for (const resource of resources) {
    for await (const before of snapshots.list(source, resource)) {
      if (signal?.aborted === true) return moved;
      if (before.deletedAt !== null) continue;
      const after = reckoned(before, zone, rules, now);
      if (JSON.stringify([after.stage, after.nextMoment]) === JSON.stringify([before.stage, before.nextMoment]))
        continue;
      writes.push({ snapshot: after, expected: before.version });
      if (writes.length === RESTAGED_AT_ONCE) await flush();
    }
  }
  if (writes.length > 0) await flush();
  return moved;
}

function reckoned(before: Snapshot, zone: string, rules: StageRules, now: Instant): Snapshot {
  const { stage, nextMoment } = computeStage(before.key.resource, before.record, zone, now, rules);
  const overdue: Snapshot['stage'] =
    before.stage.overdue === true && stage.closed !== true && stage.owed !== false ? { overdue: true } : {};
  return {
    ...before,
    version: before.version + 1,
    stage: { ...stage, ...overdue },
    nextMoment,
    cause: 'baseline',
    committedAt: now,
  };
}
