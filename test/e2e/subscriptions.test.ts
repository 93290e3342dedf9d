/** The commands that manage subscriptions, replay and retry, against a real receiver. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { runCommand } from '../cli/run-command.ts';
import { SECRET } from '../samples.ts';
import { start, tidings } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const CLOSED = 7;
const RESOURCES = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];

let folder: string;
let simulator: Simulator;
let receiver: Receiver;
let open: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-manage-'));
  simulator = await startSimulator({ tasks: 40 });
  open = simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
  receiver = await startReceiver(SECRET);
  writeFileSync(
    join(folder, 'tidings.yaml'),
    stringify({
      source: {
        baseUrl: simulator.url,
        token: simulator.tokens.Administrator[0],
        resources: Object.fromEntries(RESOURCES.map((name) => [name, 'off'])),
      },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: [{ name: 'ops', events: ['task.closed'], to: { http: { url: receiver.url, secret: '${OPS}' } } }],
    }),
  );
});

afterEach(async () => {
  await Promise.all([simulator.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const environment = { OPS: SECRET };
const run = (...argv: string[]) => runCommand([...argv, '--data', join(folder, 'data')], { environment });
/** As a process of its own. */
const runProcess = (...argv: string[]) => tidings([...argv, '--data', join(folder, 'data')], environment);
const withConfig = (...argv: string[]) => run(...argv, '--config', join(folder, 'tidings.yaml'));
const once = () => withConfig('once', '--sweep');
const close = (id = '') => simulator.account.update('task', id, { statusid: CLOSED });
const ids = () => receiver.events.map(({ id }) => id);

