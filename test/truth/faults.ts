/**
 * The truth run `faults`: each port call fails once, in a run of its own, and the scenario must end as it does without
 * faults. This file plays and compares; fault-scenario.ts defines what happens.
 */

import { pause, resume } from '../../core/delivery/hold.ts';
import { replay } from '../../core/delivery/replay.ts';
import { tick } from '../../core/delivery/tick.ts';
import { announceFeed } from '../../core/events/announce-feed.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { between, MINUTE, plus, SECOND, toMillis } from '../../core/model/time.ts';
import type { ReceivedJob } from '../../core/ports/queue.ts';
import { poll } from '../../core/source/poll.ts';
import { deliverJob } from '../deliver-job.ts';
import { FAULT_KINDS, type Fault, type FaultInjector, faultInjector, InjectedFault } from './fault-injector.ts';
import { changeAccount, openScenario, SCRIPT, type Scenario, type ScriptedAction, START } from './fault-scenario.ts';
import { seededRandom } from './seeded-random.ts';

/** The final state of a run, which a fault must not change. */
interface Outcome {
  /** `evt_… task.closed task/1`; events of sources and subscriptions without their id. */
  readonly events: readonly string[];
  /** `chat evt_… settled`, for the one delivery that carries the event. */
  readonly carried: readonly string[];
  /** `chat evt_…`, accepted by the receiver at least once. */
  readonly accepted: readonly string[];
  /** Violations of rules that hold in every run. */
  readonly wrong: readonly string[];
}

export interface PlayResult {
  readonly outcome: Outcome;
  readonly calls: readonly string[];
}

export interface PlayOptions {
  /** @default - no call fails */
  readonly fault?: Fault | undefined;
  /** Runs all verbs concurrently, in an order determined by this seed. @default - one after the other */
  readonly seed?: number | undefined;
}

/** After this the script has ended and the digest was sent. */
const SCRIPTED_MINUTES = 85;

/** Rounds after the script in which all work must be finished. */
const MAX_SETTLING_ROUNDS = 60;

const VISIBILITY = 60 * SECOND;

/** Closings before this instant are always recorded when the replay happens, whichever call failed. */
const REPLAYED_BEFORE = plus(START, 20 * MINUTE);

export async function play({ fault, seed }: PlayOptions = {}): Promise<PlayResult> {
  const injector = faultInjector({ fault, random: seed === undefined ? undefined : seededRandom(seed) });
  const scenario = openScenario(injector);
  try {
    await scenario.found();
    const people = [...SCRIPT];
    const requests: (() => Promise<unknown>)[] = [];
    let lives = 0;
    for (let round = 0; round < SCRIPTED_MINUTES + MAX_SETTLING_ROUNDS; round++) {
      const minute = between(START, scenario.clock.now()) / MINUTE;
      while ((people[0]?.minute ?? Number.POSITIVE_INFINITY) <= minute) {
        const [act] = people.splice(0, 1);
        if (act !== undefined) requests.push(...requestsOf(scenario, act));
      }
      // After the script the clock jumps from one agenda entry to the next. Polls that far apart would emit `source.stale`.
      const poller = round < SCRIPTED_MINUTES ? `poller/${lives}` : undefined;
      await playRound(scenario, injector, poller, requests, seed !== undefined);
      if (injector.isKilled) lives += 1;
      injector.restart();
      if (round >= SCRIPTED_MINUTES && (await isSettled(scenario))) break;
      scenario.clock.advance(round < SCRIPTED_MINUTES ? MINUTE : await untilNext(scenario));
    }
    return { outcome: await readOutcome(scenario), calls: injector.calls };
  } finally {
    scenario.close();
  }
}

/** Applies the account changes of an action and returns the requests of people, who repeat a failed request. */
function requestsOf(scenario: Scenario, act: ScriptedAction): (() => Promise<unknown>)[] {
  changeAccount(scenario, act);
  return [
    ...(act.pause ?? []).map((name) => () => pause(scenario.ports, name)),
    ...(act.resume ?? []).map((name) => () => resume(scenario.ports, name)),
    ...(act.replay ?? []).map((name) => () => replayClosings(scenario, name)),
  ];
}

async function replayClosings({ ports }: Scenario, name: string): Promise<void> {
  const subscription = await ports.subscriptions.get(name);
  if (subscription === undefined) throw new Error(`no subscription '${name}'`);
  const { events } = await ports.events.list({ limit: 1_000 });
  const early = events.filter(({ type, time }) => type === 'task.closed' && time < REPLAYED_BEFORE);
  await replay(ports, subscription, early);
}

