/** One event end to end: from a task closed in the API to a signed webhook, through the command. */

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { MINUTE } from '../../core/model/time.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { runCommand } from '../cli/run-command.ts';
import { SECRET } from '../samples.ts';
import { tidings } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Id of the simulator's last status. */
const CLOSED = 7;

let folder: string;
let simulator: Simulator;
let receiver: Receiver;
let config: string;
let data: string;
/** Ids of tasks that can be closed. */
let open: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-e2e-'));
  simulator = await startSimulator({ tasks: 60 });
  open = simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
  receiver = await startReceiver(SECRET);
  config = join(folder, 'tidings.yaml');
  data = join(folder, 'data');
  writeFileSync(
    config,
    stringify({
      source: { baseUrl: simulator.url, token: '${TOKEN}', resources: tasksOnly },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: [
        {
          name: 'ops',
          events: ['task.created', 'task.closed'],
          to: { http: { url: receiver.url, secret: '${OPS_SECRET}' } },
        },
      ],
    }),
  );
});

afterEach(async () => {
  await Promise.all([simulator.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Other tests cover the other resources. */
const tasksOnly = Object.fromEntries(
  ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'].map((name) => [
    name,
    'off',
  ]),
);

const environment = () => ({ TOKEN: simulator.tokens.Administrator[0] ?? '', OPS_SECRET: SECRET });
const run = (...argv: string[]) => runCommand(argv, { environment: environment() });
const onceAt = (...argv: string[]) => run('once', '--config', config, '--data', data, ...argv);
const close = (id = '') => simulator.account.update('task', id, { statusid: CLOSED });

describe('tidings once', () => {
  it('reports a source that another process is polling as skipped', async () => {
    await onceAt();
    const database = openDatabase(join(data, 'tidings.db'));
    const now = new Date().toISOString();
    const lease = await sqliteStores(database).leases.acquire('poll/main', 'serve/1', now, MINUTE);
    expect(lease).toBeDefined();
    database.close();
    const ended = await onceAt('--sweep');
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('main: skipped, another process is polling it');
    const json = await onceAt('--sweep', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ scans: [], failedScans: [], leftToAnother: ['main'] });
  });

  it('sends nothing for the baseline, then exactly one signed task.closed for a closed task', async () => {
    expect((await onceAt()).stdout).toContain('baseline: 60 existing records');
    close(open[0]);
    const argv = ['once', '--config', config, '--data', data, '--sweep', '--json'];
    const ended = await tidings(argv, environment());
    expect(ended.code).toBe(0);
    await onceAt('--sweep');
    expect(receiver.refused).toEqual([]);
    expect(receiver.events).toHaveLength(1);
    expect(receiver.events[0]).toMatchObject({
      type: 'task.closed',
      subject: `task/${open[0]}`,
      data: { version: 2, record: { id: open[0], status: 'Closed' }, previous: { dateclosed: null } },
    });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      scans: [{ source: 'main', resource: 'task', kind: 'sweep', seen: 60, created: 0, changed: 1, deleted: 0 }],
      failedScans: [],
      events: [receiver.events[0], { type: 'task.status_changed' }, { type: 'task.updated' }],
      deliveries: [{ subscription: 'ops', status: 'settled', attempt: { number: 1, status: 204 } }],
    });
  });

  it('polls only due resources, by the clock of --at', async () => {
    await onceAt('--at', '2026-11-14T09:00:00Z');
    const polled = async (at: string) => JSON.parse((await onceAt('--at', at, '--json')).stdout).scans.length;
    expect(await polled('2026-11-14T09:04:59Z')).toBe(0);
    expect(await polled('2026-11-14T09:05:00Z')).toBe(1);
  });

  it('applies --at to the event, the attempt and the schedule of the retry', async () => {
    await onceAt('--at', '2030-01-01T00:00:00Z');
    close(open[0]);
    receiver.status = 500;
    const { stdout } = await onceAt('--at', '2030-01-01T00:05:00Z', '--json');
    // The receiver rejects the signature because it is dated in the future; the test only needs the times.
    expect(JSON.parse(stdout)).toMatchObject({
      at: '2030-01-01T00:05:00.000Z',
      events: [{ time: '2030-01-01T00:05:00.000Z', data: { occurred: { after: '2030-01-01T00:00:00.000Z' } } }, {}, {}],
      deliveries: [
        {
          status: 'pending',
          dueAt: expect.stringMatching(/^2030-01-01T00:05:0[4-6]/),
          attempt: { at: '2030-01-01T00:05:00.000Z' },
        },
      ],
    });
  });

  it('retries with the same id after the receiver was down', async () => {
    await onceAt();
    close(open[0]);
    receiver.status = 503;
    expect(await onceAt('--sweep')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 to be retried') });
    receiver.status = 204;
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await onceAt('--at', later)).stdout).toContain('1 delivered');
    expect(receiver.events).toMatchObject([{ type: 'task.closed', subject: `task/${open[0]}` }]);
  });

  it('sends and stores nothing with --dry-run', async () => {
    const temporary = () => readdirSync(tmpdir()).filter((name) => name.startsWith('tidings-dry-run-'));
    // Of a process that was killed.
    const left = temporary();
    const first = await onceAt('--dry-run');
    expect(first.code).toBe(0);
    expect(existsSync(data)).toBe(false);
    await onceAt();
    close(open[0]);
    const dry = await onceAt('--dry-run', '--sweep', '--json');
    expect(JSON.parse(dry.stdout)).toMatchObject({
      dryRun: true,
      events: [{ subject: `task/${open[0]}` }, { type: 'task.status_changed' }, { type: 'task.updated' }],
    });
    expect(receiver.events).toEqual([]);
    expect((await run('events', '--data', data)).stdout).toMatch(/^.*source\.baselined.*\n$/);
    await onceAt('--sweep');
    expect(receiver.events).toHaveLength(1);
    expect(temporary().filter((name) => !left.includes(name))).toEqual([]);
  });

  it('exits with 1 and the reason when the API cannot be read', async () => {
    await simulator.stop();
    const ended = await onceAt();
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/main\/task: scan failed: .* did not answer/),
    });
    simulator = await startSimulator({ tasks: 1 });
  });

  it('exits with 1 when the token is rejected, and does not print it', async () => {
    const ended = await runCommand(['once', '--config', config, '--data', data], {
      environment: { TOKEN: 'hunter2', OPS_SECRET: SECRET },
    });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('refused the token') });
    expect(ended.stdout + ended.stderr).not.toContain('hunter2');
  });
});

