/** `tidings once` and `tidings status` on a machine whose clock differs from the API's. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { HOUR, MINUTE } from '../../core/model/time.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { runCommandAt } from '../cli/run-command.ts';

let folder: string;
let simulator: Simulator;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-clock-'));
  simulator = await startSimulator({ tasks: 40, now: '2026-11-14T23:30:00.000Z', speed: 0, timeZone: 'UTC' });
  const [token] = simulator.tokens.Administrator;
  const resources = Object.fromEntries(['project', 'invoice', 'client', 'person'].map((name) => [name, 'off']));
  writeFileSync(
    join(folder, 'tidings.yaml'),
    stringify({ source: { baseUrl: simulator.url, token, timeZone: 'UTC', resources } }),
  );
});

afterEach(async () => {
  await simulator.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...argv: readonly string[]): Promise<string> {
  const now = new Date(simulator.account.clock.now()).toISOString();
  const place = ['--config', join(folder, 'tidings.yaml'), '--data', join(folder, 'data')];
  const { stdout, stderr } = await runCommandAt(now, [...argv, ...place]);
  expect(stderr).toBe('');
  return stdout;
}

/** Two tasks that are due on 2026-11-14, from 23:30 on that day. The API's `Date` differs from our clock. */
async function startWithTwoDue(offset: number): Promise<readonly [string, string]> {
  simulator.setFaults({ clockOffset: { ms: offset } });
  const [one = '', two = '', ...others] = simulator.account
    .list('task', { excludeclosed: 't' })
    .map(({ id }) => String(id));
  for (const id of [one, two]) simulator.account.update('task', id, { datedue: '2026-11-14' });
  for (const id of others) simulator.account.update('task', id, { datedue: '2026-12-20' });
  await run('once');
  return [one, two];
}

/** Polls every two minutes until this time, as cron would. Returns the subjects of overdue events. */
async function pollUntil(instant: string): Promise<readonly string[]> {
  const subjects: string[] = [];
  while (simulator.account.clock.now() < Date.parse(instant)) {
    simulator.account.clock.advance(2 * MINUTE);
    const { events } = JSON.parse(await run('once', '--json'));
    for (const { type, subject } of events) if (type === 'task.overdue') subjects.push(subject);
  }
  return subjects;
}

describe('a clock that is four minutes ahead of the API', () => {
  it('makes a task overdue after midnight by the API, unless it was closed before', async () => {
    const [closed, late] = await startWithTwoDue(-4 * MINUTE);
    expect(await pollUntil('2026-11-15T00:02:00.000Z')).toEqual([]);
    simulator.account.update('task', closed, { statusid: 7 });
    expect(await pollUntil('2026-11-15T00:04:00.000Z')).toEqual([]);
    expect(await pollUntil('2026-11-15T00:12:00.000Z')).toEqual([`task/${late}`]);
    expect(await run('status')).toContain(
      "  clock      4 minutes ahead of the API's; time-driven events wait for both clocks\n",
    );
  });
});

describe('a clock that is three hours behind the API', () => {
  it('makes a task overdue after its own midnight, unless it was closed before', async () => {
    const [closed, late] = await startWithTwoDue(3 * HOUR);
    expect(await pollUntil('2026-11-14T23:58:00.000Z')).toEqual([]);
    simulator.account.update('task', closed, { statusid: 7 });
    expect(await pollUntil('2026-11-15T00:10:00.000Z')).toEqual([`task/${late}`]);
    expect(await run('status')).toContain(
      "  clock      180 minutes behind the API's; time-driven events wait for both",
    );
  });
});

describe('a clock that is three days ahead of the API', () => {
  it('is the only one that counts, and is reported', async () => {
    const [one, two] = await startWithTwoDue(-72 * HOUR);
    expect((await pollUntil('2026-11-15T00:10:00.000Z')).toSorted()).toEqual([`task/${one}`, `task/${two}`].toSorted());
    expect(await run('status')).toContain('more than a day, so time-driven events follow our clock alone');
  });
});
