/** Commands with `--api`: the same output as on the data directory, as far as the API has the data, and the same changes. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedClock, type Instant } from '../../core/model/time.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type ApiWorld, startApiWorld } from '../manage/api-world.ts';
import { delivery, event, NOON, SECRET } from '../samples.ts';
import { runCommand } from './run-command.ts';

const BEFORE: Instant = '2026-11-14T11:50:00.000Z';

let folder: string;
let data: string;
let config: string;
let simulator: Simulator;
let world: ApiWorld;
let url: string;
let closeServer: () => void;
let task: string;

const here = (...argv: readonly string[]) => runCommand(argv, { clock: fixedClock(NOON) });
const through = (...argv: readonly string[]) =>
  runCommand(argv, { clock: fixedClock(NOON), environment: { TIDINGS_API_URL: url, TIDINGS_API_KEY: world.admin } });

/** Attempts are made while the command waits for one. */
async function pumping<Result>(command: Promise<Result>): Promise<Result> {
  let isOver = false;
  const ended = command.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await world.pump();
    await new Promise((later) => setImmediate(later));
  }
  return ended;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-api-commands-'));
  data = join(folder, 'data');
  config = join(folder, 'tidings.json');
  simulator = await startSimulator({ seed: 7, tasks: 60, quota: 1_000_000, now: BEFORE, speed: 0 });
  const source = { baseUrl: simulator.url, token: simulator.tokens.Administrator[0], timeZone: 'Europe/Berlin' };
  const http = { url: 'http://127.0.0.1:9/hook', secret: SECRET };
  const subscriptions = [
    { name: 'ops', events: ['task.*'], to: { http } },
    { name: 'finance', events: ['invoice.*'], to: { slack: { webhook: 'https://hooks.slack.com/services/x' } } },
    { name: 'urgent', events: ['task.*'], where: { data: { record: { severity: ['P1'] } } }, to: { http } },
  ];
  const network = { allowHttp: true, allow: ['127.0.0.0/8'] };
  writeFileSync(config, JSON.stringify({ source, network, subscriptions }));
  await runCommand(['once', '--config', config, '--data', data], { clock: fixedClock(BEFORE) });
  const open = simulator.account.list('task', { excludeclosed: 't' });
  const [one] = open.filter(({ severity }) => severity !== 'P1');
  task = String(one?.id);
  simulator.account.update('task', task, { statusid: 7 });
  await runCommand(['once', '--config', config, '--data', data], { clock: fixedClock(NOON) });
  world = await startApiWorld({ config: { source, network, subscriptions }, database: openData(data) });
  url = await new Promise((resolve) => {
    const server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
    closeServer = () => server.close();
  });
});

