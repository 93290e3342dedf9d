/**
 * The truth run `year`: Tidings polls a simulated account through scheduled faults, and every event is compared with
 * those that the oracle predicts. This file runs and compares; oracle.ts decides which events the journal implies.
 */

import { workApi } from '../../adapters/sources/work/client.ts';
import { workTraits } from '../../adapters/sources/work/traits.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { SOURCE_RESOURCE, type TidingsEvent } from '../../core/model/event.ts';
import type { ScanState } from '../../core/model/scan.ts';
import type { ScanStateStore } from '../../core/ports/scan-state-store.ts';
import type { SourceApi } from '../../core/ports/source-api.ts';
import { storedZone } from '../../core/source/account/time-zone.ts';
import { type PollReport, poll } from '../../core/source/poll.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../runtime/embedded/embedded.ts';
import { announceAll } from '../../runtime/embedded/pipeline.ts';
import { type Simulator, startSimulator, type TokenHolder } from '../../simulator/simulator.ts';
import { problemsOf } from '../core/events/event-schemas.ts';
import { type DayRules, dayInZone } from './calendar.ts';
import { changingSight } from './changing-sight.ts';
import { type Comparison, compareEvents, findWrongClients } from './compare-events.ts';
import {
  applySchedule,
  checkSourceEvents,
  clockOffsetOf,
  type ScheduledFault,
  scheduleFaults,
} from './fault-schedule.ts';
import { midnightActions } from './midnight-actions.ts';
import { misnamedStatus } from './misnamed-status.ts';
import type { Moment, Observation, RawRecord, Sight } from './observation.ts';
import { predictEvents } from './oracle.ts';
import { type RareActionName, rareActions } from './rare-actions.ts';
import { type RecordedScan, type RecordingApi, recordingApi } from './recording-api.ts';
import { findScanGaps, findWaits, findWrongZones } from './scan-gaps.ts';
import { findStaleClients } from './stored-clients.ts';
import { findFalseWindows, findLateEvents } from './true-instants.ts';

export interface YearOptions {
  readonly seed: number;
  /** ISO instant of the first poll. */
  readonly start: string;
  readonly days: number;
  readonly timeZone: string;
  /** Tasks in the account at the start. */
  readonly tasks: number;
  /** Minutes between two scans of tasks. Invoices are scanned half as often, all others a quarter as often. */
  readonly pollEvery: number;
  /** Minutes between two actions of people in the account. */
  readonly lifePace: number;
  /** Whether the run injects faults; or the names of the faults. */
  readonly faults: boolean | readonly string[];
  /** Whether logging time updates `datemodified`. If not, only a sweep shows the hours. */
  readonly hoursModify: boolean;
  /** The rare actions that people perform, by name. @default - all */
  readonly actions?: readonly RareActionName[];
}

export interface YearReport extends Comparison {
  readonly options: YearOptions;
  readonly scans: number;
  readonly requests: number;
  readonly journal: number;
  readonly faults: number;
  /** Scans that should have returned a record and did not. */
  readonly overlooked: readonly string[];
  /** Events of type `source.*` that no fault explains, or that are missing. */
  readonly sourceProblems: readonly string[];
  /** Periods without a successful scan, or with the wrong zone, that no fault explains. */
  readonly scanGaps: readonly string[];
  /** Events whose `occurred` does not contain when they really happened. */
  readonly falseWindows: readonly string[];
  /** Events that came later than the cadence allows, although no fault explains it. */
  readonly lateEvents: readonly string[];
  /** Events about tasks that name another client than the task had, and tasks that are stored with one. */
  readonly wrongClients: readonly string[];
  /** Events that violate the schema of their type. */
  readonly schemaViolations: readonly string[];
  readonly seconds: number;
}

/** The resources that these runs poll. */
const RESOURCES = ['task', 'invoice', 'project', 'client', 'person'] as const;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export async function runYear(options: YearOptions): Promise<YearReport> {
  const begun = performance.now();
  const simulator = await startSimulator({
    seed: options.seed,
    tasks: options.tasks,
    timeZone: options.timeZone,
    now: options.start,
    speed: 0,
    life: options.lifePace * MINUTE,
    quirks: { hoursModify: options.hoursModify },
  });
  const run = await openRun(simulator, options);
  try {
    return await followAccount(simulator, run, options, begun);
  } finally {
    await run.close();
    await simulator.stop();
  }
}

