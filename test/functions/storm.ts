/**
 * A chaos run of all functions, generated from a seed: the account changes, receivers fail and recover, people pause, resume,
 * replay and deploy, days pass, and any call to AWS may fail or end its process. A backlog waits when it begins. Then everything
 * recovers. The tests check the result.
 */

import { inParallel } from '../../adapters/aws/parallel.ts';
import { transitionFromRecord } from '../../adapters/dynamodb/stream.ts';
import { pause, resume } from '../../core/delivery/hold.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import { HOUR, MINUTE, toMillis } from '../../core/model/time.ts';
import { CONFIG } from '../../runtime/aws/environment.ts';
import { seededRandom } from '../truth/seeded-random.ts';
import {
  changeNames,
  changeRole,
  changeTask,
  clearSource,
  distortSource,
  handOver,
  JUMPS,
  payPart,
  pileUp,
  replayFirstEvents,
  restoreRoles,
  retryAll,
  STORM_SOURCE_WITH_PEOPLE as SOURCE,
  times,
} from '../truth/storm-actions.ts';
import { checkStorm, findLostBacklog, findOpenWork, isBaselined, withFirstName } from '../truth/storm-checks.ts';
import { findRepeated } from '../truth/storm-messages.ts';
import { MODES, startReceivers } from '../truth/storm-receivers.ts';
import { openCloud, restoreIndexEntry } from './storm-cloud.ts';
import { createMailJudge, JUDGED_LINKS, JUDGED_SUBSCRIPTIONS } from './storm-judging.ts';
import { EVENT_IDS, recordMails } from './storm-mails.ts';
import { DIVIDED, packedConfig, startWorld } from './world.ts';

export interface StormOptions {
  readonly seed: number;
  readonly steps: number;
  /** Share of calls to AWS that fail. @default 0.03 */
  readonly faults?: number;
  /** Replays that wait for one receiver when the storm begins, beside the events of all tasks for all receivers. */
  readonly backlog: number;
}

/** Event types by subscription; the same in every deployment. Those that are renamed have their first name here. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  ops: ['task.*'],
  rules: ['task.*'],
  team: ['task.*'],
  daily: ['task.closed', 'task.reopened', 'task.updated'],
  watch: ['subscription.*', 'source.*'],
};
const FIRST_NAMES = Object.keys(WANTED);

/** The new names of the subscriptions that are renamed during the storm. */
const RENAMED: Readonly<Record<string, string>> = { ops: 'operations', team: 'crew' };

/** Receivers for machines. */
const PLACE_OF = { ops: 'ops', watch: 'watch', rules: 'bus' };
const PLACES = ['ops', 'watch', 'bus', 'ses'];

/** The secret that signs requests to machines. It is missing for a moment. */
const RECEIVER_SECRETS = 'tidings';

/** The token of the API. */
const TOKEN_SECRET = '/tidings/token';

/** Rounds after the faults within which all work must be finished, and how much of a backlog takes one more. */
const PATIENCE = 30;
const BACKLOG_PER_ROUND = 100;

/** Changes of each task that wait when the storm begins: one for each of so many replays. */
const REPLAYS_PER_CHANGE = 500;

/** Replays that a person opens during the storm. */
const SMALL_PILE = 10;

/** Batches of the queue that are delivered at once after the storm. */
const CONCURRENT_BATCHES = 4;

const ALL = 1_000_000;