/** Runs all verbs of one minute. A verb that fails stops; the next minute starts all verbs again. */
async function playRound(
  { ports, recordAndSend, order }: Scenario,
  injector: FaultInjector,
  poller: string | undefined,
  requests: (() => Promise<unknown>)[],
  atOnce: boolean,
): Promise<void> {
  const attempt = async (received: ReceivedJob) => {
    let isAcknowledged = false;
    const saveOutcome = async (delivery: Delivery) => {
      isAcknowledged = await ports.finishJob(delivery, received);
      return isAcknowledged;
    };
    await deliverJob({ ...ports, saveOutcome }, received.job);
    if (!isAcknowledged) await ports.queue.acknowledge(received);
  };
  const deliverSome = async () => {
    const received = await ports.queue.receive({ limit: 20, visibility: VISIBILITY }, ports.clock.now());
    if (atOnce) await Promise.all(received.map((one) => ignoreInjectedFault(() => attempt(one))));
    else for (const one of received) await ignoreInjectedFault(() => attempt(one));
    return received.length;
  };
  // Embedded in one minute, as in AWS in the next.
  const isEmbedded = (toMillis(ports.clock.now()) / MINUTE) % 2 === 0;
  const announcePorts = isEmbedded ? { ...ports, recordAndSend } : ports;
  const verbs: (() => Promise<unknown>)[] = [
    ...requests.splice(0).map((request) => async () => {
      await request().catch((error: unknown) => {
        requests.push(request);
        throw error;
      });
    }),
    async () => {
      if (poller !== undefined) await poll({ ...ports, holder: poller }, order);
    },
    async () => {
      await tick(ports);
      while ((await announceFeed(announcePorts)) !== undefined);
    },
    async () => {
      while ((await deliverSome()) > 0 && !injector.isKilled);
    },
    // The responses of the receivers are reported as well.
    async () => {
      while ((await announceFeed(announcePorts)) !== undefined);
      await deliverSome();
    },
  ];
  if (atOnce) await Promise.all(verbs.map((verb) => ignoreInjectedFault(() => injector.delay().then(verb))));
  else for (const verb of verbs) await ignoreInjectedFault(verb);
}

async function ignoreInjectedFault(verb: () => Promise<unknown>): Promise<void> {
  try {
    await verb();
  } catch (error) {
    // Any other error is a bug.
    if (!(error instanceof InjectedFault)) throw error;
  }
}

/** Whether agenda, queue (including hidden jobs) and feed are empty. */
async function isSettled({
  real: { agenda, queue, snapshots },
  clock,
}: Pick<Scenario, 'real' | 'clock'>): Promise<boolean> {
  const later = plus(clock.now(), VISIBILITY);
  const left = await Promise.all([
    agenda.due('9999', 1),
    queue.receive({ limit: 1, visibility: 0 }, later),
    snapshots.read('announce', 1),
  ]);
  return left.every(({ length }) => length === 0);
}

/** Milliseconds to the next agenda entry; at least a minute, so that hidden jobs become visible again. */
async function untilNext({ real, clock }: Scenario): Promise<number> {
  const [next] = await real.agenda.due('9999', 1);
  return Math.max(MINUTE, next === undefined ? 0 : between(clock.now(), next.at));
}

async function readOutcome({ real, arrivals, clock }: Scenario): Promise<Outcome> {
  const { events } = await real.events.list({ limit: 100_000 });
  const deliveries = await real.deliveries.list({ limit: 100_000 });
  const nameOf = new Map(events.map((event) => [event.id, describeEvent(event)]));
  const name = (id: string) => nameOf.get(id) ?? `${id}, which is not recorded`;
  const carriers = deliveries.filter(({ status }) => status !== 'gathered');
  // A person repeats a replay that failed, so replays may have any number of deliveries.
  const original = carriers.filter(({ mark }) => mark === undefined);
  const carried = carriers.flatMap(({ subscription, events, status, mark }) =>
    events.map((id) => `${subscription} ${name(id)} ${mark === undefined ? '' : 'again '}${status}`),
  );
  const accepted = arrivals
    .filter((arrival) => arrival.accepted)
    .flatMap(({ message: { subscription, events } }) => events.map(({ id }) => `${subscription.name} ${name(id)}`));
  return {
    events: [...nameOf.values()].sort(),
    carried: [...new Set(carried)].sort(),
    accepted: [...new Set(accepted)].sort(),
    wrong: [
      ...((await isSettled({ real, clock })) ? [] : ['work is left after the last round']),
      ...findDuplicates(
        original.flatMap(({ subscription, events }) => events.map((id) => `${subscription} ${name(id)}`)),
      ),
      ...findLostMembers(deliveries),
      ...findDifferingBodies(arrivals.flatMap(({ message: { events } }) => events)),
    ],
  };
}

