/**
 * Predicts the transitions that tick will commit if no record changes. Reads the due snapshots and commits nothing;
 * events are derived elsewhere.
 */

import type { StageMoment } from '../model/agenda.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import { compareIds } from '../model/record.ts';
import type { Snapshot, Transition } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { restage } from './restage.ts';
import type { StageRules } from './stage.ts';

/** Both ends included. */
export interface Period {
  /** Moments before it that have not been processed count as of now. */
  readonly from: Instant;
  readonly until: Instant;
}

export interface ForecastPorts {
  readonly snapshots: Pick<SnapshotStore, 'due' | 'getMany'>;
  readonly rules: StageRules;
  readonly zoneOf: (source: string) => Promise<string>;
  /** Whether a resource of a source is polled: time does nothing to the others. */
  readonly isPolled: (source: string, resource: string) => boolean;
  /** The others are not read. @default - all */
  readonly resources?: ReadonlySet<string> | undefined;
  /** @default - in one go */
  readonly pace?: Pace;
}

/** Single reads from a remote store would take minutes. One read of all would block its process for seconds. */
const READ_SIZE = 200;
const MOMENTS_SIZE = 2000;

/** Ordered by moment, then by source, resource and id. */
export async function forecast(
  { snapshots, rules, zoneOf, isPolled, resources, pace = UNPACED }: ForecastPorts,
  period: Period,
): Promise<readonly Transition[]> {
  const ahead: Transition[] = [];
  if (resources?.size === 0) return ahead;
  for await (const moments of readMoments(snapshots, period.until, resources)) {
    await pace();
    const due = moments.map(({ key }) => key).filter(({ source, resource }) => isPolled(source, resource));
    for (const [source, ofSource] of Map.groupBy(due, (key) => key.source)) {
      const zone = await zoneOf(source);
      for (const [resource, keys] of Map.groupBy(ofSource, (key) => key.resource)) {
        for (let start = 0; start < keys.length; start += READ_SIZE) {
          const ids = keys.slice(start, start + READ_SIZE).map(({ id }) => id);
          for (const snapshot of (await snapshots.getMany(source, resource, ids)).values()) {
            ahead.push(...forecastRecord(snapshot, zone, rules, period));
            await pace();
          }
        }
      }
    }
  }
  return ahead.sort(byMoment);
}

/** All of them, because a forecast must be complete, in parts. A part continues after an instant, so that it has all records of each. */
async function* readMoments(
  snapshots: ForecastPorts['snapshots'],
  until: Instant,
  resources: ReadonlySet<string> | undefined,
): AsyncGenerator<readonly StageMoment[]> {
  let after: Instant | undefined;
  for (let limit = MOMENTS_SIZE; ; ) {
    const moments = await snapshots.due({ until, after, resources }, limit);
    if (moments.length < limit) return yield moments;
    const last = moments.at(-1)?.at;
    const complete = moments.filter(({ at }) => at !== last);
    // All fall on one instant, and there may be more.
    limit = complete.length === 0 ? limit * 2 : MOMENTS_SIZE;
    after = complete.at(-1)?.at ?? after;
    if (complete.length > 0) yield complete;
  }
}

/** The transitions of one record in the period, in order. */
export function* forecastRecord(
  snapshot: Snapshot,
  zone: string,
  rules: StageRules,
  { from, until }: Period,
): Generator<Transition> {
  let before = snapshot;
  while (before.nextMoment !== null && before.nextMoment <= until) {
    const at = before.nextMoment;
    const after = restage(before, zone, at, at < from ? from : at, rules);
    yield { before, after };
    before = after;
  }
}

/** The moment at which a time-driven transition was due; its commit may be later. */
function momentOf({ after }: Transition): Instant {
  return after.occurred.before;
}

function byMoment(a: Transition, b: Transition): number {
  const [keyA, keyB] = [a.after.key, b.after.key];
  return (
    compareText(momentOf(a), momentOf(b)) ||
    compareText(keyA.source, keyB.source) ||
    compareText(keyA.resource, keyB.resource) ||
    compareIds(keyA.id, keyB.id) ||
    a.after.version - b.after.version
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
