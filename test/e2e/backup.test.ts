/** `tidings backup` beside a busy `serve`, and `tidings restore`: nothing is lost, and what was delivered is not sent again. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import type { TidingsEvent } from '../../core/model/event.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { runCommand } from '../cli/run-command.ts';
import { SECRET } from '../samples.ts';
import { validBody } from '../simulator/api-client.ts';
import { tidings } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const PATIENCE = { timeout: 60_000, interval: 20 };

let folder: string;
let simulator: Simulator;
let receiver: Receiver;
const file = (name: string) => join(folder, name);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-backup-'));
  simulator = await startSimulator({ tasks: 300, quota: 10_000_000 });
  receiver = await startReceiver(SECRET);
  const config = {
    source: {
      baseUrl: simulator.url,
      token: simulator.tokens.Administrator[0],
      resources: { task: { every: '1s' } },
      quota: { perMinute: 600 },
    },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [{ name: 'ops', events: ['task.closed'], to: { http: { url: receiver.url, secret: SECRET } } }],
  };
  writeFileSync(file('tidings.yaml'), stringify(config));
});
afterEach(async () => {
  await Promise.all([simulator.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const run = (argv: readonly string[], stop?: AbortSignal) => runCommand(argv, stop === undefined ? {} : { stop });
const once = (data: string, ...argv: string[]) =>
  run(['once', '--config', file('tidings.yaml'), '--data', file(data), ...argv]);

/** Ids of the events that the deliveries of a database have settled. */
function settledIn(database: string): string[] {
  const db = new DatabaseSync(file(database), { readOnly: true });
  const rows = db.prepare("SELECT body FROM deliveries WHERE status = 'settled'").all();
  db.close();
  return rows.flatMap(({ body }) => JSON.parse(String(body)).events);
}

describe('a backup of data that is served', { timeout: 120_000 }, () => {
  it('is complete, private, and continues without a second message', async () => {
    const tasks = simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
    const closeTasks = (count: number) =>
      tasks.splice(0, count).map((id) => {
        simulator.account.update('task', id, { statusid: 7 });
        return `task/${id}`;
      });
    const stop = new AbortController();
    const serve = run(['serve', '--config', file('tidings.yaml'), '--data', file('data'), '--port', '0'], stop.signal);
    await vi.waitFor(
      async () => expect((await run(['events', '--data', file('data')])).stdout).toContain('baselined'),
      PATIENCE,
    );
    const closed = closeTasks(40);
    await vi.waitFor(() => expect(receiver.events.length).toBeGreaterThan(10), PATIENCE);
    // A change every few milliseconds, while another process copies.
    const load = setInterval(() => closed.push(...closeTasks(1)), 10);
    const made = await tidings(['backup', file('backup.db'), '--data', file('data'), '--json']);
    clearInterval(load);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(statSync(file('backup.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.db']);
    await vi.waitFor(() => expect(receiver.events.length).toBeGreaterThanOrEqual(closed.length), PATIENCE);
    stop.abort();
    expect((await serve).code).toBe(0);

    const settled = settledIn('backup.db');
    expect(settled.length).toBeGreaterThan(10);
    const firstTime = new Map(receiver.events.map(({ id, subject }) => [id, subject]));
    receiver.events.length = 0;
    const restored = await run(['restore', file('backup.db'), '--data', file('restored')]);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^restored .* as of .*: \d+ events/) });
    expect(await once('restored', '--sweep')).toMatchObject({ code: 0 });
    // Jobs that were in flight at the moment of the backup are taken again after a minute or two.
    const later = new Date(Date.now() + 300_000).toISOString();
    expect(await once('restored', '--at', later)).toMatchObject({ code: 0 });
    const again = receiver.events.map(({ id }) => id);
    expect(again.filter((id) => settled.includes(id))).toEqual([]);
    // What was sent after the backup is sent again with the same ids, which receivers recognise.
    expect(again.filter((id) => !firstTime.has(id))).toEqual([]);
    expect(new Set([...settled, ...again])).toEqual(new Set(firstTime.keys()));
    expect(new Set(firstTime.values())).toEqual(new Set(closed));
    expect((await once('restored', '--sweep', '--at', later)).stdout).toContain('0 events, 0 delivered');
  });
});