export async function storm({ seed, steps, faults = 0.03, backlog }: StormOptions) {
  const chance = seededRandom(seed);
  const mails = recordMails();
  const receivers = await startReceivers(chance, { acceptMail: mails.accept });
  const world = await startWorld({
    simulator: { tasks: 8, seed, timeZone: 'UTC' },
    source: SOURCE,
    config: { ...configFor(receivers.url, '30s', false), ...DIVIDED },
  });
  const pack = (gather: string, isRenamed: boolean) =>
    packedConfig(world.simulator, {
      source: SOURCE,
      config: { ...configFor(receivers.url, gather, isRenamed), ...DIVIDED },
    });
  let gather = '30s';
  let isRenamed = false;
  let packed = pack(gather, isRenamed);
  const environment = () => ({ ...world.options.environment, [CONFIG]: packed });
  const receiver = { ...world.options.clientSettings?.secrets, endpoint: receivers.url };
  const clientSettings = { ...world.options.clientSettings, mail: receiver, bus: receiver };
  const cloud = await openCloud({ world, chance, lags: seed % 2 === 1, environment, clientSettings, mails });
  const { invoke, person } = cloud;
  const judge = createMailJudge(world, cloud, mails.bodies);
  const untrue: string[] = [];
  const setup = () => invoke('setup', (functions) => functions.setup());
  const poll = () => invoke('poll', (functions) => functions.poll());
  const tick = () => invoke('tick', (functions) => functions.tick());
  const currentName = (name: string) => (isRenamed ? RENAMED[name] : undefined) ?? name;
  const currentNames = () => [...FIRST_NAMES.map(currentName), ...JUDGED_SUBSCRIPTIONS.map((one) => one.name)];
  const anySubscription = () => chance.pick(currentNames()) ?? '';
  const deploy = () => {
    packed = pack(gather, isRenamed);
    cloud.deploy();
    return setup();
  };
  const changeGather = () => {
    gather = gather === '30s' ? '0s' : '30s';
    return deploy();
  };
  const rename = () => {
    isRenamed = true;
    return deploy();
  };

  const receiverSecrets = world.secrets.values.get(RECEIVER_SECRETS) ?? '';
  const restoreSecrets = () => world.secrets.values.set(RECEIVER_SECRETS, receiverSecrets);

  /** The API is down, and works again with the token of another Administrator. */
  const swapToken = async () => {
    const { simulator, secrets } = world;
    simulator.setFaults({ serverError: { probability: 1 } });
    await poll();
    simulator.setFaults({ serverError: false });
    secrets.values.set(TOKEN_SECRET, chance.pick(simulator.tokens.Administrator) ?? '');
  };

  /** As often as they are here. */
  const acts: readonly (() => unknown)[] = [
    ...times(10, () => changeTask(world.simulator, chance)),
    ...times(2, () => handOver(world.simulator, chance)),
    ...times(2, () => payPart(world.simulator, chance)),
    ...times(2, () => changeNames(world.simulator, chance)),
    ...times(2, () => distortSource(world.simulator, chance)),
    ...times(2, () => clearSource(world.simulator)),
    () => changeRole(world.simulator, world.secrets.values.get(TOKEN_SECRET) ?? '', chance),
    ...times(2, () => restoreRoles(world.simulator)),
    swapToken,
    ...times(6, poll),
    ...times(8, tick),
    ...times(12, cloud.announce),
    ...times(14, cloud.deliver),
    ...times(4, () => receivers.modes.set(chance.pick(PLACES) ?? 'ops', chance.pick(MODES) ?? 'well')),
    ...times(2, () => person((ports) => pause(ports, anySubscription()))),
    ...times(3, () => person((ports) => resume(ports, anySubscription()))),
    ...times(2, cloud.showHidden),
    ...times(4, () => world.secrets.values.delete(RECEIVER_SECRETS)),
    ...times(2, restoreSecrets),
    () => person((ports) => replayFirstEvents(ports, anySubscription())),
    () => person((ports) => retryAll(ports, { limit: 3 })),
    () => person((ports) => pileUp(ports, currentName('ops'), SMALL_PILE)),
    changeGather,
  ];

  const advance = (millis: number) => {
    world.clock.advance(millis);
    world.simulator.account.clock.set(toMillis(world.clock.now()));
  };

  const announceAll = async () => {
    while (cloud.hasChanges()) await cloud.announce();
  };

  /** Without faults, because a process that dies would leave less than was asked for. Nothing of it is delivered yet. */
  const openBacklog = async (): Promise<readonly Delivery[]> => {
    const { account } = world.simulator;
    for (let round = 0; round < backlog / REPLAYS_PER_CHANGE; round++) {
      for (const { id } of account.list('task', {})) account.update('task', String(id), { title: `Title ${round}` });
      advance(MINUTE);
      await poll();
      await announceAll();
    }
    await person((ports) => pileUp(ports, 'ops', backlog));
    return world.stores.deliveries.list({ limit: ALL });
  };

  /** Without faults: runs until nothing is left to do. */
  const settle = async () => {
    await poll();
    await tick();
    await announceAll();
    while (world.queues.count() > 0) await Promise.all(times(CONCURRENT_BATCHES, cloud.deliver).map((act) => act()));
    await cloud.catchUp(1);
    await person(async (ports) => {
      for (const name of currentNames()) await resume(ports, name);
      await retryAll(ports, { status: 'failed', limit: 1000 });
    });
  };

  /** A write that timed out may still take effect, so an empty agenda alone is not the end. */
  const isDone = async () => {
    if ((await findOpenWork(world.stores)).length > 0) return false;
    const all = await world.stores.deliveries.list({ limit: ALL });
    await inParallel(
      all.filter(({ status }) => status === 'pending'),
      ({ id }) => restoreIndexEntry(world, id),
    );
    return all.every(({ status }) => ['settled', 'gathered', 'waiting'].includes(status));
  };

  try {
    await setup();
    await cloud.catchUp(1);
    do {
      advance(MINUTE);
      await poll();
      untrue.push(...(await judge.finishStep()));
    } while (!(await isBaselined(world.stores, ['task', 'person', 'invoice'])));
    const waiting = await openBacklog();
    cloud.storm(faults);
    const renameStep = Math.floor(steps * (0.3 + 0.5 * chance.unit()));
    for (let step = 0; step < steps; step++) {
      if (step === renameStep) await rename();
      advance(chance.pick(JUMPS) ?? 0);
      await cloud.catchUp(chance.unit());
      const some = Array.from({ length: 1 + Math.floor(chance.unit() * 5) }, () => chance.pick(acts));
      await Promise.all(some.map(async (act) => act?.()));
      untrue.push(...(await judge.finishStep()));
    }
    cloud.storm(0);
    clearSource(world.simulator);
    restoreRoles(world.simulator);
    restoreSecrets();
    receivers.modes.clear();
    await setup();
    for (let round = 0; round < PATIENCE + backlog / BACKLOG_PER_ROUND; round++) {
      advance(round % 4 === 3 ? 10 * HOUR : 2 * MINUTE);
      await cloud.catchUp(1);
      await cloud.showHidden();
      await settle();
      untrue.push(...(await judge.finishStep()));
      if (round > 1 && (await isDone())) break;
    }
    const wrong = await checkStorm({
      ...world,
      transitions: cloud.committed.flatMap((record) => transitionFromRecord(record) ?? []),
      accepted: receivers.accepted,
      wanted: WANTED,
      renamed: RENAMED,
      receiverOf: PLACE_OF,
    });
    const inTheEnd = await world.stores.deliveries.list({ limit: ALL });
    const lost = findLostBacklog(waiting, inTheEnd, receivers.accepted, PLACE_OF);
    return {
      ...cloud.injected,
      waiting,
      changes: cloud.committed.length,
      judged: judge.judged,
      wrong: [...untrue, ...wrong, ...lost, ...findRepeated(mails.all.map(withFirstName(RENAMED)))],
      mails: mails.all,
      tokens: world.simulator.tokens.Administrator,
    };
  } finally {
    cloud.close();
    await Promise.all([world.stop(), receivers.stop()]);
  }
}

function configFor(url: string, gather: string, isRenamed: boolean) {
  const email = { to: ['ann@example.com'] };
  const http = (path: string) => ({ url: `${url}/${path}`, secret: '${OPS}' });
  const name = (first: string) =>
    isRenamed && first in RENAMED ? { name: RENAMED[first], renamedFrom: first } : { name: first };
  return {
    // Every other deployment has other rules.
    rules: { closedStatuses: gather === '30s' ? ['Closed'] : ['Closed', 'In Progress'] },
    mail: { from: 'Tidings <tidings@example.com>' },
    links: JUDGED_LINKS,
    subscriptions: [
      // With a rate, which all functions share.
      { ...name('ops'), events: WANTED.ops, to: { http: http('ops') }, rate: '50/s' },
      { ...name('team'), events: WANTED.team, to: { email }, gather, template: EVENT_IDS },
      { name: 'daily', events: WANTED.daily, to: { email }, digest: { at: '08:00' }, template: EVENT_IDS },
      { name: 'rules', events: WANTED.rules, to: { bus: { name: 'orders' } } },
      { name: 'watch', events: WANTED.watch, to: { http: http('watch') } },
      ...JUDGED_SUBSCRIPTIONS,
    ],
  };
}
