/** Finds what a run did not scan in time although no fault explains it. */

import { isDelayed, type ScheduledFault } from './fault-schedule.ts';
import type { Moment } from './observation.ts';
import type { Waiting } from './oracle.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Time-driven changes that waited although no fault explains it. */
export function findWaits(waiting: readonly Waiting[], schedule: readonly ScheduledFault[]): string[] {
  return waiting
    .filter(({ at }) => !isDelayed(schedule, Date.parse(at), Date.parse(at), 'moment'))
    .map(({ at, resource }) => `time-driven changes of ${resource} waited at ${at}`);
}

/** Cycles that read records and used another zone than the config and the account name, although no fault explains it. */
export function findWrongZones(
  moments: readonly Moment[],
  schedule: readonly ScheduledFault[],
  zoneAt: (at: number) => string,
): string[] {
  return moments.flatMap(({ at, timeZone, observations }) => {
    const now = Date.parse(at);
    const hasRead = observations.some(({ succeeded }) => succeeded);
    return !hasRead || isDelayed(schedule, now, now, 'scan') || timeZone === zoneAt(now)
      ? []
      : [`the zone is ${timeZone} at ${at}`];
  });
}

/**
 * Gaps between successful scans that no fault explains. Without this check, a run that rarely scans would pass, because
 * the oracle would expect few events.
 */
export function findScanGaps(
  moments: readonly Moment[],
  schedule: readonly ScheduledFault[],
  { pollEvery }: { readonly pollEvery: number },
): string[] {
  const every: Readonly<Record<string, number>> = { task: 1, invoice: 2 };
  const last = new Map<string, number>();
  const gaps: string[] = [];
  for (const { at, observations } of moments) {
    const now = Date.parse(at);
    for (const { resource, kind, succeeded } of observations.filter((observation) => observation.succeeded)) {
      const allowed = ((every[resource] ?? 4) + 1) * pollEvery * MINUTE;
      const checks: [string, number][] = [
        [resource, allowed],
        ...(kind === 'sweep' ? [[`${resource} sweep`, 7 * HOUR] as [string, number]] : []),
      ];
      for (const [name, longest] of checks) {
        const before = last.get(name) ?? now;
        const isExplained = isDelayed(schedule, before, now, name === resource ? 'scan' : 'sweep');
        if (succeeded && now - before > longest && !isExplained)
          gaps.push(`${name} between ${new Date(before).toISOString()} and ${at}`);
        last.set(name, now);
      }
    }
  }
  return gaps;
}
