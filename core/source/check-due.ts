/** Finds out whether anything of a source is due, from its scan states and the moments that have come: without a lease or a request. */

import { SOURCE_RESOURCE } from '../model/event.ts';
import { initialScanState, type ScanState } from '../model/scan.ts';
import { HOUR, type Instant, plus } from '../model/time.ts';
import { correctFutureInstants, isClockMovedBack } from './clock-moved.ts';
import { withDueMoments } from './due-moments.ts';
import { isFailing, isLagging } from './health.ts';
import { needsDueRead, type PlannedResource, planScans, usableQuota } from './plan.ts';
import type { PollOptions, PollPorts } from './poll-ports.ts';

/** What a check finds before a poll. */
export interface DueCheck {
  /** Whether a poll would read something. */
  readonly isDue: boolean;
  /** Scans of the source have failed several times in a row. */
  readonly isFailing: boolean;
  /** Scans are later than their cadence allows. */
  readonly isLagging: boolean;
  /** The poll is likely to take long: the last scan failed, or not everything has been read yet. */
  readonly isSlow: boolean;
}

/** What is read to find out whether anything is due. */
type DuePorts = Pick<PollPorts, 'scanStates' | 'snapshots' | 'clock'>;

type CheckOptions = Pick<PollOptions, 'source' | 'resources' | 'reserve' | 'everything'>;

/** Whether a poll would make requests now: something is due, and today's quota outside the reserve is not used up. */
export async function wouldPoll(ports: DuePorts, options: CheckOptions): Promise<boolean> {
  const { states, resources } = await readPlanned(ports, options);
  const now = ports.clock.now();
  const key = { source: options.source, resource: SOURCE_RESOURCE, id: options.source };
  const isExhausted = (await ports.snapshots.get(key))?.record.quota === 'exhausted';
  const isUsedUp = ({ state: { quota } }: PlannedResource) =>
    quota !== null && (isExhausted || usableQuota(quota, options.reserve) === 0) && isBeforeReset(quota, now);
  return !states.some(isUsedUp) && isAnyDue(options, resources, now);
}

function isBeforeReset({ readAt, resetsAt }: NonNullable<ScanState['quota']>, now: Instant): boolean {
  return readAt <= now && now < (resetsAt ?? plus(readAt, HOUR));
}

/** Whether a scan or a direct read is due. */
export function isAnyDue(
  { reserve, everything }: CheckOptions,
  resources: readonly PlannedResource[],
  now: Instant,
): boolean {
  const { due } = planScans(resources, null, reserve, now, everything);
  return due.length > 0 || resources.some((one) => needsDueRead(one, now));
}

function isSlow({ failures, failedSweeps, progress, baselinedAt, forbiddenAt }: ScanState): boolean {
  if (forbiddenAt !== null) return false;
  return failures > 0 || failedSweeps != null || progress !== null || baselinedAt === null;
}

/** Looks whether a poll would read something. */
export async function checkDue(ports: DuePorts, options: CheckOptions): Promise<DueCheck> {
  const { states, resources } = await readPlanned(ports, options);
  const now = ports.clock.now();
  return {
    isDue: isAnyDue(options, resources, now),
    isFailing: isFailing(states, now),
    isLagging: isLagging(states, now),
    isSlow: states.some(({ state }) => isSlow(state)),
  };
}

/** The resources with their states, and with the moments that have come. */
export async function readPlanned(ports: DuePorts, options: CheckOptions) {
  const { states, clockMovedBack } = await readStates(ports, options, false);
  const resources = await withDueMoments(ports.snapshots, options.source, states, ports.clock.now());
  return { states, resources, clockMovedBack };
}

/** The resources with their states as of now. */
export async function readStates(
  { scanStates, clock }: Pick<DuePorts, 'scanStates' | 'clock'>,
  { source, resources }: Pick<PollOptions, 'source' | 'resources'>,
  consistent: boolean,
): Promise<{ readonly states: readonly PlannedResource[]; readonly clockMovedBack: boolean }> {
  const stored = await scanStates.ofSource(source, consistent);
  const now = clock.now();
  // A request in the future was made before the clock was put back.
  const requestedAt = stored.requestedAt !== undefined && stored.requestedAt <= now ? stored.requestedAt : undefined;
  const found = resources.map(({ resource, cadence }) => {
    const state = stored.states.get(resource.name) ?? initialScanState(source, resource.name);
    return { resource, cadence, state };
  });
  const states = found.map((one) => ({
    ...one,
    ...(requestedAt === undefined ? {} : { requestedAt }),
    state: correctFutureInstants(one.state, now),
  }));
  return { states, clockMovedBack: found.some(({ state }) => isClockMovedBack(state, now)) };
}
