/** The short form of the truth run `crash`, and tests that its checks find lost events. */

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { start } from '../e2e/command.ts';
import { event } from '../samples.ts';
import { runCrash } from './crash.ts';
import { findBrokenChains, findMissingEvents } from './journal-checks.ts';

const children: ReturnType<typeof start>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('serve killed at random instants', () => {
  it('loses no event, sends no unrecorded event, and repeats only under the same id', async () => {
    const report = await runCrash({ seed: 5, kills: 5, actionEveryMs: 100, maxLifeMs: 3_000 });
    const { lost, unexpected, unsettled } = report;
    expect({ lost, unexpected, unsettled }).toEqual({ lost: [], unexpected: [], unsettled: [] });
    expect(report.changes).toBeGreaterThan(20);
    expect(report.events).toBeGreaterThan(10);
  });

  it('polls at once after a restart, although the killed process held the lease', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-crash-'));
    const simulator = await startSimulator({ tasks: 20 });
    const config = join(folder, 'tidings.json');
    const source = { baseUrl: simulator.url, token: simulator.tokens.Administrator[0] };
    writeFileSync(config, JSON.stringify({ source }));
    const serve = () => {
      const child = start(['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0']);
      children.push(child);
      let said = '';
      child.stdout.on('data', (chunk) => {
        said += chunk;
      });
      return { child, said: () => said, exited: once(child, 'exit') };
    };
    const leases = () => {
      const database = openDatabase(join(folder, 'data', 'tidings.db'));
      const held = database.prepare(`SELECT name FROM leases WHERE until <> ''`).all();
      database.close();
      return held;
    };
    // A page takes a minute.
    simulator.setFaults({ drip: { ms: 200, bytes: 64 } });
    const first = serve();
    await vi.waitFor(() => expect(leases()).toHaveLength(1), { timeout: 40_000, interval: 50 });
    first.child.kill('SIGKILL');
    await first.exited;
    simulator.setFaults({ drip: false });
    const second = serve();
    // The lease of the first process lasts two more minutes.
    await vi.waitFor(() => expect(second.said()).toContain('main/task: baseline: 20'), { timeout: 40_000 });
    second.child.kill('SIGKILL');
    await second.exited;
    await simulator.stop();
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('the checks', () => {
  const founding = new Map([['task', new Set(['1'])]]);
  const entry = (id: string, before: object | null, after: object | null) => ({
    ...{ seq: 1, at: '', by: '1', resource: 'task', id },
    action: before === null ? ('created' as const) : after === null ? ('deleted' as const) : ('updated' as const),
    before: before as Record<string, string> | null,
    after: after as Record<string, string> | null,
  });

  it('report a creation and a deletion without an event', () => {
    const journal = [entry('2', null, {}), entry('1', {}, null)];
    expect(findMissingEvents(journal, founding, [])).toEqual([
      'task/2: task.created is missing',
      'task/1: task.deleted is missing',
    ]);
    const events = [event('2', { type: 'task.created' }), event('1', { type: 'task.deleted' })];
    expect(findMissingEvents(journal, founding, events)).toEqual([]);
  });

  it('expect no event for a record created and deleted between two polls', () => {
    expect(findMissingEvents([entry('2', null, {}), entry('2', {}, null)], founding, [])).toEqual([]);
  });

  it('report a task that was closed without an event', () => {
    const types = ['task.updated', 'task.closed', 'task.reopened'];
    const events = types.map((type) => event('1', { type }));
    expect(findMissingEvents([entry('1', {}, { status: 'Closed' })], founding, events)).toHaveLength(1);
    expect(findMissingEvents([entry('1', {}, { status: 'Open' })], founding, events)).toEqual([]);
  });

  it('report a change that is missing between two others', () => {
    const change = (version: number, from: string, to: string) => {
      const { data, ...rest } = event('1');
      return { ...rest, data: { ...data, version, changes: [{ field: 'title', from, to }] } };
    };
    expect(findBrokenChains([change(2, 'a', 'b'), change(3, 'b', 'c')])).toEqual([]);
    expect(findBrokenChains([change(2, 'a', 'b'), change(4, 'c', 'd')])).toHaveLength(1);
    expect(findBrokenChains([change(3, 'a', 'b'), change(2, 'b', 'c')])).toHaveLength(1);
  });
});