describe('tidings subscriptions', () => {
  it('holds deliveries while paused, and sends them after resume', async () => {
    await once();
    expect((await runProcess('subscriptions', 'pause', 'ops')).stdout).toContain('paused ops');
    close(open[0]);
    close(open[1]);
    await once();
    expect(receiver.events).toEqual([]);
    const listed = await run('subscriptions');
    expect(listed.stdout).toMatch(/ops\s+paused\s+http:\/\/127.0.0.1:\d+\s+task.closed\s+2 held/);
    expect((await run('subscriptions', 'resume', 'ops')).stdout).toContain('2 held deliveries');
    await once();
    expect(receiver.events.map(({ subject }) => subject).toSorted()).toEqual(
      [`task/${open[0]}`, `task/${open[1]}`].toSorted(),
    );
    const [row] = (await run('subscriptions', 'list', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(row).toMatchObject({
      name: 'ops',
      channel: 'http',
      declared: true,
      health: { state: 'ok' },
      deliveries: { held: 0 },
    });
    expect(JSON.stringify(row)).not.toContain('OPS');
  });

  it('sends a test through the real path: signed, marked, valid; and shows the response', async () => {
    const good = await withConfig('subscriptions', 'test', 'ops');
    expect(good.code).toBe(0);
    expect(good.stdout).toMatch(/sent {6}task.closed/);
    expect(good.stdout).toMatch(/response {2}✔ {2}204 in \d+ ms/);
    expect(receiver.events).toMatchObject([{ type: 'task.closed', test: true }]);
    receiver.status = 503;
    const bad = await withConfig('subscriptions', 'test', 'ops', '--json');
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      attempt: { outcome: 'retry', status: 503 },
      delivery: { status: 'failed' },
    });
    expect((await withConfig('subscriptions', 'test', 'ops', '--type', 'invoice.paid')).stderr).toContain(
      'task.closed',
    );
    expect((await withConfig('subscriptions', 'test', 'missing')).stderr).toContain(
      "subscription 'missing' not found; known subscriptions: ops",
    );
  });

  it('adds one that is not in the config, with the same checks, and removes it', async () => {
    await once();
    const file = join(folder, 'more.yaml');
    const write = (change: object) =>
      writeFileSync(
        file,
        stringify({
          name: 'more',
          events: ['task.*'],
          to: { http: { url: receiver.url, secret: '${OPS}' } },
          ...change,
        }),
      );
    write({ where: { data: { rekord: 'x' } }, events: ['tusk.*'] });
    const bad = await withConfig('subscriptions', 'add', file);
    expect(bad.code).toBe(2);
    expect(bad.stderr).toMatch(/events\[0\]: expected an event type/);
    expect(bad.stderr).not.toContain('subscriptions[0]');
    write({ to: { bus: { name: 'orders' } } });
    const bus = await withConfig('subscriptions', 'add', file);
    expect(bus.code).toBe(2);
    expect(bus.stderr).toMatch(/more\.yaml: to\.bus: expected http, slack.* or email:/);
    write({});
    expect((await withConfig('subscriptions', 'add', file)).stdout).toContain('added more: task.* → http://127.0.0.1');
    close(open[0]);
    await once();
    expect(receiver.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['task.closed', 'task.updated']));
    expect((await run('subscriptions', 'remove', 'ops')).stderr).toContain(
      'is declared in the config; remove it there',
    );
    expect((await run('subscriptions', 'remove', 'more')).code).toBe(0);
    expect((await run('subscriptions', 'list')).stdout).not.toContain('more');
    write({ name: 'ops' });
    expect((await withConfig('subscriptions', 'add', file)).stderr).toContain(
      'is declared in the config; change it there',
    );
    const query = ['--query', `task.closed -id:${open[1]}`];
    const both = await withConfig('subscriptions', 'add', file, ...query);
    expect(both.stderr).toContain('events: expected either this key in the file or --query, got both');
    writeFileSync(file, stringify({ name: 'asked', to: { http: { url: receiver.url, secret: '${OPS}' } } }));
    expect((await withConfig('subscriptions', 'add', file, ...query)).stdout).toContain('added asked: task.closed →');
    const before = receiver.events.length;
    close(open[1]);
    close(open[2]);
    await once();
    const subjects = receiver.events.slice(before).map(({ subject }) => subject);
    // `ops` gets both, the added one only one of them.
    expect(subjects.toSorted()).toEqual([`task/${open[1]}`, `task/${open[2]}`, `task/${open[2]}`].toSorted());
  });

  it('prints how many unsent deliveries a removal drops, announces it, and sends them elsewhere on request', async () => {
    await once();
    const file = join(folder, 'more.yaml');
    const to = { http: { url: receiver.url, secret: '${OPS}' } };
    writeFileSync(file, stringify({ name: 'more', events: ['task.closed'], to }));
    await withConfig('subscriptions', 'add', file);
    await run('subscriptions', 'pause', 'more');
    close(open[0]);
    close(open[1]);
    await once();
    receiver.events.length = 0;
    const { code, stdout } = await run('subscriptions', 'remove', 'more');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^removed more\ndropped 2 unsent deliveries of 'more'; /),
    ]);
    expect(stdout).toContain('tidings replay --subscription more --to NAME --data ');
    await once();
    const [removed] = (await run('events', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'subscription.removed');
    expect(removed).toMatchObject({ subject: 'subscription/more', data: { record: { dropped: 2 } } });
    expect((await withConfig('replay', '--subscription', 'more', '--to', 'ops')).stdout).toContain('2 events replayed');
    expect(receiver.events).toHaveLength(2);
    // Added again, it starts with a clean health.
    await withConfig('subscriptions', 'add', file);
    expect((await run('subscriptions')).stdout).toMatch(/more\s+ok/);
  });

  it('rotates the secret: stores it readable by its owner only, prints it once, and signs with both', async () => {
    await once();
    const { stdout } = await run('subscriptions', 'rotate', 'ops');
    const [, secret = ''] = /new secret\s+(whsec_\S+)/.exec(stdout) ?? [];
    const [, path = ''] = /stored at\s+file:(\S+)/.exec(stdout) ?? [];
    expect(readFileSync(path, 'utf8').trim()).toBe(secret);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // The receiver still has the old secret, and verification continues.
    close(open[0]);
    await once();
    expect(receiver.refused).toEqual([]);
    expect(receiver.events).toHaveLength(1);
    const renewed = await startReceiver(secret);
    await receiver.close();
    const config = readFileSync(join(folder, 'tidings.yaml'), 'utf8');
    writeFileSync(join(folder, 'tidings.yaml'), config.replace(receiver.url, renewed.url));
    receiver = renewed;
    close(open[1]);
    await once();
    expect(receiver.refused).toEqual([]);
    expect(receiver.events).toHaveLength(1);
  });
});

