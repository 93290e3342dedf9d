/**
 * What time alone is going to do to records, told beforehand: the transitions that tick will commit if nothing else
 * happens. Reads the agenda and commits nothing; what the transitions mean is for the events.
 */

import { compareIds } from '../model/record.ts';
import type { Snapshot, Transition } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { StageRules } from './stage.ts';
import { restage, type TickPorts } from './tick.ts';

/** Both ends included. */
export interface Period {
  /** What should have happened before it, and has not, happens now. */
  readonly from: Instant;
  readonly until: Instant;
}

export interface ForecastPorts extends Pick<TickPorts, 'rules' | 'zoneOf'> {
  readonly snapshots: Pick<SnapshotStore, 'due' | 'getMany'>;
}

/** The whole agenda of any account there is: a forecast that leaves something out would be a lie. */
const WHOLE_AGENDA = 1_000_000;

/** In the order of their moments, those of one moment in the order of tick: by source, resource and id. */
export async function forecast(
  { snapshots, rules, zoneOf }: ForecastPorts,
  period: Period,
): Promise<readonly Transition[]> {
  const ahead: Transition[] = [];
  const due = (await snapshots.due(period.until, WHOLE_AGENDA)).map(({ key }) => key);
  for (const [source, ofSource] of Map.groupBy(due, (key) => key.source)) {
    const zone = await zoneOf(source);
    for (const [resource, keys] of Map.groupBy(ofSource, (key) => key.resource)) {
      // Asked for together: one by one a store behind the wire would take minutes.
      const ids = keys.map(({ id }) => id);
      for (const snapshot of (await snapshots.getMany(source, resource, ids)).values()) {
        for (const transition of forecastRecord(snapshot, zone, rules, period)) ahead.push(transition);
      }
    }
  }
  return ahead.sort(byMoment);
}

/** What the period does to one record, step by step. */
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

/** The moment a transition by time was due at; its commit may come later. */
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
