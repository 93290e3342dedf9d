/** The lists of events and deliveries as people read them. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { delivery, event, NOON, snapshot } from '../samples.ts';
import { runCommandAt } from './run-command.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'tidings-lists-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

async function record(...deliveries: readonly Delivery[]): Promise<void> {
  const database = openData(data);
  await sqliteStores(database).events.record([{ event: event('1'), deliveries: [...deliveries] }]);
  database.close();
}

async function recordEvents(...events: readonly TidingsEvent[]): Promise<void> {
  const database = openData(data);
  await sqliteStores(database).events.record(events.map((one) => ({ event: one, deliveries: [] })));
  database.close();
}

async function setZone(timeZone: string): Promise<void> {
  const database = openData(data);
  const health = snapshot('main', {
    key: { source: 'main', resource: 'source', id: 'main' },
    record: { id: 'main', name: 'main', state: 'ok', timeZone, timeZoneFrom: 'user' },
  });
  await sqliteSnapshotStore(database).commit([{ snapshot: health, expected: 0 }]);
  database.close();
}

const run = async (...argv: readonly string[]) => (await runCommandAt(NOON, [...argv, '--data', data])).stdout;

describe('the list of deliveries', () => {
  it('shows the id that retry takes, and marks its times as UTC', async () => {
    const one = delivery('1', 'ops');
    await record(one);
    expect(await run('deliveries')).toBe(`2026-11-14 12:00:00Z  pending  ops  ${one.id}  evt_1  0 attempts\n`);
  });

  it('shows times in the zone of the account, and names it', async () => {
    await record(delivery('1', 'ops'));
    await setZone('Europe/Berlin');
    const { stdout, stderr } = await runCommandAt(NOON, ['deliveries', '--data', data]);
    expect(stdout).toMatch(/^2026-11-14 13:00:00\+01:00 {2}pending/);
    expect(stderr).toBe('times in Europe/Berlin\n');
    const events = await runCommandAt(NOON, ['events', '--data', data]);
    expect(events.stdout).toMatch(/^2026-11-14 13:00:00\+01:00 {2}task\.closed/);
    expect(events.stderr).toBe('times in Europe/Berlin\n');
    expect((await runCommandAt(NOON, ['events', '--data', data, '--json'])).stderr).toBe('');
  });

  it('shows only the first event of a message with many', async () => {
    const events = Array.from({ length: 300 }, (_, index) => `evt_${index + 1}`);
    const one = delivery('1', 'team', { events });
    await record(one);
    expect(await run('deliveries')).toContain(`  ${one.id}  evt_1 and 299 more  0 attempts\n`);
    expect(JSON.parse(await run('deliveries', '--json')).events).toHaveLength(300);
  });
});

describe('the list of events', () => {
  it('shows the ids that explain and replay take, and marks its times as UTC', async () => {
    await record();
    expect(await run('events')).toMatch(/^2026-11-14 12:00:00Z {2}task\.closed {2}task\/1 {2}Task .* {2}evt_1\n$/);
  });
});

describe('one change', () => {
  it('is one line with all its types; --json has each event', async () => {
    const closed = event('1');
    const updated = { ...event('1', { type: 'task.updated' }), id: 'evt_1b' };
    await recordEvents(closed, updated);
    const lines = (await run('events')).trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('task.closed, task.updated');
    expect((await run('events', '--json')).trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('suggested next steps', () => {
  it.each(['events', 'deliveries', 'subscriptions'])('%s without data suggests --data and --aws', async (name) => {
    const { code, stderr } = await runCommandAt(NOON, [name, '--data', join(data, 'nowhere')]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/or use --data or --aws to select other data\n$/)]);
  });

  it('a suggested command uses the same data', async () => {
    await record();
    const { stderr } = await runCommandAt(NOON, ['deliveries', 'retry', 'dlv_no', '--data', data]);
    expect(stderr).toBe(
      `dlv_no: not found, or already delivered; list deliveries with: tidings deliveries --data ${data}\n`,
    );
  });
});

describe('an unknown command', () => {
  it.each([
    [
      ['subscriptions', 'delete', 'ops'],
      "subscriptions: expected one of list, add, pause, resume, test, resubscribe, rotate, remove, export, got 'delete'",
    ],
    [['deliveries', 'show'], "deliveries: expected one of retry, list, got 'show'"],
  ])('is rejected with the list of commands: %j', async (argv, message) => {
    expect(await runCommandAt(NOON, argv)).toMatchObject({ code: 2, stdout: '', stderr: `tidings: ${message}\n` });
  });
});

describe('an invalid time', () => {
  it('is rejected with both accepted formats', async () => {
    const { code, stderr } = await runCommandAt(NOON, ['events', '--since', 'yesterday']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("'2026-11-14T09:00:00Z', or how long ago: '30m', '2h', '7d'"),
    ]);
  });
});

describe('an empty list', () => {
  it.each(['events', 'deliveries'])('of %s is reported on stderr, except with --json', async (name) => {
    openData(data).close();
    const list = (...argv: readonly string[]) => runCommandAt(NOON, [name, '--data', data, ...argv]);
    expect(await list()).toEqual({ code: 0, stdout: '', stderr: `no ${name} found\n` });
    expect(await list('--json')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('help', () => {
  it('describes a command by its summary, and omits defaults of flags', async () => {
    const { stdout } = await runCommandAt(NOON, ['events', '--help']);
    expect(stdout).toContain('\n\nList recorded events, newest last.\n');
    expect(stdout).not.toContain('default: false');
  });

  it('wraps only at the width of the terminal', async () => {
    const { stdout } = await runCommandAt(NOON, ['replay', '--help']);
    const lines = stdout.split('\n\n')[1]?.split('\n') ?? [];
    const roomLeft = lines.slice(1).map((line, at) => `${lines[at]} ${line.split(' ')[0]}`.length <= 80);
    expect(roomLeft.length).toBeGreaterThan(2);
    expect(roomLeft).not.toContain(true);
  });
});