describe('tidings replay', () => {
  it('resends one event or a period, with the same ids and a mark, to one subscription', async () => {
    await once();
    close(open[0]);
    close(open[1]);
    await once();
    const sent = ids();
    expect(sent).toHaveLength(2);
    const dry = await withConfig('replay', '--subscription', 'ops', '--since', '1h', '--dry-run');
    expect(dry.stdout).toContain('2 events would be sent to ops; nothing was sent');
    expect(receiver.events).toHaveLength(2);
    const one = await withConfig('replay', '--subscription', 'ops', '--event', sent[0] ?? '');
    expect(one.code).toBe(0);
    expect(ids()).toEqual([...sent, sent[0]]);
    expect(receiver.events[2]).toMatchObject({ replay: true });
    const all = await withConfig('replay', '--subscription', 'ops', '--since', '1h', '--type', '*.closed');
    expect(all.stdout).toContain('2 events replayed to ops, 2 accepted');
    expect(ids().slice(3).toSorted()).toEqual(sent.toSorted());
    receiver.status = 500;
    expect((await withConfig('replay', '--subscription', 'ops', '--since', '1h')).code).toBe(1);
    expect((await run('deliveries', '--status', 'pending')).stdout).toContain('500 from');
  });

  it('counts every event once, whichever process sends it, while serve runs', async () => {
    await once();
    for (const id of open.slice(0, 15)) close(id);
    await once();
    expect(ids()).toHaveLength(15);
    const serving = start(
      ['serve', '--data', join(folder, 'data'), '--config', join(folder, 'tidings.yaml')],
      environment,
    );
    const ended = new Promise((done) => serving.on('close', done));
    try {
      await new Promise<void>((ready) => serving.stdout.once('data', () => ready()));
      const all = await withConfig('replay', '--subscription', 'ops', '--since', '1h', '--json');
      expect(all.code).toBe(0);
      const lines = all.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.map(({ delivery }) => delivery.status)).toEqual(Array(15).fill('settled'));
      expect(ids().slice(15).toSorted()).toEqual(ids().slice(0, 15).toSorted());
      const again = await withConfig('replay', '--subscription', 'ops', '--since', '1h');
      expect([again.code, again.stdout]).toEqual([
        0,
        expect.stringContaining('15 events replayed to ops, 15 accepted'),
      ]);
    } finally {
      serving.kill('SIGTERM');
      await ended;
    }
  });

  it.each([
    [['--since', '1h', '--event', 'evt_1'], 'expected either --event, or --since'],
    [['--event', 'evt_1'], "event 'evt_1' not found"],
  ])('rejects %j', async (argv, message) => {
    await once();
    const ended = await withConfig('replay', '--subscription', 'ops', ...argv);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('tidings deliveries retry', () => {
  it('retries deliveries ahead of schedule', async () => {
    await once();
    close(open[0]);
    receiver.status = 500;
    await once();
    receiver.status = 204;
    const [delivery] = (await run('deliveries', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status: 500 }] });
    expect((await runProcess('deliveries', 'retry', delivery.id)).stdout).toContain(
      '1 delivery will be retried in the next cycle',
    );
    await once();
    expect(receiver.events).toHaveLength(1);
    const over = await run('deliveries', 'retry', delivery.id);
    expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('not found, or already delivered')]);
    expect((await run('deliveries', 'retry')).code).toBe(2);
  });

  it('says until when the receiver is paused, for ids and for a subscription', async () => {
    await once();
    close(open[0]);
    Object.assign(receiver, { status: 429, retryAfter: 3600 });
    await once();
    const listed = (await run('deliveries', '--json')).stdout.trim();
    const { id } = JSON.parse(listed);
    const paused = /ops: receiver paused until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*; its deliveries wait until then/;
    const byId = await run('deliveries', 'retry', id);
    expect([byId.code, byId.stdout]).toEqual([0, expect.stringMatching(paused)]);
    expect((await run('deliveries', 'retry', '--subscription', 'ops')).stdout).toMatch(paused);
    await run('subscriptions', 'resume', 'ops');
    expect((await run('deliveries', 'retry', id)).stdout).not.toContain('paused');
  });
});
