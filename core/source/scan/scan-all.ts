/** The scan that reads all records: the baseline, and the sweeps that find deletions. */

import type { IncompleteBaseline, ScanState } from '../../model/scan.ts';
import { between, HOUR, type Instant } from '../../model/time.ts';
import { isTimeDriven } from '../../snapshot/stage.ts';
import { settleMissing } from './missing.ts';
import { loseSight } from './out-of-sight.ts';
import type { ScanContext } from './scan-context.ts';
import { type SaveProgress, type ScanPorts, scanList } from './scan-list.ts';
import type { ScanOutcome } from './scan-report.ts';

/** After this many sweeps in a row that are not complete, the missing records are requested all the same. */
const TRUSTED_AFTER_SWEEPS = 2;

/** Reads all records. */
export async function scanAll(
  ports: ScanPorts,
  context: ScanContext,
  saveProgress: SaveProgress,
): Promise<ScanOutcome> {
  const { state, resource, startedAt } = context;
  const { serverTime, missing, vanished, more, conflicts, outdated, listCount, highestId, ...list } = await scanList(
    ports,
    context,
    'all',
    saveProgress,
  );
  context.closedStatuses.confirm(startedAt);
  const baseline = context.cause === 'baseline';
  const unlisted = Math.max(0, (listCount ?? 0) - list.seen - list.skipped);
  const incomplete = list.complete ? null : { listCount, unlisted, missing: missing.length + more };
  if (baseline && incomplete !== null && !agrees(incomplete, list.created, state.incompleteBaseline)) {
    return postponeBaseline(context, list, incomplete);
  }
  // After an incomplete sweep most missing records exist. If no sweep is complete, each is requested all the same: only
  // a 404 counts, so the worst case costs requests.
  const incompleteSweeps = list.complete ? 0 : (state.incompleteSweeps ?? 0) + 1;
  const isUsable = list.complete || incompleteSweeps >= TRUSTED_AFTER_SWEEPS;
  // A baseline misses only records of an earlier one that did not finish. Their deletion is news, the baseline is not.
  const isSettled = resource.listsAll && isUsable;
  if (isSettled && context.isNewIdentity) await loseSight(ports, context, missing);
  const settled =
    isSettled && !context.isNewIdentity
      ? await settleMissing(ports, { ...context, cause: 'poll' }, { ids: missing, vanished, more })
      : undefined;
  const { deleted = 0, open = 0, ...missingState } = settled ?? {};
  const isCounted = list.complete || (state.baselinedAt !== null && state.incompleteBaseline != null);
  const announcesExisting = baseline && context.announceExisting === true && isTimeDriven(resource.name);
  // Missing records that are not decided yet may be deleted already.
  const isWhole = isCounted && conflicts === 0 && !outdated && open + more === 0 && settled?.overflow == null;
  return {
    conflicts,
    outdated,
    report: { ...list, baseline, announcesExisting, deleted },
    state: {
      baselinedAt: state.baselinedAt ?? ports.clock.now(),
      incompleteBaseline: baseline || state.incompleteBaseline != null ? incomplete : null,
      firstTriedAt: null,
      lastSweepAt: startedAt,
      completeSweepAt: isWhole ? startedAt : (state.completeSweepAt ?? null),
      // After an incomplete scan keep the old cursor, so that missed rows are read again. With no old cursor, use this one.
      cursor:
        (list.complete && conflicts === 0) || state.cursor === null ? earlier(startedAt, serverTime) : state.cursor,
      count: list.seen + open,
      skipped: list.skipped,
      countedAt: startedAt,
      sweepSoon: hasRecentFailure(settled?.unlisted, startedAt),
      progress: null,
      incompleteSweeps,
      highestId: list.complete ? highestId : (state.highestId ?? null),
      // Until a sweep shows everything that the new role shows, the next one is the first with that role again.
      ...(context.isNewIdentity && !(isUsable && more === 0) ? { identity: state.identity } : {}),
      ...(context.isNewIdentity ? { held: null, unlisted: {}, waiting: [], overflow: null, outOfSight: null } : {}),
      ...missingState,
    },
  };
}

/**
 * Two reads agree when they leave the same number of records unlisted and the second shows only records of the first,
 * apart from those created in between. The count of such an account never adds up, and waiting would not help.
 */
function agrees(read: IncompleteBaseline, created: number, before: IncompleteBaseline | null | undefined): boolean {
  if (before == null || before.listCount === null || read.listCount === null) return false;
  const isSame = before.unlisted === read.unlisted && before.missing === read.missing;
  return isSame && created === read.listCount - before.listCount;
}

/** Records that an incomplete baseline did not show would be announced as created later. */
function postponeBaseline(
  { state, resource }: ScanContext,
  list: Omit<ScanOutcome['report'], 'baseline' | 'deleted'>,
  incompleteBaseline: IncompleteBaseline,
): ScanOutcome {
  const counted = incompleteBaseline.listCount ?? 'an unknown number of';
  return {
    conflicts: 0,
    report: { ...list, baseline: false, deleted: 0 },
    state: {
      lastGoodScanAt: state.lastGoodScanAt,
      lastError: {
        code: 'TIDINGS_SOURCE_INCOMPLETE',
        message: `${resource.name}: the API counts ${counted} records but listed ${list.seen}; they are read again`,
      },
      skipped: list.skipped,
      incompleteBaseline,
      progress: null,
    },
  };
}

/** The earlier of our clock and the API's, so that no change falls between the two. */
export function earlier(ours: Instant, theirs: Instant | null): Instant {
  return theirs !== null && theirs < ours ? theirs : ours;
}

/** Whether a sweep should come early, because the request for a missing record failed a short while ago. */
function hasRecentFailure(unlisted: ScanState['unlisted'] = {}, now: Instant): boolean {
  return Object.values(unlisted).some(({ answer, since }) => answer === 'failed' && between(since, now) < 2 * HOUR);
}