interface Run {
  readonly embedded: Embedded;
  readonly api: RecordingApi;
  /** Tokens of two Administrators; the first is in use. */
  readonly tokens: TokenHolder[];
  /** The fault that is active now. */
  activeFault: ScheduledFault | undefined;
  /** What the token's person sees now. */
  sight: Sight;
  /** The number of the last journal entry that the API shows. */
  shownSeq(): number;
  close(): Promise<void>;
}

async function openRun(simulator: Simulator, { pollEvery, timeZone }: YearOptions): Promise<Run> {
  const tokens = simulator
    .tokenHolders()
    .filter(({ role }) => role === 'Administrator')
    .slice(0, 2);
  // The zone is that of the token's person: with the other token it stays the same.
  for (const { personid } of tokens) {
    const person = simulator.account.data.person.get(Number(personid));
    if (person !== undefined) person.timezone = timeZone;
  }
  const token = tokens[0]?.token ?? '';
  const off = ['expense', 'document', 'group', 'projectmodule'].map((name) => [name, 'off']);
  const rest = { every: `${pollEvery * 4}m`, sweep: '6h' };
  const resources = {
    task: { every: `${pollEvery}m`, sweep: '6h' },
    invoice: { every: `${pollEvery * 2}m`, sweep: '6h' },
    ...{ project: rest, client: rest, person: rest },
    ...Object.fromEntries(off),
  };
  const source = { baseUrl: simulator.url, token, resources };
  const embedded = await openEmbedded({
    config: parseConfig('year.json', JSON.stringify({ source }), {}),
    database: openDatabase(':memory:'),
    environment: {},
    clock: { now: () => new Date(simulator.account.clock.now()).toISOString() },
    holder: 'year',
    random: () => 0.5,
  });
  const clients = new Map(
    tokens.map((holder) => [
      holder.token,
      workApi({
        baseUrl: simulator.url,
        token: holder.token,
        perMinute: Number.POSITIVE_INFINITY,
        sleep: async () => {},
        retries: 1,
      }),
    ]),
  );
  const client = () => clients.get(tokens[0]?.token ?? '') ?? fail();
  const api: SourceApi = {
    traits: workTraits,
    list: (...query) => client().list(...query),
    get: (...query) => client().get(...query),
    quota: (signal) => client().quota(signal),
    requests: () => [...clients.values()].reduce((sum, one) => sum + one.requests(), 0),
  };
  const run: Run = {
    embedded,
    tokens,
    activeFault: undefined,
    sight: { since: new Date(simulator.account.clock.now()).toISOString() },
    shownSeq: followReplica(simulator, () => run.activeFault),
    api: recordingApi(api, () => ({
      seq: run.shownSeq(),
      role: run.activeFault?.role ?? 'Administrator',
      person: tokens[0]?.personid ?? '',
      sight: run.sight,
    })),
    close: async () => {
      for (const one of clients.values()) await one.close();
      await embedded.close();
    },
  };
  return run;
}

