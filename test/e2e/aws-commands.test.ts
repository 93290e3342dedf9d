/** The commands on a deployed stack: the real functions with emulated tables, queue and parameters. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { DAY, plus } from '../../core/model/time.ts';
import { runCommandAt } from '../cli/run-command.ts';
import { captureOutput } from '../functions/lambda-call.ts';
import { OPS } from '../functions/world.ts';
import { SECRET } from '../samples.ts';
import { type Account, startAccount } from './aws-account.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let receiver: Receiver;
let account: Account;

beforeEach(async () => {
  captureOutput();
  receiver = await startReceiver(SECRET);
  account = await startAccount(receiver.url);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([account.stop(), receiver.close()]);
});

const objects = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

interface Foretold {
  readonly zones: Readonly<Record<string, string>>;
  readonly days: readonly {
    readonly day: string;
    readonly events: readonly { readonly to: readonly string[]; readonly event: { type: string; subject: string } }[];
  }[];
}

/** The jobs on the queue. */
const queued = () => account.world.queues.waiting().map((body) => JSON.parse(body));

describe('events and deliveries', () => {
  it('lists all events of the table, or those of one record', async () => {
    const [first = '', second = ''] = await account.close(2);
    const { code, stdout } = await account.run('events', '--type', 'task.closed', '--json');
    expect(code).toBe(0);
    expect(
      objects(stdout)
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual([first, second].sort());
    const one = await account.run('events', '--subject', second);
    expect(one.stdout).toMatch(new RegExp(`task\\.closed, task\\.status_changed, task\\.updated +${second} `));
    expect(one.stdout).not.toContain(`${first} `);
  });

  it('lists deliveries with their attempts, and retries them ahead of schedule', async () => {
    await account.close(1);
    receiver.status = 500;
    await account.drain();
    const { stdout } = await account.run('deliveries', '--subscription', 'ops', '--json');
    const [delivery] = objects(stdout);
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status: 500 }] });
    expect((await account.run('deliveries', '--status', 'settled')).stdout).toBe('');
    const retried = await account.run('deliveries', 'retry', delivery.id);
    expect([retried.code, retried.stdout]).toEqual([0, '1 delivery will be retried in the next cycle\n']);
    receiver.status = 204;
    await account.world.functions.tick();
    await account.drain();
    expect(receiver.events).toHaveLength(1);
    const over = await account.run('deliveries', 'retry', delivery.id);
    expect([over.code, over.stderr]).toEqual([
      1,
      `${delivery.id}: not found, or already delivered; list deliveries with: tidings deliveries --aws Tidings\n`,
    ]);
  });
});

describe('status and explain', () => {
  it('shows the health of the source in the deployed config', async () => {
    const { code, stdout } = await account.withConfig('status', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      sources: [{ source: 'main', state: 'ok', resources: [{ resource: 'task', count: expect.any(Number) }] }],
      subscriptions: [{ name: 'ops', state: 'ok' }],
    });
  });

  it('forecasts a cadence of seconds as once a minute, the minimum in AWS', async () => {
    const file = join(account.folder, 'often.yaml');
    const text = readFileSync(join(account.folder, 'tidings.yaml'), 'utf8');
    writeFileSync(file, text.replace('invoice: off', 'invoice: off\n    task: { every: 2s }'));
    const { stdout } = await account.run('status', '--json', '--config', file);
    const [{ requestsADay }] = JSON.parse(stdout).sources;
    expect(requestsADay).toBeGreaterThan(1000);
    expect(requestsADay).toBeLessThan(4000);
  });

  it('explains a record from its events, because the tables keep no transitions', async () => {
    const [subject = ''] = await account.close(1);
    await account.drain();
    const { code, stdout } = await account.withConfig('explain', subject);
    expect(code).toBe(0);
    expect(stdout).toContain('● task.closed');
    expect(stdout).toMatch(/✔ {2}ops +delivered .*, 1 attempt, response 204/);
    const [event] = objects((await account.run('events', '--type', 'task.closed', '--json')).stdout);
    const one = await account.withConfig('explain', event.id, '--json');
    expect(JSON.parse(one.stdout)).toMatchObject({
      records: [{ asked: event.id, transitions: [{ changes: event.data.changes, silence: null }] }],
    });
  });

  it('rejects a plaintext secret in the config', async () => {
    const file = join(account.folder, 'here.yaml');
    writeFileSync(file, stringify({ source: { baseUrl: 'https://work.example.com', token: 'very-secret' } }));
    const { code, stderr } = await account.run('status', '--config', file);
    expect([code, stderr]).toEqual([2, expect.stringContaining("source.token: expected 'ssm:/path' or 'secret:name'")]);
    expect(stderr).not.toContain('very-secret');
    const missing = await account.run('status', '--config', 'nowhere.yaml');
    expect([missing.code, missing.stderr]).toEqual([
      2,
      "tidings: config 'nowhere.yaml': no such file; use --config to name the deployed config\n",
    ]);
  });
});

