/**
 * The truth run `year`: a seeded account lives, Tidings follows it through troubles, and the oracle says which events
 * there should have been. Runs and compares; what the journal implies is decided in oracle.ts.
 */

import { openDatabase } from '../../adapters/sqlite/database.ts';
import { workApi } from '../../adapters/work-api/client.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { tick } from '../../core/snapshot/tick.ts';
import { type PollReport, poll } from '../../core/source/poll.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../runtime/embedded/embedded.ts';
import { announceAll } from '../../runtime/embedded/pipeline.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { problemsOf } from '../core/events/event-schemas.ts';
import { type Comparison, compareTold } from './compare-told.ts';
import { type ListeningApi, listeningApi } from './listening-api.ts';
import type { Moment, Observation, Wire } from './observation.ts';
import { calendarOf, judge } from './oracle.ts';
import { rareActs } from './rare-acts.ts';
import { applyTroubles, judgeSource, type Trouble, troublesFor } from './troubles.ts';

export interface YearOptions {
  readonly seed: number;
  /** ISO instant of the first look. In the past of the machine: the simulator's answers carry the machine's date. */
  readonly start: string;
  readonly days: number;
  readonly timeZone: string;
  /** Tasks the account is founded with. */
  readonly tasks: number;
  /** Minutes between two looks at tasks; invoices are looked at half as often, the rest a quarter. */
  readonly pollEvery: number;
  /** Minutes between two things people do. */
  readonly lifePace: number;
  /** Whether anything goes wrong. */
  readonly troubles: boolean;
}

export interface YearReport extends Comparison {
  readonly options: YearOptions;
  readonly looks: number;
  readonly requests: number;
  readonly journal: number;
  readonly troubles: number;
  /** Looks that should have shown a record and did not. */
  readonly overlooked: readonly string[];
  /** Events of the source that nothing explains, or that are missing. */
  readonly source: readonly string[];
  /** Times without a good scan that nothing explains. */
  readonly silences: readonly string[];
  /** Events that do not fit the schema of their type. */
  readonly misshapen: readonly string[];
  readonly seconds: number;
}

/** What is read in these runs. */
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
  });
  const run = await openRun(simulator, options);
  try {
    return await live(simulator, run, options, begun);
  } finally {
    await run.close();
    await simulator.stop();
  }
}

interface Run {
  readonly embedded: Embedded;
  readonly api: ListeningApi;
  readonly token: string;
  /** Trouble that is on. */
  trouble: Trouble | undefined;
  close(): Promise<void>;
}

async function openRun(simulator: Simulator, { pollEvery, timeZone }: YearOptions): Promise<Run> {
  const [token = ''] = simulator.tokens.Administrator;
  const off = ['expense', 'document', 'group', 'projectmodule'].map((name) => [name, 'off']);
  const rest = { every: `${pollEvery * 4}m`, sweep: '6h' };
  const resources = {
    task: { every: `${pollEvery}m`, sweep: '6h' },
    invoice: { every: `${pollEvery * 2}m`, sweep: '6h' },
    ...{ project: rest, client: rest, person: rest },
    ...Object.fromEntries(off),
  };
  const source = { baseUrl: simulator.url, token, timeZone, resources };
  const embedded = await openEmbedded({
    config: parseConfig('year.json', JSON.stringify({ source }), {}),
    database: openDatabase(':memory:'),
    environment: {},
    clock: { now: () => new Date(simulator.account.clock.now()).toISOString() },
    holder: 'year',
    random: () => 0.5,
  });
  const real = workApi({
    baseUrl: simulator.url,
    token,
    perMinute: Number.POSITIVE_INFINITY,
    sleep: async () => {},
    retries: 1,
  });
  const run: Run = {
    embedded,
    token,
    trouble: undefined,
    api: listeningApi(real, () => ({
      seq: simulator.account.journal.last,
      role: run.trouble?.role ?? 'Administrator',
    })),
    close: async () => {
      await real.close();
      await embedded.close();
    },
  };
  return run;
}