describe('tidings restore', { timeout: 60_000 }, () => {
  it('goes on with versions above all that receivers have, and keeps the id of a change that is found again', async () => {
    const config = parse(readFileSync(file('tidings.yaml'), 'utf8'));
    config.subscriptions[0].events = ['task.*'];
    writeFileSync(file('tidings.yaml'), stringify(config));
    const [often = '', single = '', later = ''] = simulator.account
      .list('task', { excludeclosed: 't' })
      .map(({ id }) => String(id));
    const poll = async (data: string) => {
      receiver.events.length = 0;
      expect(await once(data, '--sweep')).toMatchObject({ code: 0 });
      return [...receiver.events];
    };
    await poll('data');
    expect((await run(['backup', file('backup.db'), '--data', file('data')])).code).toBe(0);
    const held = new Map<string, number>();
    const hold = (events: readonly TidingsEvent[]) => {
      for (const { subject, data } of events) held.set(subject, Math.max(held.get(subject) ?? 0, data.version));
    };
    simulator.account.update('task', single, { title: 'Changed once' });
    const added = String(simulator.account.create('task', validBody('task')).id);
    const firstTime = await poll('data');
    hold(firstTime);
    for (const title of ['First', 'Second', 'Third']) {
      simulator.account.update('task', often, { title });
      hold(await poll('data'));
    }
    expect(firstTime.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([`task/${single}`, `task/${added}`]),
    );
    expect(held.get(`task/${often}`)).toBeGreaterThan(3);

    for (const data of ['restored', 'restored-again']) {
      expect((await run(['restore', file('backup.db'), '--data', file(data)])).code).toBe(0);
      const again = await poll(data);
      expect(again.map(({ id }) => id)).toEqual(expect.arrayContaining(firstTime.map(({ id }) => id)));
      expect(again.filter(({ subject, data }) => data.version <= (held.get(subject) ?? 0))).toEqual([]);
      hold(again);
      simulator.account.update('task', later, { title: `Changed in ${data}` });
      const next = await poll(data);
      expect(next.map(({ subject }) => subject)).toContain(`task/${later}`);
      expect(next.filter(({ subject, data }) => data.version <= (held.get(subject) ?? 0))).toEqual([]);
      hold(next);
    }
  });

  it('gives a new id to a change that is made, undone, and made again after the restore', async () => {
    const config = parse(readFileSync(file('tidings.yaml'), 'utf8'));
    config.subscriptions[0].events = ['task.*'];
    writeFileSync(file('tidings.yaml'), stringify(config));
    const [task] = simulator.account.list('task', { excludeclosed: 't' });
    const id = String(task?.id);
    const rename = async (data: string, title: string) => {
      simulator.account.update('task', id, { title });
      receiver.events.length = 0;
      expect(await once(data, '--sweep')).toMatchObject({ code: 0 });
      return receiver.events.filter(({ subject }) => subject === `task/${id}`).map((event) => event.id);
    };
    const title = String(task?.title);
    await rename('data', title);
    expect((await run(['backup', file('backup.db'), '--data', file('data')])).code).toBe(0);
    const made = await rename('data', 'Made');
    expect(made).toHaveLength(1);
    expect(await rename('data', title)).toHaveLength(1);
    expect((await run(['restore', file('backup.db'), '--data', file('restored')])).code).toBe(0);
    expect(await rename('restored', title)).toEqual([]);
    const again = await rename('restored', 'Made');
    expect(again).toHaveLength(1);
    expect(again).not.toEqual(made);
  });

  it.each([
    ['title of a task', 'task', 'title', 'Made'],
    ['name of a project', 'project', 'name', 'Made'],
  ] as const)(
    'gives a new id to a change that is made, undone, and made again before the first scan, if it replaces the data: the %s',
    async (_, resource, field, value) => {
      const config = parse(readFileSync(file('tidings.yaml'), 'utf8'));
      config.subscriptions[0].events = [`${resource}.*`];
      config.source.resources[resource] = { every: '1s' };
      writeFileSync(file('tidings.yaml'), stringify(config));
      const [record] = simulator.account.list(resource, resource === 'task' ? { excludeclosed: 't' } : { active: 't' });
      const id = String(record?.id);
      const change = async (data: string, to: string) => {
        // The API dates changes by the second.
        simulator.account.clock.set(simulator.account.clock.now() + 60_000);
        simulator.account.update(resource, id, { [field]: to });
        receiver.events.length = 0;
        expect(await once(data, '--sweep')).toMatchObject({ code: 0 });
        const own = receiver.events.filter(({ subject }) => subject === `${resource}/${id}`);
        return own.filter(({ type }) => type === `${resource}.updated`).map((event) => event.id);
      };
      await change('data', String(record?.[field]));
      expect((await run(['backup', file('backup.db'), '--data', file('data')])).code).toBe(0);
      const made = await change('data', value);
      const undone = await change('data', String(record?.[field]));
      expect([made.length, undone.length]).toEqual([1, 1]);
      expect((await run(['restore', file('backup.db'), '--data', file('data'), '--force'])).code).toBe(0);
      const again = await change('data', value);
      expect(again).toHaveLength(1);
      expect([...made, ...undone]).not.toContain(again[0]);
    },
  );

  it('brings the secrets that Tidings keeps, also in another directory', async () => {
    await once('data');
    expect((await run(['subscriptions', 'rotate', 'ops', '--data', file('data')])).code).toBe(0);
    const backup = await run(['backup', file('backup.db'), '--data', file('data'), '--json']);
    expect(JSON.parse(backup.stdout)).toMatchObject({
      file: file('backup.db'),
      secrets: readdirSync(file('data/secrets')).length,
    });
    expect((await run(['restore', file('backup.db'), '--data', file('new')])).code).toBe(0);
    rmSync(file('data'), { recursive: true });
    expect(
      readdirSync(file('new/secrets')).every((name) => (statSync(file(`new/secrets/${name}`)).mode & 0o777) === 0o600),
    ).toBe(true);
    // Signs with both secrets of the rotation, whose files it needs.
    expect(
      (await run(['subscriptions', 'test', 'ops', '--config', file('tidings.yaml'), '--data', file('new')])).code,
    ).toBe(0);
    expect(receiver.refused).toEqual([]);
  });

  it('replaces nothing without --force, and refuses damaged files', async () => {
    await once('data');
    await run(['backup', file('backup.db'), '--data', file('data')]);
    const refused = [
      [['backup', file('backup.db'), '--data', file('data')], 'exists: name another file'],
      [['backup', file('other.db'), '--data', file('nowhere')], 'no data in directory'],
      [['restore', file('backup.db'), '--data', file('data')], 'exists: name another directory'],
      [['restore', file('none.db'), '--data', file('new')], 'no such file'],
      [['restore', file('tidings.yaml'), '--data', file('new')], "expected a file that 'tidings backup' wrote"],
      [['restore', file('data/tidings.db'), '--data', file('new')], 'no such table: backup_origin'],
    ] as const;
    for (const [argv, words] of refused)
      expect([argv[0], await run(argv)]).toEqual([
        argv[0],
        { code: 2, stdout: '', stderr: expect.stringContaining(words) },
      ]);
    expect(existsSync(file('new'))).toBe(false);
    expect((await run(['backup', file('backup.db'), '--data', file('data'), '--force'])).code).toBe(0);
    expect((await run(['restore', file('backup.db'), '--data', file('data'), '--force'])).code).toBe(0);
    expect((await once('data')).stdout).toContain('0 events');
  });

  it('refuses a directory that is served', async () => {
    await once('data');
    await run(['backup', file('backup.db'), '--data', file('data')]);
    const stop = new AbortController();
    let output = '';
    const argv = ['serve', '--config', file('tidings.yaml'), '--data', file('data'), '--port', '0'];
    const serve = runCommand(argv, { stop: stop.signal, onWrite: (_, text) => (output += text) });
    await vi.waitFor(() => expect(output).toContain('health'), PATIENCE);
    const refused = await tidings(['restore', file('backup.db'), '--data', file('data'), '--force']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is served by another tidings') });
    stop.abort();
    await serve;
  });
});
