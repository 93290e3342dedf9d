/** `tidings sources` on a data directory and through the management API, with the simulator as the account. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { storedSource } from '../contract/source-store.ts';
import { type ApiWorld, startApiWorld } from '../manage/api-world.ts';
import { startStill } from '../simulator/api-client.ts';
import { runCommand } from './run-command.ts';

const OTHERS = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];
const network = { allowHttp: true, allow: ['127.0.0.0/8'] };

let folder: string;
let simulator: Simulator;
let other: Simulator;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-sources-'));
  [simulator, other] = await Promise.all([startStill({ tasks: 20 }), startStill({ tasks: 5, seed: 2 })]);
});
afterEach(async () => {
  await Promise.all([simulator.stop(), other.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const tokenOf = (one: Simulator) => one.tokens.Administrator[0] ?? '';

describe('through the API', () => {
  let world: ApiWorld;
  let url: string;
  let closeServer: () => void;
  beforeEach(async () => {
    world = await startApiWorld({ config: { network } });
    url = await new Promise((resolve) => {
      const server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve(`http://127.0.0.1:${port}`),
      );
      closeServer = () => server.close();
    });
  });
  afterEach(async () => {
    closeServer();
    await world.stop();
  });
  const sources = (argv: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runCommand(['sources', ...argv, '--api', url], { environment: { TIDINGS_API_KEY: world.admin, ...environment } });
  const add = (name: string, ...argv: readonly string[]) =>
    sources(['add', name, '--url', simulator.url, ...argv], { TIDINGS_TOKEN: tokenOf(simulator) });

  it('adds, shows, changes, lists and removes a source', async () => {
    const added = await add('north', '--announce-existing');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/^added {12}north at http.*\nannounceExisting true\nkind {13}work\n/);
    expect(added.stdout).toMatch(/token {12}stored encrypted\ntoken of {9}.*Administrator/);
    expect(added.stdout).toMatch(/task +20\n/);
    expect(added.stdout).not.toContain(tokenOf(simulator));
    expect((await sources(['show', 'north'])).stdout).toMatch(/^source {11}north at /);
    const changed = await sources(['change', 'north', '--zone', 'Asia/Tokyo', '--json']);
    expect(JSON.parse(changed.stdout)).toMatchObject({ settings: { timeZone: 'Asia/Tokyo' }, unused: null });
    const listed = (await sources(['list', '--json'])).stdout.trim().split('\n');
    expect(listed.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ source: 'main', origin: 'config', baseUrl: expect.stringContaining('http') }),
      { source: 'north', origin: 'stored', baseUrl: simulator.url, account: null, records: {}, unused: null },
    ]);
    expect((await sources(['list'])).stdout).toMatch(/north +no account yet at http.* +0 stored records +added\n/);
    expect(await sources(['remove', 'north'])).toMatchObject({
      code: 0,
      stdout: 'removed north; its records stay until on the machine of the service: tidings sources forget north\n',
    });
    expect(await sources(['show', 'north'])).toMatchObject({ code: 2, stderr: expect.stringContaining('not found') });
  });

  it('names the option that is wrong', async () => {
    const said = async (argv: readonly string[], token = tokenOf(simulator)) => {
      const { code, stderr } = await sources(argv, { TIDINGS_TOKEN: token });
      return `${code} ${stderr}`;
    };
    const at = ['--url', simulator.url];
    expect(await said(['add', 'bad name', ...at])).toMatch(/^2 tidings: <name>: expected a name of at most 64/);
    expect(await said(['add', 'north', '--url', 'ftp://x'])).toMatch(/^2 tidings: --url: expected a URL/);
    expect(await said(['add', 'north', ...at, '--zone', 'Mars/X'])).toMatch(/--zone: expected an IANA zone/);
    const tusk = ['--settings', '{"resources":{"tusk":{"every":"1m"}}}'];
    expect(await said(['add', 'north', ...at, ...tusk])).toMatch(/--settings \/resources: unknown key 'tusk'/);
    expect(await said(['add', 'north', ...at, '--settings', '[]'])).toContain('--settings: expected a JSON object');
    expect(await said(['add', 'north', ...at], 'wrong')).toMatch(/^2 .*refused the token \(401\)/);
    expect(await said(['add', 'north', ...at, '--token-ref', 'file:/etc/passwd'])).toContain(
      'not available with --api',
    );
    expect(await said(['change', 'nowhere', '--zone', 'UTC'])).toContain("source 'nowhere' not found");
    expect(await said(['change', 'main', '--zone', 'UTC'])).toContain('declared in the config');
    expect((await sources(['list'])).stdout).not.toContain('north');
  });

  it('takes the name and each setting from one place only', async () => {
    const named = await add('north', '--settings', '{"name":"south"}');
    expect(named).toMatchObject({ code: 2, stderr: expect.stringContaining('without the token and the name') });
    const twice = await add('north', '--settings', '{"baseUrl":"http://x"}');
    expect(twice).toMatchObject({ code: 2, stderr: 'tidings: --settings: expected no baseUrl, which --url sets\n' });
    expect(await world.embedded.storedSources.list()).toEqual([]);
  });

  it('sends a stored token to no other address, and takes a new one with --token', async () => {
    await add('north');
    const token = { TIDINGS_TOKEN: tokenOf(other) };
    const moved = await sources(['change', 'north', '--url', other.url], token);
    expect([moved.code, moved.stderr]).toEqual([2, expect.stringMatching(/--token\): expected a token for the new/)]);
    const both = await sources(['change', 'north', '--url', other.url, '--token'], token);
    expect(both).toMatchObject({ code: 0, stdout: expect.stringContaining(`north at ${other.url}`) });
  });

  it('shows a source that is not polled, with the reason', async () => {
    await world.embedded.storedSources.add(storedSource('main'));
    const listed = (await sources(['list'])).stdout;
    expect(listed).toMatch(
      /main +not polled \(added, at https:\/\/main\.example\.com\/api\): the config declares a source/,
    );
    const shown = await sources(['show', 'main']);
    expect(shown.stderr).toMatch(/it is not polled: the config declares/);
    const environment = { TIDINGS_API_KEY: world.admin };
    const status = await runCommand(['status', '--api', url], { environment });
    expect(status.stdout).toMatch(/^main {2}not polled \(added, at https:.*: the config declares/m);
    const json = JSON.parse((await runCommand(['status', '--api', url, '--json'], { environment })).stdout);
    expect(json.unusedSources).toMatchObject([{ source: 'main', baseUrl: 'https://main.example.com/api' }]);
  });
});

describe('on a data directory', () => {
  const file = (name: string) => join(folder, name);
  const run = (command: string, ...argv: readonly string[]) =>
    runCommand([...command.split(' '), '--config', file('tidings.json'), ...argv], {
      environment: { MAIN: tokenOf(simulator), TIDINGS_TOKEN: tokenOf(other) },
    });
  const data = () => ['--data', file('data')];
  const writeConfig = (config: object) => writeFileSync(file('tidings.json'), JSON.stringify({ network, ...config }));
  const task = { task: { every: '1m' } };
  const closed = {
    name: 'ops',
    events: ['task.closed'],
    to: { http: { url: 'http://127.0.0.1:9/x', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } },
  };

  it('says how to add a source while there is none', async () => {
    writeConfig({ sources: [], subscriptions: [closed] });
    const hint = 'tidings sources add NAME --url URL';
    const valid = await run('validate');
    expect([valid.code, valid.stdout]).toEqual([0, expect.stringContaining(hint)]);
    const first = await run('once', ...data());
    expect([first.code, first.stderr]).toEqual([0, `!  no sources, so nothing is polled: add one with: ${hint}\n`]);
    for (const command of ['status', 'sources', 'check']) {
      const { stderr } = await run(command, ...data());
      expect([command, stderr]).toEqual([command, expect.stringContaining(hint)]);
    }
    expect(await run('sources add north', '--url', other.url, ...data())).toMatchObject({ code: 0 });
    for (const command of ['once', 'status', 'sources']) {
      const { stderr } = await run(command, ...data());
      expect([command, stderr]).toEqual([command, '']);
    }
  });

  it('polls the others when a source cannot be read or is hidden, and says why', async () => {
    writeConfig({ source: { baseUrl: simulator.url, token: '${MAIN}', resources: task } });
    const database = openData(file('data'));
    const { storedSources } = sqliteStores(database);
    await storedSources.add(storedSource('main'));
    const packed = { ...storedSource('later').packed, kind: 'of-a-later-version' };
    await storedSources.add(storedSource('later', { packed }));
    database.close();
    expect(await run('sources add north', '--url', other.url, ...data())).toMatchObject({ code: 0 });
    const once = await run('once', ...data());
    expect([once.code, once.stdout]).toEqual([0, expect.stringContaining('north/task: baseline: 5')]);
    expect(once.stderr).toContain("the added source 'main' is not polled: the config declares a source of this name");
    expect(once.stderr).toContain("'later' is not polled: this version cannot poll it: source.kind: expected one of");
    const status = await run('status', ...data());
    expect(status.stdout).toMatch(/^later {2}not polled .*cannot poll it/m);
    expect((await run('sources', ...data())).stdout).toMatch(/later +not polled \(added/);
    const check = JSON.parse((await run('check', '--json', ...data())).stdout);
    expect(check.unusedSources.map(({ source }: { source: string }) => source)).toEqual(['later', 'main']);
    expect(await run('sources remove later', ...data())).toMatchObject({
      code: 0,
      stdout: `removed later; its records stay until: tidings sources forget later --data ${file('data')}\n`,
    });
  });

  it('estimates the cost of the sources that were added, and says when it does not', async () => {
    writeConfig({ sources: [] });
    await run('sources add north', '--url', other.url, ...data());
    const without = await run('cost');
    expect(without.stdout).toMatch(/0 records in 0 sources[\s\S]*sources that were added .* do not count/);
    const withThem = await run('cost', ...data());
    expect(withThem.stdout).toMatch(/records in 1 source[\s\S]*0 sources of the config, 1 added\n/);
    const json = JSON.parse((await run('cost', '--json', ...data())).stdout);
    expect(json.sources).toEqual({ config: 0, added: 1 });
    expect(json.scans[0]).toMatchObject({ source: 'north' });
  });

  it('renders messages in the zone of a source that was added', async () => {
    writeConfig({
      sources: [],
      subscriptions: [{ ...closed, name: 'mail', to: { slack: { webhook: 'https://hooks.slack.com/services/x' } } }],
    });
    await run('sources add north', '--url', other.url, '--zone', 'Pacific/Auckland', ...data());
    const far = await run('render', '--subscription', 'mail', '--json', ...data());
    const utc = await run('render', '--subscription', 'mail', '--json');
    expect(far.code).toBe(0);
    expect(far.stdout).not.toBe(utc.stdout);
  });

  it('checks a subscription against the sources that were added', async () => {
    writeConfig({ sources: [], mail: { from: 'tidings@example.com', smtp: 'smtp://127.0.0.1:9' } });
    const settings = JSON.stringify({ resources: { ...task, person: 'off' } });
    await run('sources add north', '--url', other.url, '--settings', settings, ...data());
    writeFileSync(
      file('sub.json'),
      JSON.stringify({ name: 'people', events: ['task.*'], to: { email: { to: 'assignees' } } }),
    );
    const { code, stderr } = await run(`subscriptions add ${file('sub.json')}`, ...data());
    expect([code, stderr]).toEqual([2, expect.stringContaining("source 'north' does not poll person")]);
  });

  it('shows one line for each of many sources, failing ones first, and one in full', async () => {
    const token = (index: number) => (index === 7 ? 'wrong' : '${MAIN}');
    const off = Object.fromEntries(OTHERS.map((name) => [name, 'off']));
    const sources = Array.from({ length: 12 }, (_, index) => ({
      ...{ name: `account-${index}`, token: token(index), timeZone: 'UTC' },
      baseUrl: index === 9 ? 'http://127.0.0.1:9' : simulator.url,
      resources: { ...off, ...task },
    }));
    writeConfig({ sources: [...sources.slice(0, 7), ...sources.slice(10)] });
    expect((await run('once', ...data())).code).toBe(0);
    writeConfig({ sources });
    await run('once', ...data());
    const { stdout } = await run('status', ...data());
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 1 + 12 + 1);
    expect(lines[0]).toBe('sources  10 of 12 healthy; one in full: --source NAME');
    expect(lines[2]).toMatch(/^ {2}account-7 +unauthorized +0 +never .*refused the token/);
    expect(lines[3]).toMatch(/^ {2}account-9 +failing +0 +never .*did not answer/);
    const one = await run('status --source account-3', ...data());
    expect(one.stdout).toMatch(/^account-3 {2}ok\n[\s\S]*resource +records/);
    const none = await run('status --source nowhere', ...data());
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("expected the name of a source, got 'nowhere'"),
    ]);
  });
});