describe('tidings events and deliveries', () => {
  beforeEach(async () => {
    await onceAt();
    close(open[0]);
    const { projectid, moduleid } = simulator.account.read('task', open[0] ?? '') ?? {};
    const fields = { projectid, moduleid, statusid: 1, priorityid: 1, ownerid: 1, dateopen: '2026-11-14' };
    simulator.account.create('task', { ...fields, title: 'Call the printer' });
    await onceAt('--sweep');
  });

  it('lists events, newest last', async () => {
    const { stdout, code } = await run('events', '--data', data, '--type', 'task.c*');
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+01:00 {2}task\.closed {3}task\/\d+ +Task “.*” was closed \(.*\) {2}evt_[0-9a-f]{32}$/,
      ),
      expect.stringMatching(
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+01:00 {2}task\.created {2}task\/61 {2}Task “Call the printer” was created \(/,
      ),
    ]);
  });

  it('filters by type, subject and time; --json prints one envelope per line', async () => {
    const lines = async (...argv: string[]) =>
      (await run('events', '--data', data, '--json', ...argv)).stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    expect((await lines()).map(({ type }) => type)).toEqual([
      'source.baselined',
      'task.closed',
      'task.status_changed',
      'task.updated',
      'task.created',
    ]);
    expect(await lines('--type', 'task.c*')).toEqual(receiver.events);
    expect(await lines('--type', 'task.c*ed')).toHaveLength(2);
    expect(await lines('--type', 'task.closed')).toMatchObject([{ subject: `task/${open[0]}` }]);
    expect(await lines('--subject', 'task/61')).toMatchObject([{ type: 'task.created' }]);
    expect(await lines('--since', '1h')).toHaveLength(5);
    expect(await lines('--since', '2100-01-01T00:00:00Z')).toEqual([]);
  });

  it('lists deliveries by status and subscription', async () => {
    const { stdout } = await run('deliveries', '--data', data);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(stdout).toMatch(
      /^\S+ \S+\+01:00 {2}settled {2}ops {2}dlv_[0-9a-f]{32} {2}evt_[0-9a-f]{32} {2}1 attempt {2}204 in \d+ ms/m,
    );
    expect((await run('deliveries', '--data', data, '--status', 'failed')).stdout).toBe('');
    const json = await run('deliveries', '--data', data, '--subscription', 'ops', '--json');
    expect(
      json.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual(['settled', 'settled']);
    expect(json.stdout).not.toContain(SECRET);
  });
});