/** Faults change the versions, and so the event ids, of sources and subscriptions: compare those events by type only. */
function describeEvent({ id, type, subject }: TidingsEvent): string {
  return /^(source|subscription)\//.test(subject) ? `${type} ${subject}` : `${id} ${type} ${subject}`;
}

function findDuplicates(lines: readonly string[]): string[] {
  return lines.filter((line, at) => lines.indexOf(line) !== at).map((line) => `carried twice: ${line}`);
}

function findLostMembers(deliveries: readonly Delivery[]): string[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return deliveries
    .filter(({ status }) => status === 'gathered')
    .filter(({ into = '', events }) => !events.every((id) => byId.get(into)?.events.includes(id)))
    .map(({ id, subscription }) => `${subscription} ${id} is gathered into a delivery that does not carry it`);
}

/** Events with the same id must be identical. */
function findDifferingBodies(events: readonly TidingsEvent[]): string[] {
  const bodies = new Map<string, string>();
  return events
    .filter((event) => {
      const body = JSON.stringify(event);
      const known = bodies.get(event.id) ?? body;
      bodies.set(event.id, known);
      return known !== body;
    })
    .map(({ id }) => `${id} arrived with another body`);
}

export interface FaultsReport {
  readonly calls: number;
  readonly sites: readonly string[];
  readonly runs: number;
  readonly events: number;
  readonly deliveries: number;
  /** `after call 311, deliveries.gather: …` */
  readonly differences: readonly string[];
}

export interface FaultsOptions {
  /** Fails every nth call only. @default 1 */
  readonly step?: number;
  /** Number of runs with concurrent verbs in a random order, most of them with a random fault. @default 0 */
  readonly interleavings?: number;
  readonly report?: (line: string) => void;
}

export async function runFaults({
  step = 1,
  interleavings = 0,
  report = () => {},
}: FaultsOptions = {}): Promise<FaultsReport> {
  const clean = await play();
  const differences: string[] = compare('without a fault', clean.outcome, clean.outcome);
  let runs = 1;
  const check = async (label: string, options: PlayOptions) => {
    runs += 1;
    const found = await play(options).then(
      ({ outcome }) => compare(label, clean.outcome, outcome),
      (error: unknown) => [`${label}: ${error instanceof Error ? error.stack : String(error)}`],
    );
    for (const line of found) report(line);
    differences.push(...found);
  };
  for (let call = 1; call <= clean.calls.length; call += step) {
    for (const kind of FAULT_KINDS)
      await check(`${kind} at call ${call}, ${clean.calls[call - 1]}`, { fault: { kind, call } });
  }
  for (let seed = 1; seed <= interleavings; seed++) {
    const chance = seededRandom(seed);
    const kind = chance.pick(['none', ...FAULT_KINDS] as const) ?? 'none';
    const call = 1 + Math.floor(chance.unit() * clean.calls.length);
    const fault = kind === 'none' ? undefined : { kind, call };
    await check(`order ${seed}, ${kind}${kind === 'none' ? '' : ` at call ${call}`}`, { seed, fault });
  }
  return {
    calls: clean.calls.length,
    sites: [...new Set(clean.calls)].sort(),
    runs,
    events: clean.outcome.events.length,
    deliveries: clean.outcome.carried.length,
    differences,
  };
}

function compare(label: string, clean: Outcome, outcome: Outcome): string[] {
  return [
    ...outcome.wrong.map((line) => `${label}: ${line}`),
    ...(['events', 'carried', 'accepted'] as const).flatMap((part) => [
      ...clean[part]
        .filter((line) => !outcome[part].includes(line))
        .map((line) => `${label}: ${part}: missing ${line}`),
      ...outcome[part]
        .filter((line) => !clean[part].includes(line))
        .map((line) => `${label}: ${part}: surplus ${line}`),
    ]),
  ];
}
