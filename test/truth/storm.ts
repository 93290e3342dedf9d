/**
 * A seeded storm over the embedded mode: the account changes, receivers fail and recover, people pause, resume, replay, add,
 * remove, rotate and deploy, hours pass, and any port call may fail or end its process. Then the faults stop and all work must
 * finish. storm-checks.ts and storm-embedded-checks.ts check the outcome.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { pause, resume } from '../../core/delivery/hold.ts';
import { between, type Clock, fromMillis, HOUR, MINUTE, SECOND, toMillis } from '../../core/model/time.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { type MailboxFaults, startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type SlackFault, startSlack } from '../../simulator/slack/slack.ts';
import { SECRET } from '../samples.ts';
import { seededRandom } from './seeded-random.ts';
import { changeTask, JUMPS, replayFirstEvents, retryAll, STORM_SOURCE, times } from './storm-actions.ts';
import { openEmbeddedStorm } from './storm-embedded.ts';
import { checkEmbeddedStorm } from './storm-embedded-checks.ts';
import { MODES, startReceivers } from './storm-receivers.ts';

export interface StormOptions {
  readonly seed: number;
  readonly steps: number;
  /** Share of port calls that fail. @default 0.02 */
  readonly faults?: number;
}

/** Event types by subscription; the same in every deployment. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  ops: ['task.*'],
  chat: ['task.*'],
  bot: ['task.*'],
  daily: ['task.closed', 'task.reopened', 'task.updated', 'task.overdue'],
  mail: ['task.*'],
  watch: ['subscription.*', 'source.*'],
};
const NAMES = Object.keys(WANTED);

/** A subscription that is added and removed repeatedly by command. */
const GUEST = 'guest';

/** A few hours before the clock changes in Berlin. */
const STARTS = ['2026-10-24T18:00:00.000Z', '2026-03-28T18:00:00.000Z'] as const;

/** Each is equally likely. A delay ends with a cut connection. */
const SLACK_FAULTS: readonly (SlackFault | undefined)[] = [
  undefined,
  { status: 500 },
  { status: 429, retryAfter: 3 },
  { cut: true },
  { delay: 100, cut: true, times: 2 },
  { status: 410, body: 'channel_is_archived', times: 1 },
];
const MAIL_FAULTS: readonly MailboxFaults[] = [
  {},
  { mail: { code: 451, text: 'not now' } },
  { drop: 'mail' },
  { drop: 'thanks' },
  { drop: 'connect' },
  { recipients: { 'ben@example.com': { code: 550, text: 'nobody here' } } },
  { slow: 50 },
];

/** Rounds after the storm in which all work must be finished. */
const MAX_SETTLING_ROUNDS = 60;

