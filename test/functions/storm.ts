/**
 * A storm over all functions at once, drawn from a seed: the account changes, receivers come and go, people pause, resume, replay and
 * deploy, days pass, and any call to AWS may fail or end its process. Then the sky clears. Plays; what must hold is in storm-judge.ts.
 */

import { pause, resume, retryNow } from '../../core/delivery/held.ts';
import { replay } from '../../core/delivery/replay.ts';
import { DAY, HOUR, MINUTE, SECOND, toMillis } from '../../core/model/time.ts';
import { CONFIG } from '../../runtime/aws/environment.ts';
import { type Dice, dice } from '../truth/dice.ts';
import { openCloud } from './storm-cloud.ts';
import { judge } from './storm-judge.ts';
import { MOODS, PLACES, startReceivers } from './storm-receivers.ts';
import { packedConfig, startWorld, type World } from './world.ts';

export interface StormOptions {
  readonly seed: number;
  readonly steps: number;
  /** Of all calls to AWS. @default 0.03 */
  readonly faults?: number;
}

/** Who hears of what; the same with every deployment. */
export const WANTED: Readonly<Record<string, readonly string[]>> = {
  ops: ['task.*'],
  rules: ['task.*'],
  team: ['task.*'],
  daily: ['task.closed', 'task.reopened', 'task.updated'],
  watch: ['subscription.*', 'source.*'],
};
const NAMES = Object.keys(WANTED);

const OTHERS = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];
const SOURCE = { resources: { ...Object.fromEntries(OTHERS.map((name) => [name, 'off'])), task: { every: '1m' } } };

const JUMPS = [SECOND, 10 * SECOND, 40 * SECOND, MINUTE, MINUTE, 3 * MINUTE, 10 * MINUTE, HOUR, 9 * HOUR];

/** Rounds in which everything has to come to rest after the storm. */
const PATIENCE = 30;

export async function storm({ seed, steps, faults = 0.03 }: StormOptions) {
  const chance = dice(seed);
  const receivers = await startReceivers(chance);
  const configs = ['30s', '0s'].map((gather) => ({ source: SOURCE, config: configFor(receivers.url, gather) }));
  const world = await startWorld({
    simulator: { tasks: 8, seed, timeZone: 'UTC' },
    source: SOURCE,
    config: configFor(receivers.url, '30s'),
  });
  const packed = configs.map((config) => packedConfig(world.simulator, config));
  let deployed = 0;
  const environment = () => ({
    ...world.options.environment,
    [CONFIG]: packed[deployed],
    AWS_ENDPOINT_URL_SESV2: receivers.url,
    AWS_ENDPOINT_URL_EVENTBRIDGE: receivers.url,
  });
  const cloud = await openCloud({ world, chance, lags: seed % 2 === 1, environment });
  const { invoke, person } = cloud;
  const setup = () => invoke('setup', (functions) => functions.setup());
  const poll = () => invoke('poll', (functions) => functions.poll());
  const tick = () => invoke('tick', (functions) => functions.tick());
  const somebody = () => chance.pick(NAMES) ?? '';
  const deploy = () => {
    deployed = 1 - deployed;
    cloud.deploy();
    return setup();
  };

  /** As often as they are here. */
  const acts: readonly (() => unknown)[] = [
    ...times(10, () => change(world, chance)),
    ...times(6, poll),
    ...times(8, tick),
    ...times(12, cloud.announce),
    ...times(14, cloud.deliver),
    ...times(4, () => receivers.moods.set(chance.pick(PLACES) ?? 'ops', chance.pick(MOODS) ?? 'well')),
    ...times(2, () => person((ports) => pause(ports, somebody()))),
    ...times(3, () => person((ports) => resume(ports, somebody()))),
    ...times(2, cloud.showHidden),
    () => person((ports) => sendAgain(ports, somebody())),
    () => person((ports) => retryAll(ports, { limit: 3 })),
    deploy,
  ];

  const advance = (millis: number) => {
    world.clock.advance(millis);
    world.simulator.account.clock.set(toMillis(world.clock.now()));
  };

  /** Fair weather: all there is to do is done, until nothing is. */
  const settle = async () => {
    await poll();
    await tick();
    while (cloud.hasChanges()) await cloud.announce();
    while (world.queues.count() > 0) await cloud.deliver();
    await cloud.catchUp(1);
    await person(async (ports) => {
      for (const name of NAMES) await resume(ports, name);
      await retryAll(ports, { status: 'failed', limit: 1000 });
    });
  };

  try {
    await setup();
    await cloud.catchUp(1);
    do {
      advance(MINUTE);
      await poll();
    } while ((await world.ledger.scanState('main', 'task'))?.baselinedAt == null);
    cloud.storm(faults);
    for (let step = 0; step < steps; step++) {
      advance(chance.pick(JUMPS) ?? 0);
      await cloud.catchUp(chance.unit());
      const some = Array.from({ length: 1 + Math.floor(chance.unit() * 5) }, () => chance.pick(acts));
      await Promise.all(some.map(async (act) => act?.()));
    }
    cloud.storm(0);
    receivers.moods.clear();
    await setup();
    for (let round = 0; round < PATIENCE; round++) {
      advance(round % 4 === 3 ? 10 * HOUR : 2 * MINUTE);
      await cloud.catchUp(1);
      await cloud.showHidden();
      await settle();
      if (round > 1 && (await world.ledger.due('9999', 1)).length === 0) break;
    }
    const wrong = await judge({ world, committed: cloud.committed, taken: receivers.taken, wanted: WANTED });
    return { ...cloud.made, changes: cloud.committed.length, wrong, token: world.token };
  } finally {
    cloud.close();
    await Promise.all([world.stop(), receivers.stop()]);
  }
}

