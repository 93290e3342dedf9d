/** `tidings serve` as a process: delivery, shutdown, and the lock on its data. test/truth/crash kills it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { runCommand } from '../cli/run-command.ts';
import { SECRET } from '../samples.ts';
import { COMMAND, start, tidings } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let folder: string;
let simulator: Simulator;
let receiver: Receiver;
/** Ids of tasks that can be closed. */
let open: string[];
const children: ReturnType<typeof start>[] = [];

/** For every wait: a loaded machine starts a process in seconds. */
const PATIENCE = { timeout: 30_000, interval: 20 };

async function setUp(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'tidings-serve-'));
  simulator = await startSimulator({ tasks: 200, quota: 10_000_000 });
  open = simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
  expect(open.length).toBeGreaterThanOrEqual(30);
  receiver = await startReceiver(SECRET);
  const http = { url: receiver.url, secret: SECRET };
  writeFileSync(
    join(folder, 'tidings.yaml'),
    stringify({
      source: {
        baseUrl: simulator.url,
        token: simulator.tokens.Administrator[0],
        resources: { task: { every: '1s' } },
        quota: { perMinute: 600 },
      },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: [{ name: 'ops', events: ['task.closed'], to: { http } }],
    }),
  );
}

async function tearDown(): Promise<void> {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all([simulator.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
}

const where = () => ['--config', join(folder, 'tidings.yaml'), '--data', join(folder, 'data')];

/** A busy machine may give the process no time for a second. */
const isHealthy = (url: string) => vi.waitFor(async () => expect((await fetch(url)).status).toBe(200), PATIENCE);

/** On this signal the main thread stands still, as it does while it writes to a disk that hangs. */
const STANDS_STILL = `process.on('SIGUSR2',()=>Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,6000))`;
const PRELOAD = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(STANDS_STILL)}` };

/** Starts `serve` and waits for the end of the baseline. */
async function startServing() {
  const child = start(['serve', ...where(), '--port', '0'], PRELOAD);
  children.push(child);
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  await vi.waitFor(() => expect(output).toContain('main/task: baseline: 200'), PATIENCE);
  const [, health = ''] = /health +(\S+)/.exec(output) ?? [];
  return { child, health, output: () => output, errors: () => errors };
}

/** Closes the n-th open task, from 1. */
const close = (n: number) => simulator.account.update('task', open[n - 1] ?? '', { statusid: 7 });
const received = (n: number) =>
  vi.waitFor(
    () => expect(receiver.events).toContainEqual(expect.objectContaining({ subject: `task/${open[n - 1]}` })),
    PATIENCE,
  );

describe('tidings serve', () => {
  let serving: Awaited<ReturnType<typeof startServing>>;
  beforeAll(async () => {
    await setUp();
    serving = await startServing();
  });
  afterAll(tearDown);

  it('delivers events and serves /health', async () => {
    const { health, output } = serving;
    close(4);
    await received(4);
    const scans = expect.arrayContaining([expect.objectContaining({ source: 'main', resource: 'task', failures: 0 })]);
    await vi.waitFor(
      async () => expect(await (await fetch(health)).json()).toMatchObject({ status: 'ok', scans }),
      PATIENCE,
    );
    await vi.waitFor(
      () => expect(output()).toMatch(/task\.closed {2}Task “.*” was closed .* → ops {2}204 in \d+ ms/),
      PATIENCE,
    );
    expect(output()).toMatch(/task +changes every .*, all records every .* next scan now\n/);
    expect(output()).toMatch(/main\/task: baseline: 200 .*; next scan in /);
  });

  it('tells monitors that it stands still, as on a disk that hangs, and recovers', async () => {
    const { child, health } = serving;
    await isHealthy(health);
    child.kill('SIGUSR2');
    for (const url of [health, health.replace('/health', '/metrics')])
      await vi.waitFor(async () => {
        const from = performance.now();
        const response = await fetch(url);
        const text = await response.text();
        expect([response.status, text]).toEqual([503, expect.stringMatching(/the process has stood still for \d+ s/)]);
        // A second, and the delays of a busy machine.
        expect(performance.now() - from).toBeLessThan(3_000);
      }, PATIENCE);
    await isHealthy(health);
  });

  it('reloads its config on SIGHUP, and keeps running', async () => {
    const { child, health, output } = serving;
    child.kill('SIGHUP');
    await vi.waitFor(() => expect(output()).toContain('config reloaded: 1 source, 1 subscription'), PATIENCE);
    await isHealthy(health);
    close(5);
    await received(5);
  });

  it('prints one line when a page fails, and keeps running', async () => {
    const { health, errors } = serving;
    const database = new DatabaseSync(join(folder, 'data', 'tidings.db'), { timeout: 20_000 });
    // A scan needs the table too, and would end the service: the next one waits for its first response meanwhile.
    simulator.setFaults({ latency: { ms: 5_000 } });
    // A report is shared by the requests of a second.
    await pause(2_000);
    database.exec('ALTER TABLE scans RENAME TO elsewhere');
    const broken = await fetch(health);
    expect([broken.status, await broken.text()]).toEqual([500, expect.stringContaining('try again in a moment')]);
    database.exec('ALTER TABLE elsewhere RENAME TO scans');
    database.close();
    simulator.setFaults({ latency: false });
    await vi.waitFor(() => expect(errors()).toMatch(/^request failed: no such table: scans$/m), PATIENCE);
    expect(errors()).not.toContain('    at ');
    await isHealthy(health);
  });

  it('rejects a second serve on the same data; other commands still work', async () => {
    const second = await tidings(['serve', ...where(), '--port', '0']);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toContain(`is served by another tidings (process ${serving.child.pid})`);
    close(11);
    await received(11);
    const count = receiver.events.length;
    const data = join(folder, 'data');
    expect((await tidings(['events', '--data', data])).stdout).toContain(`task/${open[10]}`);
    expect((await tidings(['deliveries', '--data', data])).code).toBe(0);
    expect((await runCommand(['once', ...where(), '--sweep'])).code).toBe(0);
    expect((await runCommand(['once', ...where(), '--dry-run'])).code).toBe(0);
    expect(receiver.events).toHaveLength(count);
  });

  it('prints the events of a running serve with --follow', async () => {
    const follower = start(['events', '--data', join(folder, 'data'), '--follow', '--json']);
    children.push(follower);
    let seen = '';
    follower.stdout.on('data', (chunk) => {
      seen += chunk;
    });
    close(3);
    await vi.waitFor(() => expect(seen).toContain(`"subject":"task/${open[2]}"`), PATIENCE);
    follower.kill('SIGINT');
    expect(await once(follower, 'exit')).toEqual([0, null]);
  });

  it('exits with 0 on SIGTERM', async () => {
    serving.child.kill('SIGTERM');
    expect(await once(serving.child, 'exit')).toEqual([0, null]);
  });
});

/** Each write to it fails, as on a full disk. */
const FULL_DEVICE = '/dev/full';

describe.skipIf(!existsSync(FULL_DEVICE))('a full disk that has the log', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  it('does not end serve', async () => {
    const log = openSync(FULL_DEVICE, 'w');
    const child = spawn(process.execPath, [...COMMAND, 'serve', ...where(), '--port', '0'], {
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    try {
      const url = await vi.waitFor(() => readFileSync(join(folder, 'data', 'serve.url'), 'utf8').trim(), PATIENCE);
      const metrics = async () => (await fetch(`${url}/metrics`)).text();
      const baseline = /^tidings_records\{.*resource="task".*\} 200$/m;
      await vi.waitFor(async () => expect(await metrics()).toMatch(baseline), PATIENCE);
      close(6);
      await received(6);
      close(7);
      await received(7);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('fails a command whose output is lost', async () => {
    const log = openSync(FULL_DEVICE, 'w');
    const child = spawn(process.execPath, [...COMMAND, 'types'], { stdio: ['ignore', log, 'ignore'] });
    closeSync(log);
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
});

describe('tidings serve with an attempt in flight', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  /** Starts `serve` and waits for a request that the receiver answers after this time. */
  async function startWithAttempt(delay: number) {
    const { child } = await startServing();
    receiver.delay = delay;
    close(9);
    await vi.waitFor(() => expect(receiver.inHand).toBe(1), PATIENCE);
    return child;
  }

  it('finishes it when asked to stop, also by two signals at once: directly and from its launcher', async () => {
    const child = await startWithAttempt(1_500);
    child.kill('SIGTERM');
    // Blocks, because a timer may be late on a loaded machine, and the signals would not be the same one.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(receiver.events).toHaveLength(1);
    const { stdout } = await runCommand(['deliveries', '--data', join(folder, 'data'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'settled', attempts: [{ outcome: 'accepted' }] });
  });

  it('exits at once on a second signal', async () => {
    const child = await startWithAttempt(60_000);
    child.kill('SIGINT');
    const again = setInterval(() => child.kill('SIGINT'), 600);
    // Without a second signal it would exit with 0 after the shutdown timeout.
    expect(await once(child, 'exit')).toEqual([1, null]);
    clearInterval(again);
    expect(receiver.events).toEqual([]);
  });
});