describe('preview, backtest and render', () => {
  it('previews the time-driven events of the stored records and their receivers', async () => {
    const { clock, simulator } = account.world;
    const dayAfter = (days: number) => plus(clock.now(), days * DAY).slice(0, 10);
    const id = String(simulator.account.list('task', { excludeclosed: 't' }).at(-1)?.id);
    simulator.account.update('task', id, { datedue: dayAfter(1) });
    await account.close(1);
    const { code, stdout } = await account.withConfig('preview', '--until', '3d', '--json');
    expect(code).toBe(0);
    const { zones, days }: Foretold = JSON.parse(stdout);
    expect(zones).toEqual({ main: 'UTC' });
    const about = days.flatMap(({ day, events }) => events.map(({ event, to }) => ({ day, to, ...event })));
    expect(about.filter(({ subject }) => subject === `task/${id}`)).toMatchObject([
      { day: dayAfter(2), type: 'task.overdue', to: [] },
    ]);
  });

  it('backtests a subscription on the stored events', async () => {
    const subjects = await account.close(2);
    const file = join(account.folder, 'wish.yaml');
    writeFileSync(file, stringify({ name: 'wish', events: ['task.closed'] }));
    const { code, stdout } = await account.run('backtest', '--subscription', file, '--since', '1h', '--json');
    expect(code).toBe(0);
    const { received, events } = JSON.parse(stdout);
    expect(received).toBe(2);
    expect(events.map(({ subject }: { subject: string }) => subject).sort()).toEqual([...subjects].sort());
    const own = await account.withConfig('backtest', '--subscription', file, '--since', '1h');
    expect(own.stdout).toContain('wish would have received 2 of');
  });

  it('renders a stored event for a subscription of the deployed config', async () => {
    await account.close(1);
    const [event] = objects((await account.run('events', '--type', 'task.closed', '--json')).stdout);
    const { code, stdout } = await account.withConfig('render', '-s', 'ops', '--event', event.id, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ channel: 'http', body: { id: event.id, subject: event.subject } }]);
    const unknown = await account.withConfig('render', '-s', 'ops', '--event', 'evt_none');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('not found; list events with')]);
  });
});

describe('replay', () => {
  it('queues the jobs; the deliver function sends them', async () => {
    const subjects = await account.close(2);
    await account.drain();
    expect(receiver.events).toHaveLength(2);
    const dry = await account.run('replay', '--subscription', 'ops', '--since', '1h', '--dry-run');
    expect(dry.stdout).toContain('2 events would be sent to ops; nothing was sent');
    expect(queued()).toEqual([]);
    const { code, stdout } = await account.run('replay', '--subscription', 'ops', '--since', '1h');
    expect(code).toBe(0);
    expect(stdout).toContain('2 events queued for ops; the deliver function of Tidings sends them');
    expect(queued()).toEqual([
      { delivery: expect.stringMatching(/^dlv_/), attempt: 1, group: 'ops', dueAt: expect.any(String) },
      { delivery: expect.stringMatching(/^dlv_/), attempt: 1, group: 'ops', dueAt: expect.any(String) },
    ]);
    expect(receiver.events).toHaveLength(2);
    await account.drain();
    const again = receiver.events.slice(2);
    expect(again.map(({ subject }) => subject).sort()).toEqual([...subjects].sort());
    expect(again).toMatchObject([{ replay: true }, { replay: true }]);
  });

  it('reports when no event matches', async () => {
    const { code, stdout } = await account.run('replay', '--subscription', 'ops', '--since', '1h');
    expect([code, stdout]).toEqual([0, 'no event in this period matches ops; nothing queued\n']);
    expect(queued()).toEqual([]);
  });

  it('prints the opened deliveries as JSON', async () => {
    await account.close(1);
    await account.drain();
    const [event] = objects((await account.run('events', '--type', 'task.closed', '--json')).stdout);
    const { stdout } = await account.run('replay', '--subscription', 'ops', '--event', event.id, '--json');
    const [{ delivery }] = objects(stdout);
    expect(delivery).toMatchObject({ events: [event.id], mark: 'replay', status: 'pending' });
    expect(queued()).toMatchObject([{ delivery: delivery.id }]);
  });
});

