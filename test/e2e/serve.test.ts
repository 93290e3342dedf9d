/** `tidings serve` as a process: delivery, shutdown, and the lock on its data. test/truth/crash kills it. */

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { SECRET } from '../samples.ts';
import { start, tidings } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let folder: string;
let simulator: Simulator;
let receiver: Receiver;
/** Ids of tasks that can be closed. */
let open: string[];
const children: ReturnType<typeof start>[] = [];

beforeEach(async () => {
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
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all([simulator.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const where = () => ['--config', join(folder, 'tidings.yaml'), '--data', join(folder, 'data')];

/** Starts `serve` and waits until it listens. */
async function serving() {
  const child = start(['serve', ...where(), '--port', '0']);
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await vi.waitFor(() => expect(output).toContain('health'), { timeout: 10_000, interval: 20 });
  return { child, output: () => output };
}

/** Closes the n-th open task, from 1. */
const close = (n: number) => simulator.account.update('task', open[n - 1] ?? '', { statusid: 7 });
const baselined = async (output: () => string) =>
  vi.waitFor(() => expect(output()).toContain('main/task: baseline: 200'), { timeout: 10_000, interval: 20 });

describe('tidings serve', () => {
  it('delivers events, serves /health, and exits with 0 on SIGTERM', async () => {
    const { child, output } = await serving();
    await baselined(output);
    close(4);
    await vi.waitFor(() => expect(receiver.events).toMatchObject([{ subject: `task/${open[3]}` }]), {
      timeout: 10_000,
    });
    const [, health = ''] = /health +(\S+)/.exec(output()) ?? [];
    expect(await (await fetch(health)).json()).toMatchObject({
      status: 'ok',
      scans: expect.arrayContaining([expect.objectContaining({ source: 'main', resource: 'task', failures: 0 })]),
    });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output()).toMatch(/task\.closed {2}Task “.*” was closed .* → ops {2}204 in \d+ ms/);
  });

  it.each([
    ['asked to stop', []],
    ['it gets the signal twice, directly and from its launcher', [30]],
  ])('finishes the attempt in flight when %s', async (_, again) => {
    const { child, output } = await serving();
    await baselined(output);
    receiver.delay = 1_500;
    close(9);
    await vi.waitFor(() => expect(receiver.inHand).toBe(1), { timeout: 10_000, interval: 20 });
    const asked = Date.now();
    child.kill('SIGTERM');
    for (const pause of again) {
      await new Promise((later) => setTimeout(later, pause));
      child.kill('SIGTERM');
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(Date.now() - asked).toBeLessThan(10_000);
    expect(receiver.events).toHaveLength(1);
    const { stdout } = await tidings(['deliveries', '--data', join(folder, 'data'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'settled', attempts: [{ outcome: 'accepted' }] });
  });

  it('prints one line when a page fails, and keeps running', async () => {
    const { child, output } = await serving();
    await baselined(output);
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    const [, health = ''] = /health +(\S+)/.exec(output()) ?? [];
    const database = new DatabaseSync(join(folder, 'data', 'tidings.db'), { timeout: 5000 });
    database.exec('ALTER TABLE scans RENAME TO elsewhere');
    const broken = await fetch(health);
    expect([broken.status, await broken.text()]).toEqual([500, expect.stringContaining('try again in a moment')]);
    await vi.waitFor(() => expect(errors).toMatch(/^request failed: no such table: scans$/m));
    expect(errors).not.toContain('    at ');
    database.exec('ALTER TABLE elsewhere RENAME TO scans');
    database.close();
    expect((await fetch(health)).status).toBe(200);
  });

  it('exits at once on a second signal', async () => {
    const { child, output } = await serving();
    await baselined(output);
    receiver.delay = 5_000;
    close(9);
    await vi.waitFor(() => expect(receiver.inHand).toBe(1), { timeout: 10_000, interval: 20 });
    const asked = Date.now();
    child.kill('SIGINT');
    setTimeout(() => child.kill('SIGINT'), 600);
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(Date.now() - asked).toBeLessThan(4_000);
  });

  it('rejects a second serve on the same data; other commands still work', async () => {
    const { child, output } = await serving();
    await baselined(output);
    const second = await tidings(['serve', ...where(), '--port', '0']);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toContain(`is served by another tidings (process ${child.pid})`);
    close(11);
    await vi.waitFor(() => expect(receiver.events).toHaveLength(1), { timeout: 10_000 });
    const data = join(folder, 'data');
    expect((await tidings(['events', '--data', data])).stdout).toContain(`task/${open[10]}`);
    expect((await tidings(['deliveries', '--data', data])).code).toBe(0);
    expect((await tidings(['once', ...where(), '--sweep'])).code).toBe(0);
    expect((await tidings(['once', ...where(), '--dry-run'])).code).toBe(0);
    expect(receiver.events).toHaveLength(1);
  });

  it('prints the events of a running serve with --follow', async () => {
    const { output } = await serving();
    await baselined(output);
    const follower = start(['events', '--data', join(folder, 'data'), '--follow', '--json']);
    children.push(follower);
    let seen = '';
    follower.stdout.on('data', (chunk) => {
      seen += chunk;
    });
    close(3);
    await vi.waitFor(() => expect(seen).toContain(`"subject":"task/${open[2]}"`), { timeout: 10_000 });
    follower.kill('SIGINT');
    expect(await once(follower, 'exit')).toEqual([0, null]);
  });
});