async function followAccount(simulator: Simulator, run: Run, options: YearOptions, begun: number): Promise<YearReport> {
  const { account } = simulator;
  const start = Date.parse(options.start);
  const end = start + options.days * DAY;
  const zoneAt = (at: number) => settingsAt(at - start).timeZone ?? options.timeZone;
  const { faults } = options;
  const kinds = typeof faults === 'boolean' ? undefined : faults;
  // A record's own creation date is a day of the account: in another zone a limited role may not know whether it is new.
  const isJudged = ({ role, faults: of, from, until }: ScheduledFault) =>
    (role === undefined && of?.unnamedGroup === undefined) ||
    [from, until + 3 * HOUR].every((at) => zoneAt(at) === options.timeZone);
  const schedule = faults === false ? [] : scheduleFaults(options.seed, start, end, kinds).filter(isJudged);
  const names = [...RESOURCES, 'taskstatus'] as const;
  const founding = new Map<string, readonly RawRecord[]>(names.map((name) => [name, account.list(name)]));
  const moments: Moment[] = [];
  const emitted: TidingsEvent[] = [];
  const staleClients: string[] = [];
  const act = rareActions(account, options.seed, options.actions);
  const misname = misnamedStatus(account, options.seed);
  const sightOf = changingSight(simulator, options.seed);
  const actBeforeMidnight = midnightActions(account, options.seed, zoneAt);
  let scans = 0;
  for (const at of instants(start, end, options.pollEvery * MINUTE, zoneAt)) {
    const midnight = midnightBetween(account.clock.now(), at, zoneAt(at));
    if (midnight !== undefined) actBeforeMidnight(midnight);
    account.clock.set(at);
    account.settle();
    act(at);
    const before = run.activeFault;
    // The simulator's replica lags with the records, and not with the names of other records in them.
    if (typeof before?.faults?.replicaLag !== 'object') misname(at);
    run.activeFault = applySchedule(schedule, before, at, simulator, run.tokens[0]?.token ?? '');
    if (run.activeFault !== before && run.activeFault?.swapsToken === true) run.tokens.reverse();
    run.sight = sightOf(run.activeFault, at, run.tokens[0]?.personid ?? '');
    run.shownSeq();
    if (run.activeFault?.off === true) continue;
    const settings = settingsAt(at - start);
    const { observations, isIdle } = await pollAndRecord(run, settings);
    scans += observations.length;
    const timeZone = await knownZone(run.embedded);
    const clockOffset = clockOffsetOf(run.activeFault);
    moments.push({
      at: new Date(at).toISOString(),
      isIdle,
      rules: settings.rules,
      timeZone,
      observations,
      clockOffset,
    });
    const announced: TidingsEvent[] = [];
    await announceAll(run.embedded, { announced: (events) => announced.push(...events) });
    emitted.push(...announced);
    const { snapshots } = run.embedded.sources.get('main') ?? fail();
    // A fault may hide the tasks from the request that reads them again; then a sweep is brought forward.
    if (run.activeFault === undefined) staleClients.push(...(await findStaleClients(snapshots, account, announced)));
  }
  const journal = account.journal.read();
  const lateIndex = schedule.flatMap(({ faults, from, until }) => {
    const late = faults?.lateModified;
    if (typeof late !== 'object') return [];
    return [{ from: new Date(from).toISOString(), until: new Date(until + HOUR).toISOString(), ms: late.ms }];
  });
  const { timeZone } = options;
  const prediction = predictEvents({ timeZone, founding, journal, moments, lateIndex });
  const isOfSource = ({ type }: TidingsEvent) => type.startsWith('source.');
  return {
    ...compareEvents(
      prediction.expected,
      emitted.filter((event) => !isOfSource(event)),
    ),
    options,
    scans,
    requests: run.api.requests(),
    journal: journal.filter(({ resource }) => founding.has(resource)).length,
    faults: schedule.length,
    overlooked: prediction.overlooked,
    sourceProblems: checkSourceEvents(
      schedule,
      emitted
        .filter(isOfSource)
        .map((event) => ({ type: event.type, at: event.time, resources: addedResources(event) })),
    ),
    scanGaps: [
      ...findScanGaps(moments, schedule, options),
      ...findWaits(prediction.waiting, schedule),
      ...findWrongZones(moments, schedule, zoneAt),
    ],
    lateEvents: findLateEvents(prediction.expected, schedule, options.pollEvery * MINUTE),
    falseWindows: findFalseWindows(prediction.expected, emitted, schedule),
    wrongClients: [...findWrongClients(prediction.expected, emitted), ...staleClients],
    schemaViolations: emitted.flatMap(problemsOf),
    seconds: Math.round((performance.now() - begun) / 100) / 10,
  };
}

/** Returns a function that finds the last journal entry that the API shows: a replica lags behind. */
function followReplica({ account }: Simulator, activeFault: () => ScheduledFault | undefined): () => number {
  let shown = 0;
  let lagging: ScheduledFault | undefined;
  return () => {
    const fault = activeFault();
    const lag = fault?.faults?.replicaLag;
    // When the lag begins, the replica is up to date.
    if (fault === undefined || typeof lag !== 'object' || fault !== lagging) {
      lagging = fault;
      shown = account.journal.last;
      return shown;
    }
    const until = account.clock.now() - lag.ms;
    for (const { at } of account.journal.read({ since: shown })) {
      if (Date.parse(at) > until) break;
      shown += 1;
    }
    return shown;
  };
}