function configFor(url: string, gather: string) {
  const email = { to: ['ann@example.com'] };
  const http = (path: string) => ({ url: `${url}/${path}`, secret: '${OPS}' });
  return {
    mail: { from: 'Tidings <tidings@example.com>' },
    subscriptions: [
      // With a rate, whose turns all functions share.
      { name: 'ops', events: WANTED.ops, to: { http: http('ops') }, rate: '50/s' },
      { name: 'team', events: WANTED.team, to: { email }, gather },
      { name: 'daily', events: WANTED.daily, to: { email }, digest: { at: '08:00' } },
      { name: 'rules', events: WANTED.rules, to: { bus: { name: 'orders' } } },
      { name: 'watch', events: WANTED.watch, to: { http: http('watch') } },
    ],
  };
}

/** What people do to a task, days in the past among its due dates. */
function change({ simulator: { account } }: World, chance: Dice): void {
  const task = chance.pick(account.list('task', { limit: '100' }));
  const due = account.clock.now() + Math.floor((chance.unit() - 0.4) * 5) * DAY;
  const fields = chance.pick([
    { statusid: 7 },
    { statusid: 1 },
    { title: `Title ${Math.floor(chance.unit() * 1e6)}` },
    { datedue: new Date(due).toISOString().slice(0, 10) },
  ]);
  if (task !== undefined && fields !== undefined) account.update('task', String(task.id), fields);
}

type Ports = Parameters<Parameters<Awaited<ReturnType<typeof openCloud>>['person']>[0]>[0];

async function sendAgain(ports: Ports, name: string): Promise<void> {
  const subscription = await ports.ledger.subscription(name);
  const { events } = await ports.ledger.events({ limit: 5 });
  if (subscription !== undefined) await replay(ports, subscription, events);
}

async function retryAll(ports: Ports, query: Parameters<Ports['ledger']['deliveries']>[0]): Promise<void> {
  for (const { id } of await ports.ledger.deliveries(query)) await retryNow(ports, id);
}

const times = <T>(count: number, act: T): readonly T[] => Array.from({ length: count }, () => act);
