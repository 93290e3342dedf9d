/** `tidings serve` in this process: reload of the config, /health and /metrics. test/e2e/serve.test.ts sends a real SIGHUP. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { HealthReport } from '../../../manage/health-report.ts';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { type CommandResult, runCommand } from '../../cli/run-command.ts';
import { type Receiver, startReceiver } from '../../e2e/receiver.ts';
import { SECRET } from '../../samples.ts';

const PATIENCE = { timeout: 30_000, interval: 20 };
const root = join(import.meta.dirname, '../../..');

let folder: string;
let simulator: Simulator;
let receivers: Receiver[];
let tasks: string[];
let serving: Promise<CommandResult>;
let reload: () => void;
let output = '';
let url = '';
const stop = new AbortController();

const file = (name: string) => join(folder, name);

/** Subscriptions to task.closed, by the number of their receiver. */
function writeConfig(subscriptions: Readonly<Record<string, number>>, more: object = {}): void {
  const config = {
    source: {
      baseUrl: simulator.url,
      token: '${TOKEN}',
      resources: { task: { every: '1s' } },
      quota: { perMinute: 600 },
    },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: Object.entries(subscriptions).map(([name, receiver]) => ({
      name,
      events: ['task.closed'],
      to: { http: { url: receivers[receiver]?.url, secret: SECRET } },
    })),
    ...more,
  };
  writeFileSync(file('tidings.json'), JSON.stringify(config));
}

const closeTask = () => {
  const id = tasks.pop() ?? '';
  simulator.account.update('task', id, { statusid: 7 });
  return `task/${id}`;
};
const subjectsOf = (receiver: number) => receivers[receiver]?.events.map(({ subject }) => subject) ?? [];
const received = (receiver: number, subject: string) =>
  vi.waitFor(() => expect(subjectsOf(receiver)).toContain(subject), PATIENCE);
const getHealth = async () => (await (await fetch(`${url}/health`)).json()) as Required<HealthReport>;
/** A busy machine may give the service no time for a second. */
const getMetrics = () =>
  vi.waitFor(async () => {
    const response = await fetch(`${url}/metrics`);
    expect(response.status).toBe(200);
    return response.text();
  }, 20_000);

/** Asks for a reload and waits for its outcome. */
async function reloaded(expected: RegExp): Promise<void> {
  const before = output.length;
  reload();
  await vi.waitFor(() => expect(output.slice(before)).toMatch(expected), PATIENCE);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-reload-'));
  simulator = await startSimulator({ tasks: 60, quota: 10_000_000 });
  tasks = simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
  expect(tasks.length).toBeGreaterThanOrEqual(10);
  receivers = await Promise.all([startReceiver(SECRET), startReceiver(SECRET)]);
  writeFileSync(file('.env'), `TOKEN=${simulator.tokens.Administrator[0]}\n`);
  writeConfig({ first: 0 });
  const onReload = (listener: () => void) => {
    reload = listener;
    return () => {};
  };
  const argv = [
    'serve',
    '--config',
    file('tidings.json'),
    '--data',
    file('data'),
    '--port',
    '0',
    '--host',
    '127.0.0.1',
  ];
  serving = runCommand(argv, { stop: stop.signal, onReload, onWrite: (_, text) => (output += text) });
  await vi.waitFor(() => expect(output).toContain('main/task: baseline'), PATIENCE);
  url = /health +(\S+)\/health/.exec(output)?.[1] ?? '';
});

afterAll(async () => {
  stop.abort();
  expect(await serving).toMatchObject({ code: 0 });
  await Promise.all([simulator.stop(), ...receivers.map((one) => one.close())]);
  rmSync(folder, { recursive: true, force: true });
});

describe('a reload', () => {
  it('applies added, changed and removed subscriptions without a second message', async () => {
    const before = closeTask();
    await received(0, before);
    writeConfig({ first: 0, second: 1 });
    await reloaded(/config reloaded: 1 source, 2 subscriptions/);
    const during = closeTask();
    await Promise.all([received(0, during), received(1, during)]);
    writeConfig({ second: 1 });
    await reloaded(/config reloaded: 1 source, 1 subscription\n/);
    const after = closeTask();
    await received(1, after);
    expect(subjectsOf(0)).toEqual([before, during]);
    expect(subjectsOf(1)).toEqual([during, after]);
  });

  it('finishes the attempts in flight first, and sends them once', async () => {
    const [, slow] = receivers;
    if (slow === undefined) throw new Error('no receiver');
    slow.delay = 600;
    const subject = closeTask();
    await vi.waitFor(() => expect(slow.inHand).toBe(1), PATIENCE);
    await reloaded(/config reloaded/);
    slow.delay = 0;
    await received(1, subject);
    const next = closeTask();
    await received(1, next);
    expect(subjectsOf(1).filter((one) => one === subject)).toHaveLength(1);
  });

  it('does not keep others waiting for a receiver that hangs', async () => {
    const [, hanging] = receivers;
    if (hanging === undefined) throw new Error('no receiver');
    writeConfig({ first: 0, second: 1 });
    await reloaded(/config reloaded/);
    hanging.delay = 9_000;
    const slow = closeTask();
    await vi.waitFor(() => expect(hanging.inHand).toBe(1), PATIENCE);
    await reloaded(/config reloaded/);
    hanging.delay = 0;
    const next = closeTask();
    await received(0, next);
    expect(subjectsOf(1)).not.toContain(slow);
    await received(1, slow);
    expect(subjectsOf(1).filter((one) => one === slow)).toHaveLength(1);
    writeConfig({ second: 1 });
    await reloaded(/config reloaded/);
  });

  it.each([
    ['an invalid config', () => writeFileSync(file('tidings.json'), '{"subscriptions": 7}'), 'problem'],
    ['a config that is gone', () => rmSync(file('tidings.json')), 'no such file'],
    ['a broken .env', () => writeFileSync(file('.env'), 'nonsense'), 'line 1: expected NAME=value'],
    ['an unset variable', () => writeFileSync(file('.env'), ''), 'variable TOKEN to be set'],
  ])('refuses %s: the old config stays in force, and /health says so', async (_, breakIt, words) => {
    const env = readFileSync(file('.env'), 'utf8');
    breakIt();
    await reloaded(/reload refused, the previous config stays in force/);
    // A report is shared by the requests of a second.
    await vi.waitFor(async () => {
      const { status, config } = await getHealth();
      expect([status, config.rejected?.message]).toEqual(['ok', expect.stringContaining(words)]);
    }, 10_000);
    const subject = closeTask();
    await received(1, subject);
    writeFileSync(file('.env'), env);
    writeConfig({ second: 1 });
    await reloaded(/config reloaded/);
    const isInForce = { loadedAt: expect.any(String), rejected: null };
    await vi.waitFor(async () => expect((await getHealth()).config).toEqual(isInForce), 10_000);
  });

  it('reads .env again', async () => {
    writeFileSync(file('.env'), `OTHER=${simulator.tokens.Administrator[1]}\n`);
    writeConfig(
      { second: 1 },
      { source: { baseUrl: simulator.url, token: '${OTHER}', resources: { task: { every: '1s' } } } },
    );
    await reloaded(/config reloaded/);
    const subject = closeTask();
    await received(1, subject);
  });
});

