/**
 * The truth run `faults`: every call of every port goes wrong once, in turn, and the small scenario must end as it does
 * when nothing goes wrong. Plays and compares; what happens in the scenario is written in small-scenario.ts.
 */

import { deliver } from '../../core/delivery/deliver.ts';
import { pause, resume } from '../../core/delivery/hold.ts';
import { replay } from '../../core/delivery/replay.ts';
import { tick } from '../../core/delivery/tick.ts';
import { announceFeed } from '../../core/events/announce.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { between, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import type { ReceivedJob } from '../../core/ports/queue.ts';
import { poll } from '../../core/source/poll.ts';
import { FAULT_KINDS, type Fault, type FaultInjector, faultInjector, InjectedFault } from './fault-injector.ts';
import { changeAccount, openScenario, SCRIPT, type Scenario, type ScriptedAction, START } from './fault-scenario.ts';
import { seededRandom } from './seeded-random.ts';

/** How the scenario ended: what a fault must not change. */
export interface Outcome {
  /** `evt_… task.closed task/1`; those of source and subscriptions without their id. */
  readonly events: readonly string[];
  /** `chat evt_… settled`, for the one delivery that carries the event in the end. */
  readonly carried: readonly string[];
  /** `chat evt_…`, taken by the receiver at least once. */
  readonly accepted: readonly string[];
  /** What must not be, whatever the run without faults did. */
  readonly wrong: readonly string[];
}

export interface PlayResult {
  readonly outcome: Outcome;
  readonly calls: readonly string[];
}

export interface PlayOptions {
  /** @default - nothing goes wrong */
  readonly fault?: Fault | undefined;
  /** Everybody at once, in an order drawn from this seed. @default - one after the other */
  readonly seed?: number | undefined;
}

/** The script has ended, and the digest was sent. */
const SCRIPTED_MINUTES = 85;

/** Rounds after the script in which everything has to come to rest. */
const MAX_SETTLING_ROUNDS = 60;

const VISIBILITY = 60 * SECOND;

/** Closings that all are recorded when they are replayed, whatever went wrong before. */
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
      // Afterwards the clock jumps from one thing on the agenda to the next: looks that far apart would be news themselves.
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

/** Changes in the account happen; a person whose click failed clicks again. */
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

/** What the processes of a minute do. A verb that fails ends; the next minute starts all of them again. */
async function playRound(
  { ports, order }: Scenario,
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
    await deliver({ ...ports, saveOutcome }, received.job);
    if (!isAcknowledged) await ports.queue.acknowledge(received);
  };
  const deliverSome = async () => {
    const received = await ports.queue.receive({ limit: 20, visibility: VISIBILITY }, ports.clock.now());
    if (atOnce) await Promise.all(received.map((one) => ignoreInjectedFault(() => attempt(one))));
    else for (const one of received) await ignoreInjectedFault(() => attempt(one));
    return received.length;
  };
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
      while ((await announceFeed(ports)) !== undefined);
    },
    async () => {
      while ((await deliverSome()) > 0 && !injector.isKilled);
    },
    // The responses of the receivers are reported as well.
    async () => {
      while ((await announceFeed(ports)) !== undefined);
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
    // Anything else is a bug of the run or of what it judges.
    if (!(error instanceof InjectedFault)) throw error;
  }
}

/** Nothing on the agenda, nothing in the queue, hidden or not, nothing unread in the feed. */
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

/** To the next thing on the agenda; at least a minute, so that what is hidden in the queue shows itself. */
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
  // Who asked for a replay and heard of a failure asked again: those may come in any number.
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
      ...((await isSettled({ real, clock })) ? [] : ['it never came to rest']),
      ...findDuplicates(
        original.flatMap(({ subscription, events }) => events.map((id) => `${subscription} ${name(id)}`)),
      ),
      ...findLostMembers(deliveries),
      ...findDifferingBodies(arrivals.flatMap(({ message: { events } }) => events)),
    ],
  };
}

/** Versions of our own records count what went wrong too: their events are distinguished by type alone. */
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

/** The same id is the same event, to the byte. */
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
  /** Every so manieth call. @default 1 */
  readonly step?: number;
  /** Orders in which all are at it at once, with a fault at a random call in each but the first ones. @default 0 */
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
