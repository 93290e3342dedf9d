/**
 * A chaos run of all functions, generated from a seed: the account changes, receivers fail and recover, people pause, resume,
 * replay and deploy, days pass, and any call to AWS may fail or end its process. Then everything recovers. The tests check the result.
 */

import { transitionFromRecord } from '../../adapters/dynamodb/stream.ts';
import { pause, resume } from '../../core/delivery/hold.ts';
import { HOUR, MINUTE, toMillis } from '../../core/model/time.ts';
import { CONFIG } from '../../runtime/aws/environment.ts';
import { seededRandom } from '../truth/seeded-random.ts';
import {
  changeTask,
  JUMPS,
  replayFirstEvents,
  retryAll,
  STORM_SOURCE as SOURCE,
  times,
} from '../truth/storm-actions.ts';
import { checkStorm } from '../truth/storm-checks.ts';
import { MODES, startReceivers } from '../truth/storm-receivers.ts';
import { openCloud } from './storm-cloud.ts';
import { packedConfig, startWorld } from './world.ts';

export interface StormOptions {
  readonly seed: number;
  readonly steps: number;
  /** Share of calls to AWS that fail. @default 0.03 */
  readonly faults?: number;
}

/** The subscriptions, the same in every deployment. */
export const WANTED: Readonly<Record<string, readonly string[]>> = {
  ops: ['task.*'],
  rules: ['task.*'],
  team: ['task.*'],
  daily: ['task.closed', 'task.reopened', 'task.updated'],
  watch: ['subscription.*', 'source.*'],
};
const NAMES = Object.keys(WANTED);

/** Receivers for machines. */
const PLACE_OF = { ops: 'ops', watch: 'watch', rules: 'bus' };
const PLACES = ['ops', 'watch', 'bus', 'ses'];

/** Rounds after the faults within which all work must be finished. */
const PATIENCE = 30;

export async function storm({ seed, steps, faults = 0.03 }: StormOptions) {
  const chance = seededRandom(seed);
  const receivers = await startReceivers(chance);
  const configs = ['30s', '0s'].map((gather) => ({ source: SOURCE, config: configFor(receivers.url, gather) }));
  const world = await startWorld({
    simulator: { tasks: 8, seed, timeZone: 'UTC' },
    source: SOURCE,
    config: configFor(receivers.url, '30s'),
  });
  const packed = configs.map((config) => packedConfig(world.simulator, config));
  let deployed = 0;
  const environment = () => ({ ...world.options.environment, [CONFIG]: packed[deployed] });
  const receiver = { ...world.options.clientSettings?.secrets, endpoint: receivers.url };
  const clientSettings = { ...world.options.clientSettings, mail: receiver, bus: receiver };
  const cloud = await openCloud({ world, chance, lags: seed % 2 === 1, environment, clientSettings });
  const { invoke, person } = cloud;
  const setup = () => invoke('setup', (functions) => functions.setup());
  const poll = () => invoke('poll', (functions) => functions.poll());
  const tick = () => invoke('tick', (functions) => functions.tick());
  const anySubscription = () => chance.pick(NAMES) ?? '';
  const deploy = () => {
    deployed = 1 - deployed;
    cloud.deploy();
    return setup();
  };

  /** As often as they are here. */
  const acts: readonly (() => unknown)[] = [
    ...times(10, () => changeTask(world.simulator, chance)),
    ...times(6, poll),
    ...times(8, tick),
    ...times(12, cloud.announce),
    ...times(14, cloud.deliver),
    ...times(4, () => receivers.modes.set(chance.pick(PLACES) ?? 'ops', chance.pick(MODES) ?? 'well')),
    ...times(2, () => person((ports) => pause(ports, anySubscription()))),
    ...times(3, () => person((ports) => resume(ports, anySubscription()))),
    ...times(2, cloud.showHidden),
    () => person((ports) => replayFirstEvents(ports, anySubscription())),
    () => person((ports) => retryAll(ports, { limit: 3 })),
    deploy,
  ];

  const advance = (millis: number) => {
    world.clock.advance(millis);
    world.simulator.account.clock.set(toMillis(world.clock.now()));
  };

  /** Without faults: runs until nothing is left to do. */
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
    } while ((await world.stores.scanStates.get('main', 'task'))?.baselinedAt == null);
    cloud.storm(faults);
    for (let step = 0; step < steps; step++) {
      advance(chance.pick(JUMPS) ?? 0);
      await cloud.catchUp(chance.unit());
      const some = Array.from({ length: 1 + Math.floor(chance.unit() * 5) }, () => chance.pick(acts));
      await Promise.all(some.map(async (act) => act?.()));
    }
    cloud.storm(0);
    receivers.modes.clear();
    await setup();
    for (let round = 0; round < PATIENCE; round++) {
      advance(round % 4 === 3 ? 10 * HOUR : 2 * MINUTE);
      await cloud.catchUp(1);
      await cloud.showHidden();
      await settle();
      if (round > 1 && (await world.stores.agenda.due('9999', 1)).length === 0) break;
    }
    const wrong = await checkStorm({
      ...world,
      transitions: cloud.committed.flatMap((record) => transitionFromRecord(record) ?? []),
      accepted: receivers.accepted,
      wanted: WANTED,
      receiverOf: PLACE_OF,
    });
    return { ...cloud.injected, changes: cloud.committed.length, wrong, token: world.token };
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
      // With a rate, which all functions share.
      { name: 'ops', events: WANTED.ops, to: { http: http('ops') }, rate: '50/s' },
      { name: 'team', events: WANTED.team, to: { email }, gather },
      { name: 'daily', events: WANTED.daily, to: { email }, digest: { at: '08:00' } },
      { name: 'rules', events: WANTED.rules, to: { bus: { name: 'orders' } } },
      { name: 'watch', events: WANTED.watch, to: { http: http('watch') } },
    ],
  };
}