describe('/metrics', () => {
  it('counts scans, events, attempts and reloads across reloads, and shows the work that waits', async () => {
    let text = await getMetrics();
    const value = (name: string) =>
      Number(new RegExp(`^${name.replace(/[{}"=,.]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1]);
    expect(value('tidings_scans_total{source="main",resource="task",kind="sweep",outcome="ok"}')).toBeGreaterThan(0);
    // A report is shared by the requests of a second.
    await vi.waitFor(async () => {
      text = await getMetrics();
      expect(value('tidings_events_total{type="task.closed"}')).toBeGreaterThan(8);
    }, 10_000);
    expect(value('tidings_delivery_attempts_total{channel="http",outcome="accepted"}')).toBeGreaterThan(8);
    expect(value('tidings_delivery_latency_seconds_count{channel="http"}')).toBeGreaterThan(8);
    expect(value('tidings_config_reloads_total{outcome="rejected"}')).toBe(4);
    expect(value('tidings_subscriptions{state="ok"}')).toBe(1);
    expect(value('tidings_quota_limit_requests{source="main"}')).toBe(10_000_000);
    expect(value('tidings_records{source="main",resource="task"}')).toBe(60);
    expect(value('tidings_scan_lag_seconds{source="main",resource="task"}')).toBeLessThan(60);
    expect(value('tidings_source_up{source="main"}')).toBe(1);
    expect(value('tidings_agenda_entries{kind="record"}')).toBeGreaterThan(0);
    expect(value('tidings_data_bytes')).toBeGreaterThan(100_000);
    expect(value('tidings_disk_free_bytes')).toBeGreaterThan(value('tidings_data_bytes'));
    for (const name of ['queue_jobs', 'deliveries{status="pending"}', 'delivery_lag_seconds', 'unannounced_changes'])
      expect([name, value(`tidings_${name}`)]).toEqual([name, expect.any(Number)]);
  });

  it('has few series, and none for records, subscriptions or receivers', async () => {
    const lines = (await getMetrics()).split('\n').filter((line) => line.startsWith('tidings_'));
    expect(lines.length).toBeLessThan(250);
    const labels = new Set(lines.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, label]) => label)));
    const known = [
      'change',
      'channel',
      'kind',
      'le',
      'outcome',
      'resource',
      'source',
      'state',
      'status',
      'type',
      'version',
    ];
    expect(known).toEqual(expect.arrayContaining([...labels]));
  });

  it('has the metrics that the docs list, and no other', async () => {
    const exported = [...(await getMetrics()).matchAll(/^# TYPE (tidings_\w+)/gm)].map(([, name]) => name);
    const table = readFileSync(join(root, 'docs/self-hosting.md'), 'utf8').split('\n## Monitor it\n')[1] ?? '';
    const rows = table.split('\n').filter((line) => line.startsWith('| `tidings_'));
    expect(rows.flatMap((row) => row.match(/tidings_\w+/g) ?? []).toSorted()).toEqual(exported.toSorted());
  });

  it('has every metric and label of the Grafana dashboard', async () => {
    const text = await getMetrics();
    const { panels, templating } = JSON.parse(readFileSync(join(root, 'examples/grafana/tidings.json'), 'utf8'));
    const queries: string[] = [
      ...panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
      ...templating.list.map(({ query }: { query: string }) => query),
    ];
    const names = new Set(queries.flatMap((query) => query.match(/\b(?:tidings|process|nodejs)_\w+/g) ?? []));
    expect(names.size).toBeGreaterThan(15);
    const missing = [...names].filter((name) => !text.includes(`# TYPE ${name.replace(/_bucket$/, '')} `));
    expect(missing).toEqual([]);
    // Prometheus itself adds job and instance.
    const exported = new Set([...text.matchAll(/(\w+)="/g)].map(([, label]) => label).concat('job', 'instance'));
    const used = queries.flatMap((query) => [
      ...[...query.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label]) => label),
      ...[...query.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list = '']) => list.split(', ')),
    ]);
    expect(used.filter((label) => !exported.has(label ?? ''))).toEqual([]);
  });
});
