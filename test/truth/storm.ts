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
import { between, DAY, HOUR, MINUTE, SECOND, toMillis } from '../../core/model/time.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { startSlack } from '../../simulator/slack/slack.ts';
import { SECRET } from '../samples.ts';
import { movingClock } from './moving-clock.ts';
import { seededRandom } from './seeded-random.ts';
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
  times,
} from './storm-actions.ts';
import { readArrivals } from './storm-arrivals.ts';
import { MAIL_FAULTS, SLACK_FAULTS } from './storm-chat-faults.ts';
import { findOpenWork, findTooLate, isBaselined } from './storm-checks.ts';
import { buildConfig, GUEST, httpTo, MINE, RENAMED, WANTED } from './storm-config.ts';
import { openEmbeddedStorm } from './storm-embedded.ts';
import { checkEmbeddedStorm } from './storm-embedded-checks.ts';
import { createStormJudge } from './storm-judge.ts';
import { MODES, startReceivers } from './storm-receivers.ts';
import { writeSecretFiles } from './storm-secret-files.ts';

export interface StormOptions {
  readonly seed: number;
  readonly steps: number;
  /** Share of port calls that fail. @default 0.02 */
  readonly faults?: number;
  /** Deliveries that are opened at once for one receiver. @default 60 */
  readonly backlog?: number;
}

const FIRST_NAMES = Object.keys(WANTED);

/** Subscriptions whose messages are judged, and no others checked: what they get depends on the time of sending. */
const JUDGED = [MINE, 'dues'];

/** A few hours before the clock changes in Berlin. */
const STARTS = ['2026-10-24T18:00:00.000Z', '2026-03-28T18:00:00.000Z'] as const;

/** The machine's clock is ahead by this much when the storm starts, and is put back once. */
const CLOCK_ERROR = 2 * DAY;

/** Rounds after the storm in which all work must be finished. */
const MAX_SETTLING_ROUNDS = 60;

