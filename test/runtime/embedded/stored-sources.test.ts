/** `tidings serve` with sources that are added, changed and removed while it runs, and with a hundred of them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { packSource } from '../../../runtime/config/packed.ts';
import { validateSource } from '../../../runtime/config/validate-source.ts';
import { openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { serve } from '../../../runtime/embedded/serve.ts';
import { systemClock } from '../../../runtime/system-clock.ts';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { type CommandResult, runCommand } from '../../cli/run-command.ts';
import { storedSource } from '../../contract/source-store.ts';
import { type Receiver, startReceiver } from '../../e2e/receiver.ts';
import { startLiveConnections } from '../../live-connections.ts';
import { SECRET } from '../../samples.ts';

const PATIENCE = { timeout: 60_000, interval: 50 };
const network = { allowHttp: true, allow: ['127.0.0.0/8'] };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-sources-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a running service', () => {
  let simulators: Simulator[];
  let receiver: Receiver;
  let serving: Promise<CommandResult>;
  let output = '';
  const file = (name: string) => join(folder, name);
  const tokenOf = (index: number) => simulators[index]?.tokens.Administrator[0] ?? '';
  const sources = (argv: readonly string[], token = tokenOf(1)) =>
    runCommand(['sources', ...argv, '--config', file('tidings.json'), '--data', file('data')], {
      environment: { MAIN: tokenOf(0), TIDINGS_TOKEN: token },
    });

  it('polls a source that another process adds, and no more after it is removed', async () => {
    const stop = new AbortController();
    simulators = await Promise.all([1, 2].map((seed) => startSimulator({ tasks: 30, seed, quota: 10_000_000 })));
    receiver = await startReceiver(SECRET);
    const config = {
      source: { baseUrl: simulators[0]?.url, token: '${MAIN}', resources: { task: { every: '1s' } } },
      network,
      subscriptions: [{ name: 'ops', events: ['task.closed'], to: { http: { url: receiver.url, secret: SECRET } } }],
    };
    writeFileSync(file('tidings.json'), JSON.stringify(config));
    const argv = ['serve', '--config', file('tidings.json'), '--data', file('data'), '--port', '0'];
    serving = runCommand(argv, {
      stop: stop.signal,
      environment: { MAIN: tokenOf(0) },
      onWrite: (_, text) => (output += text),
    });
    await vi.waitFor(() => expect(output).toContain('main/task: baseline'), PATIENCE);
    const add = [
      'add',
      'north',
      '--url',
      simulators[1]?.url ?? '',
      '--settings',
      '{"resources":{"task":{"every":"1s"}}}',
    ];
    const refused = await sources(add, 'wrong');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/token|unauthorized/i)]);
    const added = await sources(add);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/added +north at http.*\n[\s\S]*token +stored encrypted\n[\s\S]*task +30/);
    expect(added.stdout + output).not.toContain(tokenOf(1));
    await vi.waitFor(() => expect(output).toContain('north/task: baseline'), PATIENCE);
    expect(output).toContain('sources changed: 2 sources, 1 subscription');
    // The first poll of a source sends nothing.
    expect(receiver.events).toEqual([]);
    const [task] = simulators[1]?.account.list('task', { excludeclosed: 't' }) ?? [];
    simulators[1]?.account.update('task', String(task?.id), { statusid: 7 });
    await vi.waitFor(() => expect(receiver.events.map(({ source }) => source)).toEqual(['/sources/north']), PATIENCE);

    expect((await sources(['add', 'north', '--url', 'http://127.0.0.1:9'])).stderr).toContain('not taken');
    expect((await sources(['change', 'main', '--zone', 'Asia/Tokyo'])).stderr).toContain('declared in the config');
    const changed = await sources(['change', 'north', '--zone', 'Asia/Tokyo', '--json']);
    expect(JSON.parse(changed.stdout)).toMatchObject({ source: 'north', settings: { timeZone: 'Asia/Tokyo' } });
    expect((await sources(['show', 'north'])).stdout).toContain('timeZone         Asia/Tokyo');
    expect((await sources(['list'])).stdout).toMatch(/main .*\nnorth .*30 task/);

    expect((await sources(['remove', 'north'])).stdout).toContain('removed north; its records stay');
    await vi.waitFor(() => expect(output).toContain('sources changed: 1 source, 1 subscription'), PATIENCE);
    stop.abort();
    expect(await serving).toMatchObject({ code: 0 });
    await Promise.all([...simulators.map((one) => one.stop()), receiver.close()]);
  }, 180_000);
});

/** Never responds. */
async function startSilent() {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

it('polls 100 sources in one process, and three bad ones delay no other', async () => {
  const good = await startSimulator({ tasks: 20, quota: 10_000_000 });
  const huge = await startSimulator({ tasks: 20_000, quota: 10_000_000 });
  const failing = await startSimulator({ tasks: 20 });
  const silent = await startSilent();
  const database = openDatabase(join(folder, 'tidings.db'));
  const { storedSources } = sqliteStores(database);
  const [token = ''] = good.tokens.Administrator;
  const store = async (name: string, baseUrl: string, given = token) => {
    const settings = { name, baseUrl, token: given, timeZone: 'Europe/Berlin', resources: { task: { every: '5s' } } };
    const validated = validateSource(settings, { mode: 'embedded', network, environment: {} });
    if (!('source' in validated)) throw new Error(JSON.stringify(validated.problems));
    const packed = JSON.parse(JSON.stringify(packSource(validated.source)));
    await storedSources.add(storedSource(name, { settings, packed }));
  };
  const names = Array.from({ length: 97 }, (_, index) => `account-${index}`);
  for (const name of names) await store(name, good.url);
  await store('huge', huge.url, huge.tokens.Administrator[0]);
  await store('failing', failing.url, 'wrong');
  await store('silent', silent.url);
  const config = parseTree('test', { sources: [], network }, {});
  const embedded = await openEmbedded({
    ...{ config, database, environment: {}, clock: systemClock, holder: 'test', random: () => 0.5 },
  });
  expect(embedded.config.sources).toHaveLength(100);
  const stop = new AbortController();
  const baselined = new Set<string>();
  const failed = new Set<string>();
  const serving = serve(
    embedded,
    {
      scanned: ({ source, resource }) => resource === 'task' && baselined.add(source),
      scanFailed: ({ source }) => failed.add(source),
    },
    stop.signal,
  );
  await vi.waitFor(() => expect(names.filter((name) => !baselined.has(name))).toEqual([]), PATIENCE);
  await vi.waitFor(() => expect(failed).toContain('failing'), PATIENCE);
  expect(baselined).not.toContain('silent');
  stop.abort();
  await serving;
  await embedded.close();
  await Promise.all([good.stop(), huge.stop(), failing.stop(), silent.stop()]);
}, 180_000);

it('leaves no connection, timer or thread behind when sources change a thousand times', async () => {
  const good = await startSimulator({ tasks: 5, quota: 10_000_000 });
  const api = await startLiveConnections(good.url);
  const [token] = good.tokens.Administrator;
  const file = join(folder, 'tidings.db');
  const source = { baseUrl: api.url, token, timeZone: 'UTC', resources: { task: { every: '5s' } } };
  const config = parseTree('test', { source, network }, {});
  const openGeneration = () => {
    const database = openDatabase(file);
    return openEmbedded({ config, database, environment: {}, clock: systemClock, holder: 'test', random: () => 0.5 });
  };
  const settings = { name: 'north', ...source };
  const validated = validateSource(settings, { mode: 'embedded', network, environment: {} });
  if (!('source' in validated)) throw new Error(JSON.stringify(validated.problems));
  const packed = JSON.parse(JSON.stringify(packSource(validated.source)));
  const first = await openGeneration();
  await first.storedSources.add(storedSource('north', { settings, packed }));
  await first.close();
  const resources = () => process.getActiveResourcesInfo().length;
  const before = resources();
  for (let change = 0; change < 1000; change++) {
    const embedded = await openGeneration();
    if (change % 10 === 0) await embedded.sources.get('north')?.api.quota();
    await embedded.close();
  }
  await vi.waitFor(() => expect(api.live).toBe(0), PATIENCE);
  await vi.waitFor(() => expect(resources()).toBeLessThan(before + 10), PATIENCE);
  await api.stop();
  await good.stop();
}, 180_000);
