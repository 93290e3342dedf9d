/** `rules.closedStatuses` and a renamed status, as a user meets them: a config file and `tidings once`. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { TidingsEvent } from '../../core/model/event.ts';
import { MINUTE } from '../../core/model/time.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { runCommand } from '../cli/run-command.ts';
import { startStill } from '../simulator/api-client.ts';

let folder: string;
let simulator: Simulator;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-closed-'));
  simulator = await startStill({ tasks: 60 });
});

afterEach(async () => {
  await simulator.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Polls all tasks twice with this list in the config: what a rule makes true is confirmed first. Returns what became overdue. */
async function once(closedStatuses: readonly string[]): Promise<readonly string[]> {
  const config = join(folder, 'tidings.yaml');
  const source = { baseUrl: simulator.url, token: simulator.tokens.Administrator[0] };
  writeFileSync(config, stringify({ source, rules: { closedStatuses }, network: { allowHttp: true } }));
  const flags = ['--config', config, '--data', join(folder, 'data'), '--sweep', '--json'];
  const clock = { now: () => new Date(simulator.account.clock.now()).toISOString() };
  const events: TidingsEvent[] = [];
  for (let polls = 0; polls < 2; polls++) {
    simulator.account.clock.advance(5 * MINUTE);
    const { code, stdout } = await runCommand(['once', ...flags], { clock });
    expect(code).toBe(0);
    events.push(...JSON.parse(stdout).events);
  }
  return events.filter(({ type }) => type === 'task.overdue').map(({ subject }) => subject);
}

const rename = (id: number, name: string) => simulator.account.update('taskstatus', id, { name });

it('a renamed status stays closed until its old name is removed from the config', async () => {
  const { account } = simulator;
  // Closed by its status only: the name of status 5 is Staged.
  account.update('task', 7, { statusid: 5, datedue: '2026-11-02' });
  expect(await once(['Closed', 'Staged'])).toEqual([]);
  rename(5, 'Ready');
  expect(await once(['Closed', 'Staged'])).toEqual([]);
  expect(await once(['Closed'])).toContain('task/7');
  expect(await once(['Closed', 'Staged'])).toEqual([]);
  account.update('task', 8, { statusid: 5, datedue: '2026-11-02' });
  expect(await once(['Closed', 'Staged'])).toEqual(['task/8']);
});

it('a status that had the name of a closed one for a while is open again', async () => {
  const { account } = simulator;
  account.update('task', 7, { statusid: 5, datedue: '2026-11-13' });
  const list = ['Closed', 'Done'];
  expect(await once(list)).toEqual([]);
  rename(5, 'Done');
  expect(await once(list)).toEqual([]);
  rename(5, 'Staged');
  await once(list);
  account.update('task', 8, { statusid: 5, datedue: '2026-11-02' });
  expect(await once(list)).toContain('task/8');
});
