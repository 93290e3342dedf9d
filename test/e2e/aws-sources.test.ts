/** `tidings sources` on a deployed stack: the real functions poll what the commands add, with the permissions of their roles. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { MINUTE } from '../../core/model/time.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { type CommandResult, runCommand } from '../cli/run-command.ts';
import { type CapturedOutput, captureOutput } from '../functions/lambda-call.ts';
import { SECRET } from '../samples.ts';
import { startStill } from '../simulator/api-client.ts';
import { type Account, startAccount } from './aws-account.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let receiver: Receiver;
let account: Account;
let north: Simulator;
let output: CapturedOutput;

beforeEach(async () => {
  output = captureOutput();
  receiver = await startReceiver(SECRET);
  north = await startStill({ tasks: 12, seed: 2 });
  account = await startAccount(receiver.url);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([account.stop(), receiver.close(), north.stop()]);
});

const token = () => north.tokens.Administrator[0] ?? '';
const config = () => join(account.folder, 'tidings.yaml');

const sources = (argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
  runCommand(['sources', ...argv, '--aws', 'Tidings', '--config', config()], {
    clock: account.world.clock,
    environment,
  });

const add = (...argv: readonly string[]) =>
  sources(['add', 'north', '--url', north.url, ...argv], { TIDINGS_TOKEN: token() });

async function pollLater(): Promise<readonly string[]> {
  output.clear();
  account.world.clock.advance(10 * MINUTE);
  await account.world.functions.poll();
  return [...new Set(output.lines('scanned').map(({ source }) => String(source)))].sort();
}

it('adds a source that poll then reads with its own permissions, changes it, and removes it', async () => {
  const { world } = account;
  const added = await add('--settings', '{"resources":{"task":{"every":"1m"}}}');
  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(added.stdout).toMatch(/^added {12}north at http.*\n/);
  expect(added.stdout).toMatch(/task +12\n/);
  expect(added.stdout).not.toContain(token());
  // The token is a parameter of the stack, not a part of the table.
  const [stored] = await world.stores.storedSources.list();
  expect(JSON.stringify(stored)).not.toContain(token());
  expect([...world.secrets.values.values()]).toContain(token());
  expect(await pollLater()).toEqual(['main', 'north']);
  expect(output.lines('scanned').find(({ source }) => source === 'north')).toMatchObject({ baseline: true });

  const shown = await sources(['show', 'north']);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/^source {11}north at http/)]);
  const changed = await sources(['change', 'north', '--zone', 'Asia/Tokyo', '--json']);
  expect(JSON.parse(changed.stdout)).toMatchObject({ settings: { timeZone: 'Asia/Tokyo' } });
  const listed = await sources(['list']);
  expect(listed.stdout).toMatch(/main +http.*\nnorth +http.*12 task\) +added/);
  const status = JSON.parse((await account.withConfig('status', '--json')).stdout);
  expect(status.sources.map(({ source, timeZone }: Record<string, string>) => [source, timeZone])).toEqual([
    ['main', 'UTC'],
    ['north', 'Asia/Tokyo'],
  ]);
  const removed = await sources(['remove', 'north']);
  expect(removed.stdout).toBe('removed north; its records stay until: tidings sources forget north --aws Tidings\n');
  expect(await pollLater()).toEqual(['main']);
});

it('uses a new token without a deployment', async () => {
  await add();
  const second = { TIDINGS_TOKEN: north.tokens.Administrator[1] ?? '' };
  expect(await sources(['change', 'north', '--token'], second)).toMatchObject({ code: 0 });
  expect([...account.world.secrets.values.values()]).toContain(second.TIDINGS_TOKEN);
  expect(await pollLater()).toEqual(['main', 'north']);
});

it('refuses what the stack cannot poll, and stores nothing', async () => {
  const said = async (argv: readonly string[], environment = { TIDINGS_TOKEN: token() }) => {
    const { code, stderr } = await sources(argv, environment);
    return `${code} ${stderr}`;
  };
  const at = ['--url', north.url];
  expect(await said(['add', 'north', ...at], { TIDINGS_TOKEN: 'wrong' })).toMatch(/^2 .*refused the token \(401\)/);
  expect(await said(['add', 'main', ...at])).toMatch(/^2 .*'main' is declared in the config/);
  expect(await said(['add', 'north', ...at, '--token-ref', 'file:/x'])).toMatch(/^2 .*token.*expected/);
  const reference = await said(['add', 'north', ...at, '--token-ref', 'ssm:/not/there']);
  expect(reference).toMatch(/^2 .*\/not\/there.*functions read only what the config and moreSecrets of the stack list/);
  expect(await said(['show', 'north'])).toContain("source 'north' not found");
  expect(await said(['remove', 'north'])).toContain("source 'north' not found");
  expect(await account.world.stores.storedSources.list()).toEqual([]);
});

it('shows a source that the config hides, and estimates what all sources cost', async () => {
  await add('--settings', '{"resources":{"task":{"every":"5s"}}}');
  const hiding = join(account.folder, 'hiding.yaml');
  const source = { baseUrl: north.url, token: 'ssm:/north' };
  writeFileSync(hiding, stringify({ sources: [{ name: 'north', ...source }], network: { allowHttp: true } }));
  const listed = await account.run('sources', 'list', '--config', hiding);
  expect(listed.stdout).toMatch(/north +not polled \(added, at http.*\): the config declares a source of this name/);
  const status = await account.run('status', '--config', hiding);
  expect(status.stdout).toMatch(/^north {2}not polled \(added, at /m);
  const cost = JSON.parse((await account.withConfig('cost', '--json')).stdout);
  expect(cost.sources).toEqual({ config: 1, added: 1 });
  // In AWS a source is polled once a minute at most: a day has 1,440 of them.
  const shown = JSON.parse((await account.withConfig('status', '--json')).stdout);
  const ofNorth = shown.sources.find((one: { readonly source: string }) => one.source === 'north');
  expect(ofNorth.resources.find((one: { resource: string }) => one.resource === 'task').requestsADay).toBeLessThan(
    4000,
  );
});