function fail(): never {
  throw new Error('no client or no source');
}

/** What a person changes in the config every eleven days, each time at another hour. */
interface Settings {
  readonly rules: DayRules;
  /** @default - the zone of the account */
  readonly timeZone?: string;
}

const SHORT = {
  ...{ closedStatuses: ['Closed'], taskDueSoon: 1, taskStale: 30 },
  ...{ invoiceDueSoon: 7, invoiceOverdueReminders: [7, 14, 30], projectEndingSoon: 7 },
};
const LONG = {
  ...{ closedStatuses: ['Closed', 'Staged'], taskDueSoon: 3, taskStale: 10 },
  ...{ invoiceDueSoon: 3, invoiceOverdueReminders: [3, 14], projectEndingSoon: 14 },
};
const SETTINGS: readonly Settings[] = [
  { rules: SHORT },
  { rules: LONG },
  { rules: LONG, timeZone: 'Asia/Tokyo' },
  { rules: SHORT },
  { rules: SHORT, timeZone: 'America/Los_Angeles' },
];
const SETTINGS_CHANGE_EVERY = 11 * DAY - 5 * HOUR;

/** For a few hours another status counts as closed, or a second process runs with such a config. */
const withFlip = (settings: Settings): Settings => ({
  ...settings,
  rules: { ...settings.rules, closedStatuses: [...settings.rules.closedStatuses, 'In Progress'] },
});
const FLIPPED_SETTINGS = SETTINGS.map(withFlip);
const FLIP_EVERY = 3 * DAY + 7 * HOUR;
const FLIP_LASTS = 4 * HOUR;

function settingsAt(sinceStart: number): Settings {
  const isFlipped = sinceStart > DAY && sinceStart % FLIP_EVERY < FLIP_LASTS;
  const current = isFlipped ? FLIPPED_SETTINGS : SETTINGS;
  const settings = current[Math.floor(sinceStart / SETTINGS_CHANGE_EVERY) % current.length];
  if (settings === undefined) throw new Error('no settings');
  return settings;
}

/** The zone of the last cycle; null: not known yet. */
async function knownZone({ sources }: Embedded): Promise<string | null> {
  const health = await sources.get('main')?.snapshots.get({ source: 'main', resource: SOURCE_RESOURCE, id: 'main' });
  return storedZone(health?.record).timeZone;
}

/** The resources that this event adds to the stale, forbidden or undecided ones of the source. */
function addedResources({ type, data }: TidingsEvent): string[] {
  const field = type.slice('source.'.length).replace('deletions_', '');
  const change = data.changes.find((candidate) => candidate.field === field);
  const [from, to] = [change?.from, change?.to].map((value) =>
    Array.isArray(value) ? value.map(String) : typeof value === 'object' && value !== null ? Object.keys(value) : [],
  );
  return (to ?? []).filter((name) => !from?.includes(name));
}

/** Polls all resources that are due and returns the responses that the poll received. */
async function pollAndRecord(
  { embedded, api, activeFault }: Run,
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

/**
 * Yields an instant every `step` milliseconds. After each midnight of the zone at that time it yields two more: after one
 * second, and when lists show the records as they were at midnight.
 */
function* instants(start: number, end: number, step: number, zoneAt: (at: number) => string): Generator<number> {
  for (let at = start; at <= end; at += step) {
    yield at;
    const midnight = midnightBetween(at - 1, at + step - 1, zoneAt(at));
    if (midnight === undefined) continue;
    for (const delay of [1000, 121_000]) if (midnight + delay < at + step) yield midnight + delay;
  }
}

/** The midnight after the first and until the second instant. */
function midnightBetween(from: number, until: number, timeZone: string): number | undefined {
  const dayOf = dayInZone(timeZone);
  const day = (instant: number) => dayOf(new Date(instant).toISOString());
  if (day(from) === day(until)) return undefined;
  let [before, after] = [from, until];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (day(middle) === day(from)) before = middle;
    else after = middle;
  }
  return after;
}
