/** Faults of our own that pass: a secret that is missing for a moment, and a data file that another program locks. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { DAY, fixedClock, HOUR, type Instant, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { assertSecretFiles } from '../../../runtime/embedded/assert-secret-files.ts';
import { type Embedded, openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { serve } from '../../../runtime/embedded/serve.ts';
import { systemClock } from '../../../runtime/system-clock.ts';
import { type Receiver, startReceiver } from '../../e2e/receiver.ts';
import { event, SECRET, snapshot } from '../../samples.ts';

/** The receiver checks timestamps: each test ends at about the real time. */
const NOW = systemClock.now();

let folder: string;
let receiver: Receiver;
let opened: Embedded[];
const reports: string[] = [];
const secretFile = () => join(folder, 'secret');

const config = () =>
  parseConfig(
    'test.json',
    JSON.stringify({
      source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: [
        { name: 'ops', events: ['task.created'], to: { http: { url: receiver.url, secret: `file:${secretFile()}` } } },
      ],
    }),
    {},
  );

async function open(clock = systemClock): Promise<Embedded> {
  const database = openDatabase(join(folder, 'tidings.db'), { report: (line) => reports.push(line) });
  const embedded = await openEmbedded({
    config: config(),
    database,
    environment: {},
    clock,
    holder: 'test',
    random: () => 0.5,
  });
  opened.push(embedded);
  return embedded;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-own-faults-'));
  receiver = await startReceiver(SECRET);
  opened = [];
  reports.length = 0;
  writeFileSync(secretFile(), SECRET);
});
afterEach(async () => {
  await Promise.all(opened.map((embedded) => embedded.close()));
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

async function record({ events, queue }: Embedded, count: number, at: Instant): Promise<void> {
  const announcements = Array.from({ length: count }, (_, n) => {
    const one = event(String(n + 1), { id: `evt_${String(n + 1).padStart(32, '0')}` });
    return { event: one, deliveries: [openDelivery(one, 'ops', at)] };
  });
  await events.record(announcements);
  await queue.send(
    announcements.flatMap(({ deliveries }) =>
      deliveries.map(({ id }) => ({ kind: 'attempt', delivery: id, attempt: 1, group: 'ops' })),
    ),
    at,
  );
}

/** Makes all attempts that are due at this time. */
async function run(at: Instant): Promise<Embedded> {
  const embedded = await open(fixedClock(at));
  while ((await tick(embedded)) + (await deliverAll(embedded, {})) > 0);
  return embedded;
}

describe('a secret file', () => {
  it.each([
    ['missing', () => rmSync(secretFile())],
    ['empty', () => writeFileSync(secretFile(), '\n')],
    ['half written', () => writeFileSync(secretFile(), SECRET.slice(0, 20))],
  ])('that is %s for a moment fails nothing', async (_, breakSecret) => {
    await record(await open(), 55, NOW);
    breakSecret();
    const broken = await run(NOW);
    expect(receiver.events).toEqual([]);
    expect(await readHealth(broken, 'ops')).toMatchObject({ state: 'ok', failingSince: null });
    expect(await broken.deliveries.list({ status: 'pending', limit: 99 })).toHaveLength(55);
    writeFileSync(secretFile(), SECRET);
    const repaired = await run(plus(NOW, 10 * SECOND));
    expect(receiver.events).toHaveLength(55);
    const settled = await repaired.deliveries.list({ status: 'settled', limit: 99 });
    expect(settled).toHaveLength(55);
    expect(settled[0]?.attempts).toMatchObject([{ outcome: 'retry', ownFault: 1 }, { outcome: 'accepted' }]);
  });

  it('that is missing for days uses up no attempt of the receiver, and the operator is informed', async () => {
    const start = plus(NOW, -3 * DAY);
    await record(await open(), 1, start);
    rmSync(secretFile());
    for (let hour = 0; hour < 72; hour++) await run(plus(start, hour * HOUR));
    const embedded = await run(plus(NOW, -HOUR));
    expect(await readHealth(embedded, 'ops')).toMatchObject({
      state: 'failing',
      reason: expect.stringMatching('file:'),
    });
    writeFileSync(secretFile(), SECRET);
    receiver.status = 503;
    const refused = await run(NOW);
    // The first attempt of the receiver: the next one follows after five seconds.
    expect(await refused.deliveries.list({ limit: 9 })).toMatchObject([
      { status: 'pending', dueAt: plus(NOW, 5 * SECOND) },
    ]);
    receiver.status = 204;
    await run(plus(NOW, MINUTE));
    expect(receiver.events).toHaveLength(1);
  });

  it('that is missing at start is reported with its subscription', async () => {
    await assertSecretFiles(config());
    rmSync(secretFile());
    await expect(assertSecretFiles(config())).rejects.toThrow(/subscription 'ops': 'file:.*secret' could not be read/);
  });
});

describe('a data file that another program locks', () => {
  /** Holds the write lock of the data file from another process for this many milliseconds. */
  async function lockFor(millis: number): Promise<ChildProcess> {
    const script = `
      const { DatabaseSync } = require('node:sqlite');
      const db = new DatabaseSync(process.argv[1]);
      db.exec('BEGIN EXCLUSIVE');
      console.log('locked');
      setTimeout(() => db.exec('COMMIT'), Number(process.argv[2]));`;
    const child = spawn(process.execPath, ['-e', script, join(folder, 'tidings.db'), String(millis)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await onceEmitted(child.stdout, 'data');
    return child;
  }

  it('delays serve and does not end it, and each event is sent once', async () => {
    const embedded = await open();
    const stop = new AbortController();
    const serving = serve(embedded, {}, stop.signal);
    const commit = (id: string) =>
      embedded.snapshots.commit([{ snapshot: snapshot(id, { committedAt: systemClock.now() }), expected: 0 }]);
    // The response arrives while the file is locked: its outcome waits for the lock.
    receiver.delay = 300;
    await commit('1');
    await vi.waitFor(() => expect(receiver.inHand).toBe(1), { timeout: 30_000, interval: 5 });
    const child = await lockFor(6_500);
    const ended = onceEmitted(child, 'exit');
    let longestBlock = 0;
    for (let at = performance.now(); child.exitCode === null; ) {
      await pause(50);
      longestBlock = Math.max(longestBlock, performance.now() - at);
      at = performance.now();
    }
    await ended;
    await commit('2');
    await vi.waitFor(() => expect(receiver.events).toHaveLength(2), { timeout: 30_000, interval: 20 });
    stop.abort();
    await serving;
    expect(await embedded.deliveries.list({ status: 'settled', limit: 9 })).toHaveLength(2);
    expect(reports).toMatchObject(
      [/cannot be written, waiting: .*locked/, /can be written again after \d+ s/].map((line) =>
        expect.stringMatching(line),
      ),
    );
    expect(longestBlock).toBeLessThan(4_000);
  });
});
