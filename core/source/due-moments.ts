/**
 * Finds the moments of a source that have come and whose changes are not committed. Only configured resources are
 * asked: a resource that is switched off, or a removed source, changes no record.
 */

import type { ScanState } from '../model/scan.ts';
import { type Duration, HOUR, type Instant, plus } from '../model/time.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { isTimeDriven } from '../snapshot/stage.ts';
import { earlierClock, storedAhead } from './api-clock.ts';
import type { PlannedResource } from './plan.ts';
import { confirmableUntil } from './scan/replica-lag.ts';

/** An index may show a commit late: moments are read again from this long before the last settled one. */
const OVERLAP: Duration = HOUR;

/** Enough to see every resource of a source; the scan that follows reads all of them. */
const MAX_MOMENTS = 10_000;

/** The instant after which moments may be unsettled; undefined: from the first on. Never after `until`. */
export function momentsAfter({ settledUntil }: ScanState, until: Instant): Instant | undefined {
  if (settledUntil === null) return undefined;
  return plus(settledUntil < until ? settledUntil : until, -OVERLAP);
}

/** Adds the due moments of each resource. */
export async function withDueMoments(
  snapshots: Pick<SnapshotStore, 'due'>,
  source: string,
  planned: readonly PlannedResource[],
  now: Instant,
): Promise<readonly PlannedResource[]> {
  // Both clocks must have passed a moment.
  const judgedAt = earlierClock(now, storedAhead(planned.map(({ state }) => state)));
  const timed = planned.filter(({ resource, state }) => isTimeDriven(resource.name) && state.baselinedAt !== null);
  if (timed.length === 0) return planned;
  const starts = timed.map(({ state }) => momentsAfter(state, judgedAt)).sort();
  const after = starts.includes(undefined) ? undefined : starts[0];
  const moments = await snapshots.due({ source, after, until: judgedAt }, MAX_MOMENTS);
  const until = confirmableUntil(judgedAt);
  return planned.map((one) => {
    if (!timed.includes(one)) return one;
    const instants = moments.flatMap(({ key, at }) => (key.resource === one.resource.name ? [at] : []));
    const latest = instants.findLast((at) => at <= until) ?? null;
    return { ...one, moments: { readAt: judgedAt, latest, isLaterDue: instants.some((at) => at > until) } };
  });
}