export async function storm({ seed, steps, faults = 0.02 }: StormOptions) {
  const chance = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'tidings-storm-'));
  const start = STARTS[seed % STARTS.length] ?? STARTS[0];
  const clock = movingClock(start);
  const simulator = await startSimulator({ seed, tasks: 8, quota: 1_000_000, now: start });
  const [receivers, slack, mailbox] = await Promise.all([
    startReceivers(chance),
    startSlack({ perSecond: Number.POSITIVE_INFINITY }),
    startMailbox(),
  ]);
  const environment = {
    TOKEN: simulator.tokens.Administrator[0] ?? '',
    OPS: SECRET,
    BOT: slack.token,
    HOOK: slack.webhookUrl,
  };
  const embedded = openEmbeddedStorm({ folder, chance, clock, environment });
  const { person, command } = embedded;
  const configFor = (deployed: number) =>
    buildConfig({ simulator, deployed, url: receivers.url, api: slack.apiUrl, smtp: mailbox.smtpUrl });
  let deployed = 0;
  const writeConfig = () => writeFileSync(embedded.configFile, JSON.stringify(configFor(deployed)));
  writeConfig();
  const guestFile = join(folder, 'guest.json');
  writeFileSync(guestFile, JSON.stringify(httpTo(receivers.url, GUEST, ['task.*'])));
  const anySubscription = () => chance.pick(NAMES) ?? '';

  const deploy = () => {
    deployed = 1 - deployed;
    writeConfig();
    return embedded.restart();
  };
  /** References to the new secrets, from the command's output. The last one counts. */
  const rotations: string[] = [];
  let isRotating = false;
  const rotate = async () => {
    if (isRotating) return;
    isRotating = true;
    const output = await command('subscriptions', 'rotate', 'ops');
    rotations.push(/stored at\s+(\S+)/.exec(output)?.[1] ?? `not found in: ${output}`);
    isRotating = false;
  };
  const advance = (millis: number) => {
    clock.advance(millis);
    simulator.account.clock.set(toMillis(clock.now()));
  };

  /** Actions, each as likely as it is listed. */
  const acts: readonly (() => unknown)[] = [
    ...times(10, () => changeTask(simulator, chance)),
    ...times(16, () => embedded.serveAwhile()),
    ...times(6, embedded.once),
    ...times(3, () => receivers.modes.set(chance.pick(['ops', 'watch', GUEST]) ?? '', chance.pick(MODES) ?? 'well')),
    ...times(2, () => slack.setFault(chance.pick(SLACK_FAULTS))),
    ...times(2, () => mailbox.setFaults(chance.pick(MAIL_FAULTS) ?? {})),
    ...times(2, () => advance(chance.unit() * 5 * SECOND)),
    ...times(2, () => person((ports) => pause(ports, anySubscription()))),
    ...times(3, () => person((ports) => resume(ports, anySubscription()))),
    () => person((ports) => replayFirstEvents(ports, anySubscription())),
    () => person((ports) => retryAll(ports, { limit: 3 })),
    () => command('subscriptions', 'add', guestFile),
    () => command('subscriptions', 'remove', GUEST),
    () => command('subscriptions', 'test', anySubscription()),
    () => command('subscriptions', chance.pick(['pause', 'resume']) ?? '', anySubscription()),
    () => command(chance.pick(['deliveries', 'subscriptions', 'events']) ?? ''),
    () => simulator.setFaults({ serverError: { probability: 0.5, count: 4 } }),
    ...times(2, rotate),
    ...times(2, embedded.apply),
    deploy,
  ];

  /** Pauses and resumes concurrently with deliveries. After the last resume nothing may stay held. */
  const flicker = async () => {
    for (const act of times(4, () => changeTask(simulator, chance))) act();
    advance(2 * MINUTE);
    const people = NAMES.map(async (name) => {
      for (const act of [pause, resume, pause, resume, pause, resume]) {
        await sleep(chance.unit() * 20);
        await person((ports) => act(ports, name));
      }
    });
    await Promise.all([embedded.serveAwhile(), embedded.once(), ...people]);
    for (const name of NAMES) {
      const held = await real.stores.deliveries.list({ status: 'held', subscription: name, limit: 100 });
      embedded.broken.push(...held.map(({ id }) => `${name}: ${id} is held although it was resumed`));
    }
  };

  /** Without faults: runs until no work is left. */
  const settle = async () => {
    for (let round = 0; round < MAX_SETTLING_ROUNDS; round++) {
      const [next] = await real.stores.agenda.due('9999', 1);
      advance(Math.min(10 * HOUR, Math.max(2 * MINUTE, next === undefined ? 0 : between(clock.now(), next.at))));
      const isServed = round % 3 === 2;
      await (isServed ? embedded.serveAwhile(200) : embedded.once());
      // serve is stopped after a moment and may leave obsolete jobs.
      if (round > 2 && !isServed && (await real.stores.agenda.due('9999', 1)).length === 0) break;
    }
  };

  const watching = openData(embedded.data);
  const stores = sqliteStores(watching);
  const real = { stores, queue: stores.queue, snapshots: stores.snapshots, feed: stores.snapshots };
  try {
    do {
      advance(MINUTE);
      await embedded.once();
    } while ((await real.stores.scanStates.get('main', 'task'))?.baselinedAt == null);
    embedded.storm(faults);
    for (let step = 0; step < steps; step++) {
      advance(chance.pick(JUMPS) ?? 0);
      const some = Array.from({ length: 1 + Math.floor(chance.unit() * 5) }, () => chance.pick(acts));
      await Promise.all(some.map(async (act) => act?.()));
    }
    embedded.storm(0);
    receivers.modes.clear();
    slack.setFault(undefined);
    mailbox.setFaults({});
    simulator.setFaults({ serverError: false });
    await person(async (ports) => {
      for (const name of [...NAMES, GUEST]) await resume(ports, name);
    });
    await settle();
    await person(async (ports) => {
      for (const name of NAMES) await retryAll(ports, { status: 'failed', subscription: name, limit: 1000 });
    });
    for (const act of times(6, flicker)) await act();
    await settle();
    const wrong = await checkEmbeddedStorm({
      ...real,
      simulator,
      clock,
      embedded,
      rotations,
      wanted: WANTED,
      guest: GUEST,
      accepted: receivers.accepted,
      messages: slack.messages.filter(({ by }) => by === 'webhook').map((message) => JSON.stringify(message)),
      secrets: [...Object.values(environment), new URL(slack.webhookUrl).pathname],
    });
    return {
      ...embedded.injected,
      changes: (await real.feed.read('checks', 100_000)).length,
      sent: embedded.messages.length,
      wrong,
    };
  } finally {
    await embedded.close();
    watching.close();
    await Promise.all([simulator.stop(), receivers.stop(), slack.close(), mailbox.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A clock that starts at an instant, runs in real time and can be advanced. */
function movingClock(start: string): Clock & { advance(millis: number): void } {
  let begun = toMillis(start) - performance.now();
  return {
    now: () => fromMillis(Math.floor(begun + performance.now())),
    advance: (millis) => {
      begun += millis;
    },
  };
}

interface ConfigOptions {
  readonly simulator: Simulator;
  readonly deployed: number;
  readonly url: string;
  readonly api: string;
  readonly smtp: string;
}

/** A template with the event ids, so that checks can find the events in a message. */
const IDS = { text: '{% for one in events %}{{ one.event.id }} {% endfor %}' };

function buildConfig({ simulator, deployed, url, api, smtp }: ConfigOptions) {
  const [gather, quiet, at] =
    deployed === 0
      ? ['30s', { from: '22:00', until: '06:00' }, '08:00']
      : // On a clock change this time exists twice, or not at all.
        ['0s', { from: '01:30', until: '02:30' }, '02:30'];
  const fast = { rate: '50/s' };
  return {
    source: {
      baseUrl: simulator.url,
      token: '${TOKEN}',
      timeZone: 'Europe/Berlin',
      quota: { perMinute: 100_000 },
      ...STORM_SOURCE,
    },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    mail: { from: 'Tidings <tidings@example.com>', smtp },
    subscriptions: [
      { ...httpTo(url, 'ops', WANTED.ops), ...fast },
      { name: 'chat', events: WANTED.chat, to: { slack: { webhook: '${HOOK}' } }, gather, template: IDS, ...fast },
      {
        name: 'bot',
        events: WANTED.bot,
        to: { slack: { token: '${BOT}', channel: '#projects', api } },
        quiet,
        ...fast,
      },
      { name: 'daily', events: WANTED.daily, to: { email: { to: ['ann@example.com'] } }, digest: { at } },
      {
        name: 'mail',
        events: WANTED.mail,
        to: { email: { to: ['ann@example.com', 'ben@example.com'] } },
        gather,
        quiet,
      },
      httpTo(url, 'watch', WANTED.watch),
    ],
  };
}

const httpTo = (url: string, name: string, events: readonly string[] = []) => ({
  name,
  events,
  to: { http: { url: `${url}/${name}`, secret: '${OPS}' } },
});
