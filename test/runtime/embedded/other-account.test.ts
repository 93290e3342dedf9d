/** A data directory that the README's commands filled, and then a config of another account. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { runCommandAt } from '../../cli/run-command.ts';
import { type Receiver, startReceiver } from '../../e2e/receiver.ts';
import { NOON, SECRET } from '../../samples.ts';

let folder: string;
let data: string;
let demo: Simulator;
let other: Simulator;
let receiver: Receiver;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-account-'));
  data = join(folder, 'data');
  demo = await startSimulator({ seed: 7, tasks: 60, now: NOON, speed: 0 });
  other = await startSimulator({ seed: 3, tasks: 90, now: NOON, speed: 0 });
  receiver = await startReceiver(SECRET);
});

afterEach(async () => {
  await Promise.all([demo.stop(), other.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
});

function configOf({ url, tokens }: Pick<Simulator, 'url' | 'tokens'>, baseUrl = url): string {
  const file = join(folder, 'tidings.yaml');
  const http = { url: receiver.url, secret: SECRET };
  const config = {
    source: { baseUrl, token: tokens.Administrator[0] },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [{ name: 'ops-hook', events: ['*'], to: { http } }],
  };
  writeFileSync(file, stringify(config));
  return file;
}

const HOUR_LATER = '2026-11-14T13:30:00.000Z';
const run = (now: string, ...argv: readonly string[]) => runCommandAt(now, [...argv, '--data', data]);

/** All events, and all deliveries with their attempts. */
const recorded = async () =>
  Promise.all(['events', 'deliveries'].map(async (list) => (await run(HOUR_LATER, list, '--json')).stdout));

describe('a data directory of one account', () => {
  it.each(['once', 'serve'])('is refused by %s with a config of another account', async (command) => {
    const first = await run(NOON, 'once', '--config', configOf(demo));
    expect(first.code).toBe(0);
    demo.account.update('task', '3', { title: 'Changed before the demo stopped' });
    const before = await recorded();
    const config = configOf(other);
    const refused = await run(HOUR_LATER, command, '--config', config, ...(command === 'serve' ? ['--port', '0'] : []));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`stored from ${demo.url} (person 1, Nadia Oduya), found ${other.url} (person 1, `);
    for (const way of ['--data DIR', 'another name in the config', 'tidings sources forget main'])
      expect(refused.stderr).toContain(way);
    expect(await recorded()).toEqual(before);
    expect(receiver.events).toEqual([]);
  });

  it('costs once no request while nothing is due or the quota is used up, and is checked at another address', async () => {
    await run(NOON, 'once', '--config', configOf(demo));
    const used = () => demo.quota.state().used;
    const before = used();
    expect(await run('2026-11-14T12:01:00.000Z', 'once', '--config', configOf(demo))).toMatchObject({ code: 0 });
    expect(used()).toBe(before);
    const refused = await run('2026-11-14T12:01:00.000Z', 'once', '--config', configOf(other));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    demo.quota.reset(4900);
    await run('2026-11-14T12:06:00.000Z', 'once', '--config', configOf(demo));
    expect(used()).toBeLessThanOrEqual(4901);
    const inReserve = used();
    await run('2026-11-14T12:12:00.000Z', 'once', '--config', configOf(demo));
    expect(used()).toBe(inReserve);
  });

  it('is refused by once with the token of another account at the same address, although nothing is due', async () => {
    const config = configOf(demo);
    await run(NOON, 'once', '--config', config);
    demo.account.update('task', '3', { title: 'Changed before the token was replaced' });
    receiver.status = 500;
    await run('2026-11-14T12:06:00.000Z', 'once', '--config', config);
    receiver.status = 204;
    const before = await recorded();
    const received = receiver.events.length;
    await demo.stop();
    demo = await startSimulator({ seed: 3, tasks: 90, now: NOON, speed: 0, port: Number(new URL(demo.url).port) });
    const refused = await run('2026-11-14T12:08:00.000Z', 'once', '--config', configOf(demo));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain("source 'main' now reaches another account");
    expect(receiver.events.length).toBe(received);
    expect(await recorded()).toEqual(before);
  });

  it('costs once one request for another token of the same account, once', async () => {
    await run(NOON, 'once', '--config', configOf(demo));
    const used = () => demo.quota.state().used;
    const before = used();
    const [, second = ''] = demo.tokens.Administrator;
    const config = configOf({ url: demo.url, tokens: { ...demo.tokens, Administrator: [second] } });
    await run('2026-11-14T12:01:00.000Z', 'once', '--config', config);
    const cost = used() - before;
    expect(cost).toBeGreaterThan(0);
    expect(cost).toBeLessThanOrEqual(5);
    await run('2026-11-14T12:02:00.000Z', 'once', '--config', config);
    expect(used() - before).toBe(cost);
  });

  it('is reported by check and status, which change nothing', async () => {
    await run(NOON, 'once', '--config', configOf(demo));
    const config = configOf(other);
    const check = await run(HOUR_LATER, 'check', '--config', config);
    expect(check.code).toBe(1);
    expect(check.stdout).toContain("✗  source 'main' now reaches another account");
    const status = await run(HOUR_LATER, 'status', '--config', config);
    expect(status.code).toBe(1);
    expect(status.stdout).toContain(
      `main  other_account: the config names ${other.url}, the stored records are of ${demo.url}`,
    );
    const again = await run(HOUR_LATER, 'once', '--config', configOf(demo));
    expect(again.code).toBe(0);
  });

  it('can be forgotten: events stay, and the other account starts with a baseline', async () => {
    await run(NOON, 'once', '--config', configOf(demo));
    const unconfirmed = await run(HOUR_LATER, 'sources', 'forget', 'main');
    expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining('sources forget main --data') });
    expect(unconfirmed.stdout).toMatch(
      /^source main: \d+ stored records \(.*60 task\)\. Events and deliveries stay\.\n$/,
    );
    const config = configOf(other);
    expect((await run(HOUR_LATER, 'once', '--config', config)).code).toBe(2);
    expect((await run(HOUR_LATER, 'sources', 'forget', 'main', '--yes')).code).toBe(0);
    const { code, stdout } = await run(HOUR_LATER, 'once', '--config', config);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('90 existing records') });
    const events = (await run(HOUR_LATER, 'events', '--json')).stdout.trim().split('\n');
    expect(events.map((line) => JSON.parse(line).type)).toEqual(['source.baselined', 'source.baselined']);
    const listed = await run(HOUR_LATER, 'sources', '--config', config);
    expect(listed.stdout).toContain(`main  ${other.url} (person 1, `);
  });

  it('follows its account to another address', async () => {
    await run(NOON, 'once', '--config', configOf(demo));
    const moved = configOf(demo, demo.url.replace('127.0.0.1', 'localhost'));
    const { code, stderr } = await run(HOUR_LATER, 'once', '--config', moved);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('does not know a misspelled source', async () => {
    await run(NOON, 'once', '--config', configOf(demo));
    const { code, stderr } = await run(HOUR_LATER, 'sources', 'forget', 'mian', '--yes');
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("source 'mian'") });
  });

  it('keeps its records when a person adopts the account', async () => {
    await run(NOON, 'once', '--config', configOf(demo));
    expect((await run(HOUR_LATER, 'sources', 'adopt', 'main')).code).toBe(0);
    expect((await run(HOUR_LATER, 'once', '--config', configOf(demo))).code).toBe(0);
  });
});