export async function storm({ seed, steps, faults = 0.02, backlog = 60 }: StormOptions) {
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
  };
  const secretFiles = writeSecretFiles(
    join(folder, 'mounted'),
    { ops: SECRET, bot: slack.token, hook: slack.webhookUrl },
    chance,
  );
  const embedded = openEmbeddedStorm({ folder, chance, clock, environment });
  const { person, command } = embedded;
  const servers = { simulator, url: receivers.url, api: slack.apiUrl, smtp: mailbox.smtpUrl, secrets: secretFiles };
  let deployed = 0;
  let isRenamed = false;
  const writeConfig = () =>
    writeFileSync(embedded.configFile, JSON.stringify(buildConfig({ ...servers, deployed, isRenamed })));
  writeConfig();
  const guestFile = join(folder, 'guest.json');
  writeFileSync(guestFile, JSON.stringify(httpTo(receivers.url, GUEST, ['task.*'])));
  const currentName = (name: string) => (isRenamed ? RENAMED[name] : undefined) ?? name;
  const currentNames = () => [...FIRST_NAMES.map(currentName), ...JUDGED];
  const anySubscription = () => chance.pick(currentNames()) ?? '';

  const deploy = () => {
    deployed = 1 - deployed;
    writeConfig();
    return embedded.restart();
  };
  /** A `serve` that runs may keep the old config for a while. */
  const rename = async () => {
    isRenamed = true;
    writeConfig();
    if (chance.unit() < 0.5) await embedded.restart();
  };
  /** References to the new secrets, from the command's output. The last one counts. */
  const rotations: string[] = [];
  let isRotating = false;
  const rotate = async () => {
    const name = currentName('ops');
    // A rename may be in the config and not applied yet.
    if (isRotating || (await stores.subscriptions.get(name)) === undefined) return;
    isRotating = true;
    const output = await command('subscriptions', 'rotate', name);
    // Refused while an older config is applied, which has the former name: then nothing may have been rotated.
    const [, secret] = /stored at\s+(\S+)/.exec(output) ?? [];
    if (secret !== undefined) rotations.push(secret);
    isRotating = false;
  };
  /** The API is down, and works again with the token of another Administrator. */
  const swapToken = async () => {
    simulator.setFaults({ serverError: { probability: 1 } });
    await embedded.once();
    simulator.setFaults({ serverError: false });
    environment.TOKEN = chance.pick(simulator.tokens.Administrator) ?? '';
    await embedded.restart();
  };
  /** How far the machine's clock is ahead of the account's. */
  let ahead = 0;
  const setAhead = (millis: number) => {
    clock.advance(millis - ahead);
    ahead = millis;
  };
  const advance = (millis: number) => {
    clock.advance(millis);
    simulator.account.clock.set(toMillis(clock.now()) - ahead);
  };

  /** The next `once` must reschedule what waits for the wrong time. */
  const putClockBack = async () => {
    setAhead(0);
    embedded.storm(0);
    await embedded.once();
    embedded.storm(faults);
    embedded.broken.push(...(await findTooLate(stores, clock.now())));
  };

  /** Actions, each as likely as it is listed. */
  const acts: readonly (() => unknown)[] = [
    ...times(10, () => changeTask(simulator, chance)),
    ...times(2, () => changeNames(simulator, chance)),
    ...times(3, () => distortSource(simulator, chance)),
    ...times(2, () => clearSource(simulator)),
    ...times(3, () => handOver(simulator, chance)),
    ...times(2, () => payPart(simulator, chance)),
    () => changeRole(simulator, environment.TOKEN, chance),
    ...times(2, () => restoreRoles(simulator)),
    swapToken,
    ...times(16, () => embedded.serveAwhile()),
    ...times(6, embedded.once),
    ...times(3, () => receivers.modes.set(chance.pick(['ops', 'watch', GUEST]) ?? '', chance.pick(MODES) ?? 'well')),
    ...times(2, () => slack.setFault(chance.pick(SLACK_FAULTS))),
    ...times(2, () => mailbox.setFaults(chance.pick(MAIL_FAULTS) ?? {})),
    ...times(6, secretFiles.vanish),
    ...times(2, secretFiles.restore),
    ...times(2, () => advance(chance.unit() * 5 * SECOND)),
    ...times(2, () => person((ports) => pause(ports, anySubscription()))),
    ...times(3, () => person((ports) => resume(ports, anySubscription()))),
    () => person((ports) => replayFirstEvents(ports, anySubscription())),
    () => person((ports) => retryAll(ports, { limit: 3 })),
    () => person((ports) => pileUp(ports, currentName('ops'), backlog)),
    () => command('subscriptions', 'add', guestFile),
    () => command('subscriptions', 'remove', GUEST),
    () => command('subscriptions', 'test', anySubscription()),
    () => command('subscriptions', chance.pick(['pause', 'resume']) ?? '', anySubscription()),
    () => command(chance.pick(['deliveries', 'subscriptions', 'events']) ?? ''),
    () => simulator.setFaults({ serverError: { probability: 0.5, count: 4 } }),
    ...times(2, rotate),
    ...times(2, embedded.apply),
    ...times(2, embedded.lockDataFile),
    deploy,
  ];

  /** Pauses and resumes concurrently with deliveries. After the last resume nothing may stay held. */
  const flicker = async () => {
    for (const act of times(4, () => changeTask(simulator, chance))) act();
    advance(2 * MINUTE);
    const people = currentNames().map(async (name) => {
      for (const act of [pause, resume, pause, resume, pause, resume]) {
        await sleep(chance.unit() * 20);
        await person((ports) => act(ports, name));
      }
    });
    await Promise.all([embedded.serveAwhile(), embedded.once(), ...people]);
    await judge();
    for (const name of currentNames()) {
      const held = await real.stores.deliveries.list({ status: 'held', subscription: name, limit: 100 });
      embedded.broken.push(...held.map(({ id }) => `${name}: ${id} is held although it was resumed`));
    }
  };

  /** Without faults: runs until no work is left. */
  const settle = async () => {
    for (let round = 0; round < MAX_SETTLING_ROUNDS; round++) {
      const [next] = await findOpenWork(real.stores);
      advance(Math.min(10 * HOUR, Math.max(2 * MINUTE, next === undefined ? 0 : between(clock.now(), next.at))));
      const isServed = round % 3 === 2;
      await (isServed ? embedded.serveAwhile(200) : embedded.once());
      await judge();
      // serve is stopped after a moment and may leave obsolete jobs.
      if (round > 2 && !isServed && (await findOpenWork(real.stores)).length === 0) break;
    }
  };

  const arrivals = readArrivals({ mailbox, slack }, MINE);
  const judge = async () => {
    embedded.broken.push(...(await judging.finishStep(arrivals())).map((problem) => `untrue: ${problem}`));
  };

  const watching = openData(embedded.data);
  const stores = sqliteStores(watching);
  const real = { stores, queue: stores.queue, snapshots: stores.snapshots, feed: stores.snapshots };
  const judging = createStormJudge(real);
  try {
    do {
      advance(MINUTE);
      await embedded.once();
      await judge();
    } while (!(await isBaselined(real.stores, ['task', 'person', 'invoice'])));
    embedded.storm(faults);
    const anyStep = () => Math.floor(steps * (0.3 + 0.5 * chance.unit()));
    const renameStep = anyStep();
    const clockBackStep = anyStep();
    setAhead(CLOCK_ERROR);
    for (let step = 0; step < steps; step++) {
      if (step === clockBackStep) await putClockBack();
      if (step === renameStep) await rename();
      advance(chance.pick(JUMPS) ?? 0);
      const some = Array.from({ length: 1 + Math.floor(chance.unit() * 5) }, () => chance.pick(acts));
      await Promise.all(some.map(async (act) => act?.()));
      await judge();
    }
    embedded.storm(0);
    secretFiles.restore();
    receivers.modes.clear();
    slack.setFault(undefined);
    mailbox.setFaults({});
    clearSource(simulator);
    restoreRoles(simulator);
    await person(async (ports) => {
      for (const name of [...currentNames(), GUEST]) await resume(ports, name);
    });
    await settle();
    await person(async (ports) => {
      for (const name of currentNames()) await retryAll(ports, { status: 'failed', subscription: name, limit: 1000 });
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
      renamed: RENAMED,
      guest: GUEST,
      accepted: receivers.accepted,
      messages: slack.messages.filter(({ by }) => by === 'webhook').map((message) => JSON.stringify(message)),
      secrets: [
        ...simulator.tokens.Administrator,
        SECRET,
        slack.token,
        slack.webhookUrl,
        new URL(slack.webhookUrl).pathname,
      ],
    });
    return {
      ...embedded.injected,
      changes: (await real.feed.read('checks', 100_000)).length,
      sent: embedded.messages.length,
      judged: judging.judged,
      wrong,
    };
  } finally {
    await embedded.close();
    watching.close();
    await Promise.all([simulator.stop(), receivers.stop(), slack.close(), mailbox.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
