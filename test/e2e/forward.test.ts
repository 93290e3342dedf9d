/** `tidings listen --forward`: events reach an address on this machine as they were signed, and nothing is left behind. */

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { verify } from '../../kit/verify.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { runCommand } from '../cli/run-command.ts';
import { type ApiWorld, startApiWorld, startReceiver } from '../manage/api-world.ts';
import { start, tidings } from './command.ts';

let folder: string;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-forward-'));
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A listener as a process of its own, once it forwards. */
async function startListener(flags: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const child = start(['listen', '--forward', receiver.url, '--port', '0', ...flags], environment, folder);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await vi.waitFor(() => expect(output).toMatch(/^subscription {4}/m), { timeout: 40_000, interval: 50 });
  const [, secret = ''] = /^signing secret {2}(whsec_\S+)$/m.exec(output) ?? [];
  const [, name = ''] = /^subscription {4}([\w-]+),/m.exec(output) ?? [];
  return { child, secret, name, output: () => output };
}

const verifyLast = async (secret: string) => {
  const last = receiver.received.at(-1);
  return verify<{ type: string }>({ secret, headers: last?.headers ?? {}, body: last?.body ?? '', now: Date.now() });
};

describe('on a data directory', () => {
  let flags: readonly string[];
  beforeEach(() => {
    const config = join(folder, 'tidings.json');
    const source = { baseUrl: 'http://127.0.0.1:9', token: 'none', timeZone: 'UTC' };
    writeFileSync(
      config,
      JSON.stringify({ source, network: { allowHttp: true, allow: ['127.0.0.0/8'] }, subscriptions: [] }),
    );
    flags = ['--config', config, '--data', join(folder, 'data')];
    openData(join(folder, 'data')).close();
  });
  const names = async () => {
    const { stdout } = await runCommand(['subscriptions', '--json', '--data', join(folder, 'data')]);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).name as string]));
  };

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'passes signed events on, and removes its subscription on %s',
    async (signal) => {
      const { child, secret, name, output } = await startListener([...flags, '--events', 'task.*,invoice.paid']);
      expect(await names()).toEqual([name]);
      const tested = await tidings(['subscriptions', 'test', name, ...flags]);
      expect(tested.stdout).toContain('200');
      expect(await verifyLast(secret)).toMatchObject({ type: expect.stringMatching(/^(task|invoice)\./) });
      receiver.status = 503;
      expect((await tidings(['subscriptions', 'test', name, ...flags])).stdout).toContain('503');
      child.kill(signal);
      expect((await once(child, 'close'))[0]).toBe(0);
      expect(output()).toMatch(/stopped: 2 received, 2 verified, 0 refused/);
      expect(await names()).toEqual([]);
    },
  );

  it('replaces what a killed one left on its port, and a killed one ends by itself', async () => {
    const { child, name } = await startListener(flags);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await names()).toEqual([name]);
    const port = name.split('-').at(-1) ?? '';
    const again = await startListener([...flags, '--port', port]);
    expect(again.name).toBe(name);
    expect(await names()).toEqual([name]);
    expect((await tidings(['subscriptions', 'test', name, ...flags])).stdout).toContain('200');
    await verifyLast(again.secret);
    again.child.kill('SIGTERM');
    await once(again.child, 'close');
    expect(await names()).toEqual([]);
  });

  it('says what it expects of an address, of event types and of the config', async () => {
    const wrong = await runCommand(['listen', '--forward', 'nonsense', ...flags]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("such as 'http://localhost:3000/webhooks'"),
    ]);
    const types = await runCommand(['listen', '--forward', receiver.url, '--events', 'nope.*', ...flags]);
    expect([types.code, types.stderr]).toEqual([2, expect.stringContaining('event type')]);
    writeFileSync(
      flags[1] ?? '',
      JSON.stringify({ source: { baseUrl: 'https://x.example', token: 't', timeZone: 'UTC' }, subscriptions: [] }),
    );
    const refused = await runCommand(['listen', '--forward', receiver.url, '--port', '0', ...flags]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('allowHttp')]);
    expect(await names()).toEqual([]);
  });
});

describe('through the API', () => {
  let world: ApiWorld;
  let url: string;
  let close: () => void;
  beforeAll(async () => {
    world = await startApiWorld();
    // Signatures are checked against the real clock.
    world.advance(Date.now() - Date.parse(world.clock.now()));
    url = await new Promise((resolve) => {
      const server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve(`http://127.0.0.1:${port}`),
      );
      close = () => server.close();
    });
  });
  afterAll(async () => {
    close();
    await world.stop();
  });

  it('works with a key that may only subscribe, and cleans up', async () => {
    const { token } = await world.makeKey(['subscribe'], ['task.*']);
    const { child, name, secret } = await startListener(['--api', url, '--events', 'task.*'], {
      TIDINGS_API_KEY: token,
    });
    expect(name).toContain(hostname().slice(0, 5));
    const read = () => world.ask('GET', `/subscriptions/${name}`, undefined, { key: token });
    expect((await read()).body).toMatchObject({ events: ['task.*'], expiresAt: expect.any(String) });
    const tested = world.ask('POST', `/subscriptions/${name}/test`, undefined, { key: token });
    const pumping = setInterval(() => void world.pump(), 100);
    await tested;
    clearInterval(pumping);
    expect(await verifyLast(secret)).toMatchObject({ type: expect.stringMatching(/^task\./) });
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).toBe(0);
    expect((await read()).status).toBe(404);
  });
});