describe('subscriptions', () => {
  it('holds deliveries while paused, and sends them after resume', async () => {
    expect((await account.run('subscriptions', 'pause', 'ops')).stdout).toBe(
      'paused ops; deliveries are held. Resume with: tidings subscriptions resume ops --aws Tidings\n',
    );
    const [subject] = await account.close(1);
    await account.drain();
    expect(receiver.events).toEqual([]);
    expect((await account.run('subscriptions')).stdout).toMatch(/ops +paused .* 1 held/);
    expect((await account.run('subscriptions', 'resume', 'ops')).stdout).toBe(
      'resumed ops; 1 held delivery will be sent in the next cycle\n',
    );
    await account.world.functions.tick();
    await account.drain();
    expect(receiver.events).toMatchObject([{ subject }]);
  });

  it('sends a test through the stack, and shows the response', async () => {
    const test = async (...argv: string[]) => {
      const ended = account.run('subscriptions', 'test', 'ops', ...argv);
      await vi.waitUntil(() => queued().length > 0, { timeout: 20_000 });
      await account.drain();
      return ended;
    };
    const good = await test();
    expect(good.stdout).toMatch(/sent {6}task.closed[\s\S]*response {2}✔ {2}204 in \d+ ms/);
    expect(good.code).toBe(0);
    expect(receiver.events).toMatchObject([{ type: 'task.closed', test: true }]);
    expect((await account.run('events', '--type', 'task.closed')).stdout).toMatch(/ {2}\[test\] {2}evt_\w+\n$/);
    receiver.status = 503;
    account.world.clock.advance(1000);
    const bad = await test('--json');
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({ attempt: { status: 503 }, delivery: { status: 'failed' } });
    const other = await account.run('subscriptions', 'test', 'ops', '--type', 'invoice.paid');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('task.closed')]);
  });

  it('suggests a command for a test that was not attempted in time', async () => {
    const argv = ['subscriptions', 'test', 'ops', '--aws', 'Tidings'];
    const { code, stderr } = await runCommandAt(account.world.clock.now(), argv, AbortSignal.abort());
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the test delivery dlv_\w+ is queued, but no attempt/)]);
    expect(stderr).toContain('tidings deliveries --aws Tidings --subscription ops');
    expect(queued()).toMatchObject([{ group: 'ops' }]);
  });

  it('rotates: stores the new secret where deliver can read it, and both secrets sign', async () => {
    const { stdout } = await account.run('subscriptions', 'rotate', 'ops');
    const [, secret = ''] = /new secret\s+(whsec_\S+)/.exec(stdout) ?? [];
    const [, path = ''] = /stored at\s+ssm:(\S+)/.exec(stdout) ?? [];
    expect(path).toMatch(/^\/tidings\/secrets\/Tidings\/ops-[0-9a-f]{8}$/);
    expect(account.world.secrets.values.get(path)).toBe(secret);
    await account.close(1);
    await account.drain();
    expect([receiver.events.length, receiver.refused]).toEqual([1, []]);
    const [subscription] = await account.world.stores.subscriptions.list();
    expect(JSON.stringify(subscription)).not.toContain(secret);
    const port = Number(new URL(receiver.url).port);
    await receiver.close();
    receiver = await startReceiver(secret, port);
    await account.close(1);
    await account.drain();
    expect([receiver.events.length, receiver.refused]).toEqual([1, []]);
  });

  it('accepts a secret reference, and says that deliver needs access to it', async () => {
    account.world.secrets.values.set('/tidings/new', SECRET);
    const good = await account.run('subscriptions', 'rotate', 'ops', '--secret', 'ssm:/tidings/new');
    expect(good.stdout).toContain('stored at      ssm:/tidings/new');
    expect(good.stdout).toContain('only if the config or moreSecrets of the stack lists it');
    expect(good.stdout).not.toContain('new secret');
    const bad = await account.run('subscriptions', 'rotate', 'ops', '--secret', '${NEW}');
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('in AWS a secret is ssm:/path')]);
  });

  it('adds one with the checks for AWS, lists missing permissions, and removes it', async () => {
    const file = join(account.folder, 'more.yaml');
    const add = (to: object) => {
      writeFileSync(file, stringify({ name: 'more', events: ['task.*'], to }));
      return account.withConfig('subscriptions', 'add', file);
    };
    const clear = await add({ http: { url: receiver.url, secret: SECRET } });
    expect([clear.code, clear.stderr]).toEqual([2, expect.stringContaining("to.http.secret: expected 'ssm:/path'")]);
    expect(clear.stderr).not.toContain(SECRET);
    const other = await add({ http: { url: receiver.url, secret: 'ssm:/tidings/more' } });
    expect(other.stdout).toContain('permission missing: add ssm:/tidings/more to moreSecrets of the stack and deploy');
    expect(other.stdout).toContain('test it with: tidings subscriptions test more --aws Tidings');
    expect((await add({ bus: { name: 'orders' } })).stdout).toContain('permission missing: deliver has no ');
    const known = await add({ http: { url: receiver.url, secret: OPS } });
    expect(known.stdout).toMatch(/^replaced more/);
    expect(known.stdout).not.toContain('permission missing');
    await account.close(1);
    await account.drain();
    expect(receiver.events.map(({ type }) => type)).toContain('task.updated');
    expect((await account.run('subscriptions', 'remove', 'ops')).stderr).toContain('is declared in the config');
    expect((await account.run('subscriptions', 'remove', 'more')).stdout).toBe('removed more\n');
    expect((await account.run('subscriptions')).stdout).not.toContain('more');
  });
});
