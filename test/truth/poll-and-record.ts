/** A poll of the year, with the responses that it received. */

import type { ScanState } from '../../core/model/scan.ts';
import type { ScanStateStore } from '../../core/ports/scan-state-store.ts';
import { poll } from '../../core/source/poll.ts';
import type { PollReport } from '../../core/source/poll-ports.ts';
import type { Embedded } from '../../runtime/embedded/embedded.ts';
import type { Settings } from './changing-settings.ts';
import type { ScheduledFault } from './fault-schedule.ts';
import type { Moment, Observation } from './observation.ts';
import type { RecordedScan, RecordingApi } from './recording-api.ts';

export interface Polled {
  readonly embedded: Embedded;
  readonly api: RecordingApi;
  readonly activeFault?: ScheduledFault | undefined;
}

/** Polls all resources that are due and returns the responses that the poll received. */
export async function pollAndRecord(
  { embedded, api, activeFault }: Polled,
  settings: Settings,
): Promise<Pick<Moment, 'observations' | 'isIdle'>> {
  const [source] = embedded.config.sources;
  const ports = embedded.sources.get('main');
  if (source === undefined || ports === undefined) throw new Error('the source was not opened');
  const before = new Map<string, string | null>();
  for (const { resource } of source.resources)
    before.set(resource.name, (await ports.scanStates.get(source.name, resource.name))?.settledUntil ?? null);
  const saved: ScanState[] = [];
  const scanStates: ScanStateStore = {
    ...ports.scanStates,
    save: async (state) => {
      saved.push(state);
      return ports.scanStates.save(state);
    },
  };
  const report = await poll(
    { ...ports, api, scanStates },
    {
      source: source.name,
      baseUrl: 'https://work.example.com/api',
      resources: source.resources,
      rules: { ...embedded.config.rules, ...settings.rules },
      timeZone: settings.timeZone,
      reserve: source.quota.reserve,
      pageSize: activeFault?.pageSize,
    },
  );
  const observations = observationsOf(report, api).map((one, index, all) => {
    const own = saved.filter(({ resource }) => resource === one.resource);
    const isLast = !all.slice(index + 1).some(({ resource }) => resource === one.resource);
    // Each scan saves its state once. A scan that is repeated with another role saves it twice.
    const state = isLast ? own.at(-1) : own[0];
    const { settledUntil = null } = (one.succeeded ? state : undefined) ?? {};
    const isNew = settledUntil === embedded.clock.now() || settledUntil !== before.get(one.resource);
    return { ...one, settledUntil: isNew ? settledUntil : null };
  });
  const { scans, failed, dueRead = false } = report;
  return { observations, isIdle: scans.length === 0 && failed.length === 0 && !dueRead };
}

function observationsOf(report: PollReport, api: RecordingApi): Observation[] {
  const failed = { complete: false, succeeded: false, settledUntil: null, newIdentity: false };
  const outcomes: Omit<Observation, 'responses'>[] = [
    ...report.scans.map(({ resource, kind, complete, newIdentity = false }) => {
      return { resource, kind, complete, succeeded: true, settledUntil: null, newIdentity };
    }),
    ...report.failed.map(({ resource, kind }) => ({ resource, kind, ...failed })),
  ];
  const recorded = api.takeResponses();
  const isOf = ({ resource, kind }: Omit<Observation, 'responses'>, scan: RecordedScan) =>
    scan.resource === resource && scan.isSweep === (kind === 'sweep');
  const observed: Observation[] = [];
  for (const scan of recorded) {
    // A scan that notices another role is repeated as a sweep: its responses count as that sweep's.
    const outcome =
      outcomes.find((candidate) => isOf(candidate, scan)) ??
      outcomes.find(({ resource }) => resource === scan.resource) ??
      (scan.isBeside || scan.responses.every(({ isDueRead }) => isDueRead)
        ? {
            resource: scan.resource,
            kind: scan.resource === 'task' ? ('delta' as const) : ('open' as const),
            ...failed,
          }
        : undefined);
    if (outcome === undefined) throw new Error(`${scan.resource} was read, but no scan reports it`);
    const at = observed.findIndex(({ resource, kind }) => resource === outcome.resource && kind === outcome.kind);
    const responses = [...(observed[at]?.responses ?? []), ...scan.responses];
    observed.splice(at === -1 ? observed.length : at, 1, { ...outcome, responses });
  }
  const unrecorded = outcomes.find((one) => one.succeeded && !recorded.some((scan) => isOf(one, scan)));
  if (unrecorded !== undefined) throw new Error(`${unrecorded.resource}: a scan reports a read without a response`);
  return observed;
}