afterAll(async () => {
  closeServer();
  await world.stop();
  await simulator.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a command with --api', () => {
  it.each([
    ['events'],
    ['events --type task.closed --since 1d'],
    ['events --type task.* --json'],
    ['deliveries'],
    ['deliveries --subscription ops --json'],
    ['deliveries --status failed'],
    ['subscriptions'],
    ['backtest --query task.closed --since 1d'],
    ['replay --subscription ops --since 1d --dry-run'],
    ['keys list'],
  ])('%s prints what it prints on the data directory', async (line) => {
    const words = line.split(' ');
    const named = words[0] === 'replay' ? ['--config', config] : [];
    const local = await here(...words, '--data', data, ...named);
    const remote = await through(...words);
    // The key was used in the meantime.
    const plain = ({ code, stdout, stderr }: typeof local) => [
      code,
      stdout.replaceAll(/never used|last used \S+ \S+/g, 'used'),
      stderr,
    ];
    expect(plain(remote)).toEqual(plain(local));
    if (line !== 'deliveries --status failed') expect(remote.stdout).not.toBe('');
  });

  it.each([['status'], ['sources'], ['status --json']])('%s needs no config', async (line) => {
    const words = line.split(' ');
    const local = await here(...words, '--data', data, '--config', config);
    const remote = await through(...words);
    expect([remote.code, remote.stderr]).toEqual([0, '']);
    expect(remote.stdout).toBe(local.stdout);
  });

  it('shows of the health in JSON what the API has', async () => {
    const [finance, ops] = (await through('subscriptions', '--json')).stdout.split('\n').slice(0, 2);
    expect(JSON.parse(finance ?? '')).toMatchObject({ name: 'finance', channel: 'slack', to: 'Slack', declared: true });
    expect(JSON.parse(ops ?? '')).toMatchObject({
      health: { state: 'ok', reason: expect.stringContaining('ECONNREFUSED'), failingSince: NOON, pausedUntil: null },
      deliveries: { pending: expect.any(Number) },
    });
  });

  it('explains a record and an event, with the same outcome for each subscription', async () => {
    const local = await here('explain', `task/${task}`, '--data', data, '--config', config);
    const remote = await through('explain', `task/${task}`);
    expect([remote.code, remote.stderr]).toEqual([0, '']);
    const outcomes = (text: string) =>
      text.split('\n').filter((line) => /^ {2}[●▶]|^ {6}\S|^ {12}\S|^ {2}(now|next|scanned)/.test(line));
    expect(outcomes(remote.stdout)).toEqual(outcomes(local.stdout));
    expect(remote.stdout).toMatch(/– {2}urgent +where does not match: data\.record\.severity/);
    const [, id = ''] = /task\.closed.*(evt_[0-9a-f]+)/.exec(remote.stdout) ?? [];
    const event = await through('explain', id);
    expect(event.stdout).toContain(`▶ task.closed`);
    expect((await through('explain', 'evt_none')).stderr).toContain("event 'evt_none' not found");
  });

  it('explains the history of a record, also changes without an event', async () => {
    const local = await here('explain', `task/${task}`, '--data', data, '--config', config, '--json');
    const remote = await through('explain', `task/${task}`, '--json');
    interface Explained {
      records: {
        snapshot: object;
        reading: object;
        transitions: { version: number; silence: { words: string } | null; events: object[] }[];
      }[];
    }
    const { records: stored } = JSON.parse(local.stdout) as Explained;
    const { records } = JSON.parse(remote.stdout) as Explained;
    const known = ({ transitions, snapshot, ...rest }: Explained['records'][number]) => ({
      ...rest,
      transitions: transitions.map((step) => ({
        ...step,
        labels: [],
        appeared: [],
        silence: step.silence && { words: step.silence.words },
      })),
    });
    expect(records.map(known)).toEqual(stored.map(known));
    expect(records[0]?.transitions.map(({ version }) => version)).toEqual([1, 2]);
    expect(stored[0]?.snapshot).toMatchObject(records[0]?.snapshot ?? {});
    const { stdout } = await through('explain', `task/${task}`);
    expect(stdout).toMatch(/version 1 .* baseline\n {2}no event {2}it existed at the baseline/);
    expect((await through('explain', 'source/main')).stdout).toBe(
      (await here('explain', 'source/main', '--data', data, '--config', config)).stdout,
    );
  });

  it('explains a test alone: it is no history of its record', async () => {
    const { events } = await world.api.events.list({ subject: `task/${task}`, limit: 10 });
    const sent = events.find(({ type }) => type === 'task.closed');
    if (sent === undefined) throw new Error('no event');
    const id = 'evt_0test';
    await world.api.events.record([{ event: { ...sent, id, test: true }, deliveries: [] }]);
    const onData = (...argv: readonly string[]) => here(...argv, '--data', data, '--config', config);
    for (const run of [through, onData]) {
      expect((await run('explain', `task/${task}`)).stdout).not.toContain(id);
      const { stdout } = await run('explain', id);
      expect(stdout).toContain('sent on request; the record did not change');
      expect(stdout.match(/^(test event|version )/gm)).toEqual(['test event']);
    }
  });

  it('explains an event of Tidings itself, whose record the API does not show', async () => {
    const failing = event('evt_own', {
      type: 'subscription.failing',
      source: '/tidings',
      subject: 'subscription/ops',
    });
    await world.api.events.record([{ event: failing, deliveries: [] }]);
    const { stdout } = await through('explain', failing.id);
    expect(stdout).toContain('now      not shown by the API\n  scanned  maintained by Tidings in every cycle');
    expect(stdout).toContain('▶ subscription.failing');
    const local = await here('explain', failing.id, '--data', data, '--config', config);
    expect(local.stdout).toMatch(/^Receiver “ops” {2}subscription\/ops of _tidings.*\n {2}now {6}version \d/);
  });

  it('previews what time will bring to each subscription', async () => {
    const local = await here('preview', '--until', '14d', '--data', data, '--config', config, '--json');
    const remote = await through('preview', '--until', '14d', '--json');
    expect([remote.code, remote.stderr]).toEqual([0, '']);
    interface Shown {
      days: { day: string; events: { at: string; to: string[]; event: { type: string; subject: string } }[] }[];
    }
    const listed = (text: string) =>
      (JSON.parse(text) as Shown).days
        .flatMap(({ day, events }) =>
          events.map(({ at, to, event }) => `${day} ${at} ${event.type} ${event.subject} ${[...to].sort()}`),
        )
        .filter((row) => !row.endsWith(' '))
        .sort();
    expect(listed(remote.stdout)).toEqual(listed(local.stdout));
    expect(listed(remote.stdout).length).toBeGreaterThan(3);
    expect((await through('preview')).stdout).toContain('→ ');
  });

  it('adds, tests, pauses, resumes, rotates, replays to and removes a subscription', async () => {
    const file = join(folder, 'billing.yaml');
    writeFileSync(file, 'name: billing\nto: { http: { url: "${HOOK}" } }\n');
    const environment = { TIDINGS_API_URL: url, TIDINGS_API_KEY: world.admin, HOOK: world.receiver.url };
    const add = ['subscriptions', 'add', file, '--query', 'task.closed'];
    const run = (...argv: readonly string[]) => runCommand(argv, { clock: fixedClock(NOON), environment });
    const added = await run(...add);
    expect(added.stdout).toMatch(
      /^added billing: task\.closed → http:\/\/127\.0\.0\.1:\d+\S*\nsigning secret {2}whsec_\S+\nstore it now/,
    );
    expect(added.stdout).toContain(`test it with: tidings subscriptions test billing --api ${url}`);
    expect((await run(...add)).stdout).toMatch(/^replaced billing/);
    expect((await through(...add)).stderr).toContain('expected the environment variable HOOK to be set');

    const tested = await pumping(run('subscriptions', 'test', 'billing'));
    expect([tested.code, tested.stdout]).toEqual([0, expect.stringMatching(/response {2}✔ {2}200 in \d+ ms/)]);
    expect((await run('subscriptions', 'pause', 'billing')).stdout).toMatch(/^paused billing; deliveries are held/);
    expect((await run('subscriptions')).stdout).toMatch(/‖ {2}billing +paused/);
    expect((await run('replay', '--subscription', 'billing', '--since', '1d')).stdout).toMatch(
      /^\d+ events? queued for billing; the server sends them/,
    );
    await world.pump();
    expect((await run('subscriptions', 'resume', 'billing')).stdout).toMatch(/^resumed billing; \d+ held deliver/);
    expect((await run('subscriptions', 'rotate', 'billing')).stdout).toMatch(
      /^new secret {5}whsec_\S+\nboth secrets sign until/,
    );
    world.receiver.status = 500;
    await world.pump();
    expect((await run('deliveries', '--subscription', 'billing')).stdout).toMatch(
      /pending .* “seen”, the last attempt failed: 500 from 127\.0\.0\.1:\d+; next attempt at 2026-11-14 13:\d\d:\d\d\+01:00/,
    );
    expect((await run('deliveries', 'retry', '--subscription', 'billing')).stdout).toMatch(
      /^\d+ deliver(y|ies) will be retried/,
    );
    const [, id = ''] = /(dlv_\S+)/.exec((await run('deliveries', '--status', 'pending')).stdout) ?? [];
    expect((await run('deliveries', 'retry', id)).stdout).toMatch(/^1 delivery will be retried/);
    const unknown = await run('deliveries', 'retry', 'dlv_none');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('dlv_none: not found')]);
    world.receiver.status = 200;
    expect(await run('subscriptions', 'remove', 'billing')).toEqual({
      code: 0,
      stdout: 'removed billing\n',
      stderr: '',
    });
    const gone = await run('subscriptions', 'pause', 'billing');
    expect([gone.code, gone.stderr]).toEqual([
      2,
      expect.stringContaining("subscription 'billing' not found; known subscriptions: "),
    ]);
    const declared = await run('subscriptions', 'remove', 'ops');
    expect([declared.code, declared.stderr]).toEqual([2, expect.stringContaining('is declared in the config')]);
    const { body } = await world.ask('GET', '/audit?limit=200');
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining([
        'subscription.created',
        'subscription.paused',
        'subscription.replayed',
        'subscription.removed',
      ]),
    );
  });

  it('runs a story of commands with the output that it has on the data directory', async () => {
    const file = join(folder, 'team.yaml');
    writeFileSync(file, 'name: team\nto: { slack: { webhook: "https://hooks.slack.com/services/y" } }\n');
    const story = [
      `subscriptions add ${file} --query task.closed`,
      `subscriptions add ${file} --query task.closed`,
      'subscriptions pause team',
      'subscriptions list',
      'subscriptions resume team',
      'subscriptions pause nobody',
      'subscriptions remove ops',
      'replay --subscription team --since 1d --dry-run --json',
      'replay --subscription team --event evt_none --dry-run',
      'deliveries --subscription nobody',
      'deliveries retry dlv_none',
      'deliveries retry --subscription team',
      'explain task/x',
      'explain nothing/1',
      'explain evt_none',
      'subscriptions remove team',
    ];
    const tell = async (run: (line: string) => ReturnType<typeof here>) => {
      const told: unknown[] = [];
      for (const line of story) {
        const { code, stdout, stderr } = await run(line);
        const plain = (text: string) => text.replaceAll(/ --(api|data) \S+/g, '');
        told.push([line, code, plain(stdout), plain(stderr)]);
      }
      return told;
    };
    const withConfig = (line: string) => (/add|replay|explain/.test(line) ? ['--config', config] : []);
    const local = await tell((line) => here(...line.split(' '), '--data', data, ...withConfig(line)));
    expect(await tell((line) => through(...line.split(' ')))).toEqual(local);
  });

  it('reads all pages of events', async () => {
    const many = Array.from({ length: 450 }, (_, index) => event(`page-${index}`));
    await world.api.events.record(many.map((one) => ({ event: one, deliveries: [] })));
    const words = ['backtest', '--query', 'task.*', '--since', '1d', '--json'];
    const local = JSON.parse((await here(...words, '--data', data)).stdout);
    const remote = JSON.parse((await through(...words)).stdout);
    expect(local.recorded).toBeGreaterThan(450);
    expect(remote).toEqual(local);
  });

  it('retries more deliveries than one call of the API, each once, and reports their number', async () => {
    const failed = Array.from({ length: 10_150 }, (_, index) =>
      delivery(`many-${index}`, 'ops', { status: 'failed', dueAt: null, settledAt: NOON }),
    );
    await world.api.events.record(failed.map((one, index) => ({ event: event(`many-${index}`), deliveries: [one] })));
    const all = { subscription: 'ops', dryRun: true };
    const { body: counted } = await world.ask('POST', '/deliveries/retry', all);
    expect(counted).toEqual({ count: 10_000, dryRun: true, next: 10_000 });
    const { body: rest } = await world.ask('POST', '/deliveries/retry', { ...all, position: counted.next });
    expect(rest).toEqual({ count: expect.any(Number), dryRun: true, next: null });
    expect(counted.count + rest.count).toBeGreaterThanOrEqual(failed.length);
    const first = await world.ask('POST', '/deliveries/retry', { subscription: 'ops' });
    expect(first.body).toEqual({ count: 10_000, dryRun: false, next: 10_000 });
    const left = rest.count;
    expect((await through('deliveries', 'retry', '--subscription', 'ops')).stdout).toContain(
      `${left} deliveries will be retried, spread over `,
    );
    expect((await world.ask('POST', '/deliveries/retry', all)).body.count).toBe(0);
    expect((await through('deliveries', '--subscription', 'ops')).stderr).toBe(
      'times in Europe/Berlin\nonly the newest 1000 are listed; choose fewer with --status or --subscription\n',
    );
    const entries = (await world.ask('GET', '/audit?limit=200')).body.data.filter(
      ({ action }: { action: string }) => action === 'deliveries.retried',
    );
    expect(entries.map(({ details }: { details: { count: number } }) => details.count)).toEqual(
      expect.arrayContaining([left, 10_000]),
    );
  });

  it('makes and removes keys', async () => {
    const made = await through(
      'keys',
      'add',
      'ci',
      '--scope',
      'read',
      '--events',
      'task.*',
      '--expires',
      '90d',
      '--json',
    );
    const { id, token } = JSON.parse(made.stdout);
    const limited = (...argv: readonly string[]) =>
      runCommand([...argv, '--api', url, '--key', token], { clock: fixedClock(NOON) });
    expect((await limited('events')).stdout).toMatch(/task\./);
    expect((await limited('events')).stdout).not.toMatch(/invoice\./);
    expect(await limited('deliveries')).toEqual({ code: 0, stdout: '', stderr: 'no deliveries found\n' });
    expect((await limited('keys', 'list')).code).toBe(2);
    expect((await through('keys', 'remove', id)).stdout).toBe(`removed ${id}\n`);
    const refused = await limited('events');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/^tidings: /)]);
    expect(refused.stderr).not.toContain(token);
  });

  it('is refused with a reason where it cannot work', async () => {
    const environment = { TIDINGS_API_URL: url };
    const keyless = await runCommand(['events'], { environment });
    expect([keyless.code, keyless.stderr]).toEqual([
      2,
      expect.stringContaining('expected a key of the API in TIDINGS_API_KEY'),
    ]);
    for (const line of ['serve --api x', 'sources forget main --api x', 'check --api x']) {
      const refused = await runCommand(line.split(' '));
      expect([line, refused.code, refused.stderr]).toEqual([
        line,
        2,
        expect.stringContaining('with --api these commands work: events, explain'),
      ]);
    }
    const both = await through('events', '--data', data, '--api', url);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('cannot be used with')]);
    expect((await through('replay', '--subscription', 'gone', '--to', 'ops')).stderr).toContain(
      '--to: not available with --api',
    );
    expect((await through('events', '--api', 'ftp://x')).stderr).toContain('--api: expected an address');
    const unreachable = await through('events', '--api', 'http://127.0.0.1:9');
    expect([unreachable.code, unreachable.stderr]).toEqual([
      1,
      expect.stringContaining('the API does not respond: http://127.0.0.1:9: '),
    ]);
  });

  it('gives --data and --aws precedence over TIDINGS_API_URL', async () => {
    const environment = { TIDINGS_API_URL: 'http://127.0.0.1:9', TIDINGS_API_KEY: 'tdk_x' };
    expect((await runCommand(['events', '--data', data], { environment })).code).toBe(0);
  });
});
