/**
 * This version continues a data file written by version 0.1.0 (`fixtures/data-0.1.0.db.gz`): no event or message is
 * repeated, and all open work is finished.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand, runCommandAt } from '../cli/run-command.ts';
import { SECRET } from '../samples.ts';
import { makeChanges, openUpgradeWorld, type UpgradeWorld } from './upgrade-world.ts';

/** Ids that version 0.1.0 gave the two task.closed events. */
const CLOSINGS = ['evt_23c6c96e8e97f90cff9fe96e16bf0753', 'evt_4fa855cfa94737870cc934b961e3e8c0'];

let folder: string;
let world: UpgradeWorld;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-upgrade-'));
  mkdirSync(join(folder, 'data'));
  const fixture = readFileSync(join(import.meta.dirname, 'fixtures/data-0.1.0.db.gz'));
  writeFileSync(join(folder, 'data/tidings.db'), gunzipSync(fixture));
  world = await openUpgradeWorld(folder);
  makeChanges(world.simulator);
});

afterEach(async () => {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...argv: string[]) => runCommand([...argv, '--data', join(folder, 'data')]);

async function runOnceAt(instant: string, ...argv: string[]) {
  world.simulator.account.clock.set(instant);
  const { code, stdout, stderr } = await run('once', '--config', world.config, '--at', instant, '--json', ...argv);
  // The old version created the directory and the file with the default mode.
  expect({ code, stderr: stderr.replaceAll(/.* it is private now\n/g, '') }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as { events: { id: string; type: string }[]; failedScans: unknown[] };
}

describe('a data file of version 0.1.0', () => {
  it('repeats no event when every record is read again, and retries pending deliveries', async () => {
    const report = await runOnceAt('2026-03-02T09:50:00.000Z', '--sweep');
    expect(report.events).toEqual([]);
    expect(world.posts.toSorted()).toEqual(CLOSINGS.map((id) => `/flaky ${id}`));
    expect(world.mailbox.mails).toEqual([]);
    // The old version stored the literal secrets of the config.
    expect(readFileSync(join(folder, 'data', 'tidings.db'), 'latin1')).not.toContain(SECRET);
  });

  it('sends the waiting digest once, when it is due', async () => {
    await runOnceAt('2026-03-02T15:50:00.000Z');
    expect(world.mailbox.mails).toEqual([]);
    await runOnceAt('2026-03-02T16:00:00.000Z');
    await runOnceAt('2026-03-02T16:10:00.000Z');
    expect(world.mailbox.mails.map(({ envelope }) => envelope.to)).toEqual([['team@example.com']]);
  });

  it('delivers held deliveries when the subscription is resumed', async () => {
    // At the time of the file, not of this machine: `once` runs later.
    const argv = ['subscriptions', 'resume', 'paused', '--data', join(folder, 'data')];
    expect((await runCommandAt('2026-03-02T09:50:00.000Z', argv)).code).toBe(0);
    await runOnceAt('2026-12-01T09:00:00.000Z');
    const paused = world.posts.filter((post) => post.startsWith('/paused'));
    expect(paused.slice(0, 2).toSorted()).toEqual(CLOSINGS.map((id) => `/paused ${id}`));
    expect(new Set(paused).size).toBe(paused.length);
  });

  it('derives the next event with the next version of the record', async () => {
    const { account } = world.simulator;
    const [task] = account.list('task', { excludeclosed: 't' });
    account.clock.set('2026-03-02T09:45:00.000Z');
    account.update('task', String(task?.id), { title: 'Renamed under the new version' });
    const { events } = await runOnceAt('2026-03-02T09:50:00.000Z');
    expect(events.map(({ type }) => type)).toEqual(['task.updated']);
    expect(world.posts.filter((post) => post.startsWith('/healthy'))).toEqual([`/healthy ${events[0]?.id}`]);
  });
});
