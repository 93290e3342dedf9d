/**
 * Predicts the transitions that tick will commit if no record changes. Reads the due snapshots and commits nothing;
 * events are derived elsewhere.
 */

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
  /** @default - in one go */
  readonly pace?: Pace;
}

/** More than any account has due: a forecast must be complete. */
const MAX_DUE = 1_000_000;

/** Ordered by moment, then by source, resource and id. */
export async function forecast(
  { snapshots, rules, zoneOf, isPolled, pace = UNPACED }: ForecastPorts,
  period: Period,
): Promise<readonly Transition[]> {
  const ahead: Transition[] = [];
  const moments = await snapshots.due({ until: period.until }, MAX_DUE);
  const due = moments.map(({ key }) => key).filter(({ source, resource }) => isPolled(source, resource));
  for (const [source, ofSource] of Map.groupBy(due, (key) => key.source)) {
    const zone = await zoneOf(source);
    for (const [resource, keys] of Map.groupBy(ofSource, (key) => key.resource)) {
      // Read in one call: single reads from a remote store would take minutes.
      const ids = keys.map(({ id }) => id);
      for (const snapshot of (await snapshots.getMany(source, resource, ids)).values()) {
        for (const transition of forecastRecord(snapshot, zone, rules, period)) {
          ahead.push(transition);
          await pace();
        }
      }
    }
  }
  return ahead.sort(byMoment);
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
