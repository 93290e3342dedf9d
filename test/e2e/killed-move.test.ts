/** `tidings export` and `import` that are killed at any moment: each continues when it is repeated. */

import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/simulator.ts';
import { runCommand } from '../cli/run-command.ts';
import { startStill } from '../simulator/api-client.ts';
import { start } from './command.ts';

let folder: string;
let simulator: Simulator;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-killed-export-'));
  simulator = await startStill({ tasks: 300 });
  const source = { baseUrl: simulator.url, token: simulator.tokens.Administrator[0], timeZone: 'UTC' };
  writeFileSync(path('tidings.json'), JSON.stringify({ source }));
  await runCommand(['once', '--config', path('tidings.json'), '--data', path('data')]);
});
afterAll(async () => {
  await simulator.stop();
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string) => join(folder, name);

it.each([0, 1, 2, 4, 8, 16])('continues after it was killed %s ms after it had made its file', async (delay) => {
  const [file, target] = [path(`${delay}.tidings`), path(`target-${delay}`)];
  const child = start(['export', file, '--data', path('data')]);
  const ended = new Promise((end) => child.on('close', end));
  while (!existsSync(file) && child.exitCode === null) await setTimeout(1);
  await setTimeout(delay);
  child.kill('SIGKILL');
  await ended;
  const again = await runCommand(['export', file, '--data', path('data')]);
  // One that was complete before it was killed is not written again.
  if (again.code !== 0) expect(again.stderr).toContain('the file is a complete export');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const imported = await runCommand(['import', file, '--config', path('tidings.json'), '--data', target]);
  expect([imported.code, imported.stderr]).toEqual([0, '']);
  expect(imported.stdout).toMatch(/^imported into directory .* records/);
});

it('refuses a database of another kind, also an empty one with tables', async () => {
  const refused = await runCommand(['export', join(path('data'), 'tidings.db'), '--data', path('data')]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('it is another kind of file')]);
});

it('imports what an import that was killed had left, and nothing polls it before', async () => {
  const [file, target] = [path('whole.tidings'), path('half')];
  expect((await runCommand(['export', file, '--data', path('data')])).code).toBe(0);
  const importing = ['import', file, '--config', path('tidings.json'), '--data', target];
  const child = start(importing);
  const ended = new Promise((end) => child.on('close', end));
  const isBegun = () => existsSync(join(target, 'import-unfinished'));
  while (!isBegun() && child.exitCode === null) await setTimeout(1);
  child.kill('SIGKILL');
  await ended;
  expect(isBegun()).toBe(true);
  for (const command of ['once', 'serve']) {
    const { code, stderr } = await runCommand([command, '--config', path('tidings.json'), '--data', target]);
    expect([command, code, stderr]).toEqual([
      command,
      2,
      expect.stringContaining('was interrupted: repeat tidings import'),
    ]);
  }
  const again = await runCommand(importing);
  expect([again.code, again.stderr]).toEqual([0, '']);
  const polled = await runCommand(['once', '--config', path('tidings.json'), '--data', target]);
  expect([polled.code, polled.stdout]).toEqual([0, expect.not.stringContaining('baseline')]);
});