async function live(simulator: Simulator, run: Run, options: YearOptions, begun: number): Promise<YearReport> {
  const { account } = simulator;
  const start = Date.parse(options.start);
  const end = start + options.days * DAY;
  const troubles = options.troubles ? troublesFor(options.seed, start, end) : [];
  const founding = new Map<string, readonly Wire[]>(RESOURCES.map((name) => [name, account.list(name)]));
  const moments: Moment[] = [];
  const told: TidingsEvent[] = [];
  const act = rareActs(account, options.seed);
  let looks = 0;
  for (const at of instants(start, end, options.pollEvery * MINUTE, options.timeZone)) {
    account.clock.set(at);
    account.settle();
    act(at);
    run.trouble = applyTroubles(troubles, run.trouble, at, simulator, run.token);
    const observations = await look(run, options.timeZone);
    looks += observations.length;
    moments.push({ at: new Date(at).toISOString(), observations });
    while ((await tick(run.embedded)) > 0);
    await announceAll(run.embedded, { announced: (events) => told.push(...events) });
  }
  const journal = account.journal.read();
  const lateIndex = troubles.flatMap(({ faults, from, until }) => {
    const late = faults?.lateModified;
    if (typeof late !== 'object') return [];
    return [{ from: new Date(from).toISOString(), until: new Date(until + HOUR).toISOString(), ms: late.ms }];
  });
  const { timeZone } = options;
  const verdict = judge({ timeZone, person: '1', founding, journal, moments, lateIndex });
  const isOfSource = ({ type }: TidingsEvent) => type.startsWith('source.');
  return {
    ...compareTold(
      verdict.expected,
      told.filter((event) => !isOfSource(event)),
    ),
    options,
    looks,
    requests: run.api.requests(),
    journal: journal.filter(({ resource }) => founding.has(resource)).length,
    troubles: troubles.length,
    overlooked: verdict.overlooked,
    source: judgeSource(
      troubles,
      told.filter(isOfSource).map((event) => ({ type: event.type, at: event.time, resources: newlyNamed(event) })),
    ),
    silences: silencesOf(moments, troubles, options),
    misshapen: told.flatMap(problemsOf),
    seconds: Math.round((performance.now() - begun) / 100) / 10,
  };
}

/** Which resources a source is newly said to be stale in, or forbidden. */
function newlyNamed({ type, data }: TidingsEvent): string[] {
  const field = type.slice('source.'.length);
  const change = data.changes.find((candidate) => candidate.field === field);
  const [from, to] = [change?.from, change?.to].map((value) => (Array.isArray(value) ? value.map(String) : []));
  return (to ?? []).filter((name) => !from?.includes(name));
}

/** One poll of what is due, and what it saw. */
async function look({ embedded, api, trouble }: Run, timeZone: string): Promise<Observation[]> {
  const [source] = embedded.config.sources;
  const ports = embedded.sources.get('main');
  if (source === undefined || ports === undefined) throw new Error('the source was not wired');
  const report = await poll(
    { ...ports, api },
    {
      source: source.name,
      resources: source.resources,
      rules: embedded.config.rules,
      timeZone,
      reserve: source.quota.reserve,
      ...(trouble?.pageSize === undefined ? {} : { pageSize: trouble.pageSize }),
    },
  );
  return observationsOf(report, api);
}

function observationsOf(report: PollReport, api: ListeningApi): Observation[] {
  const outcomes = new Map<string, Omit<Observation, 'answers'>>();
  for (const { resource, kind, complete } of report.scans)
    outcomes.set(resource, { resource, kind, complete, good: true });
  for (const { resource, kind } of report.failed)
    outcomes.set(resource, { resource, kind, complete: false, good: false });
  const heard = [...api.take()];
  const observed = heard.map(([resource, answers]) => {
    const outcome = outcomes.get(resource);
    if (outcome === undefined) throw new Error(`${resource} was read, and no scan says so`);
    return { ...outcome, answers };
  });
  const unheard = report.scans.filter(({ resource }) => !heard.some(([name]) => name === resource));
  if (unheard.length > 0) throw new Error(`${unheard[0]?.resource}: a scan says it read what nobody answered`);
  return observed;
}

/** Every so often, and one second after each midnight of the zone. */
function* instants(start: number, end: number, step: number, timeZone: string): Generator<number> {
  const dayOf = calendarOf(timeZone);
  const day = (at: number) => dayOf(new Date(at).toISOString());
  for (let at = start; at <= end; at += step) {
    yield at;
    if (day(at) === day(at + step)) continue;
    let [before, after] = [at, at + step];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (day(middle) === day(at)) before = middle;
      else after = middle;
    }
    if (after + 1000 < at + step) yield after + 1000;
  }
}

/** Looks must go on as configured, or the oracle would expect little: gaps that no trouble explains. */
function silencesOf(moments: readonly Moment[], troubles: readonly Trouble[], { pollEvery }: YearOptions): string[] {
  const every: Readonly<Record<string, number>> = { task: 1, invoice: 2 };
  const last = new Map<string, number>();
  const silences: string[] = [];
  for (const { at, observations } of moments) {
    const now = Date.parse(at);
    for (const { resource, kind, good } of observations.filter((observation) => observation.good)) {
      const allowed = ((every[resource] ?? 4) + 1) * pollEvery * MINUTE;
      const checks: [string, number][] = [
        [resource, allowed],
        ...(kind === 'sweep' ? [[`${resource} sweep`, 7 * HOUR] as [string, number]] : []),
      ];
      for (const [name, longest] of checks) {
        const before = last.get(name) ?? now;
        const explained = troubles.some(({ from, until, shadow }) => from < now && until + shadow > before);
        if (good && now - before > longest && !explained)
          silences.push(`${name} between ${new Date(before).toISOString()} and ${at}`);
        last.set(name, now);
      }
    }
  }
  return silences;
}
