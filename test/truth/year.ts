/**
 * The truth run `year`: Tidings polls a simulated account through scheduled faults, and every event is compared with
 * those that the oracle predicts. This file runs and compares; oracle.ts decides which events the journal implies.
 */

import { workApi } from '../../adapters/sources/work/client.ts';
import { workTraits } from '../../adapters/sources/work/traits.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { SOURCE_RESOURCE, type TidingsEvent } from '../../core/model/event.ts';
import type { SourceApi } from '../../core/ports/source-api.ts';
import { storedZone } from '../../core/source/account/time-zone.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../runtime/embedded/embedded.ts';
import { announceAll } from '../../runtime/embedded/pipeline.ts';
import { type Simulator, startSimulator, type TokenHolder } from '../../simulator/simulator.ts';
import { problemsOf } from '../core/events/event-schemas.ts';
import { instants, midnightBetween } from './calendar.ts';
import { settingsAt } from './changing-settings.ts';
import { changingSight } from './changing-sight.ts';
import { type Comparison, compareEvents, findWrongClients } from './compare-events.ts';
import {
  applySchedule,
  checkSourceEvents,
  clockOffsetOf,
  type ScheduledFault,
  scheduleFaults,
} from './fault-schedule.ts';
import { followReplica } from './follow-replica.ts';
import { midnightActions } from './midnight-actions.ts';
import { misnamedStatus } from './misnamed-status.ts';
import type { Moment, RawRecord, Sight } from './observation.ts';
import { predictEvents } from './oracle.ts';
import { pollAndRecord } from './poll-and-record.ts';
import { type RareActionName, rareActions } from './rare-actions.ts';
import { type RecordingApi, recordingApi } from './recording-api.ts';
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

function fail(): never {
  throw new Error('no client or no source');
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
