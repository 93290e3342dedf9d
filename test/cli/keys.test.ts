/** `tidings keys`, and what commands leave in the audit trail. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { authenticate } from '../../manage/api/http/authenticate.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { SECRET, subscription } from '../samples.ts';
import { runCommand } from './run-command.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-keys-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...argv: readonly string[]) =>
  runCommand([...argv, '--data', join(folder, 'data')], { environment: { USER: 'ann', OPS: SECRET } });

async function withData<T>(work: (stores: ReturnType<typeof sqliteStores>) => Promise<T>): Promise<T> {
  const database = openDatabase(join(folder, 'data', 'tidings.db'));
  try {
    return await work(sqliteStores(database));
  } finally {
    database.close();
  }
}

describe('tidings keys', () => {
  it('makes a key that works, lists it without its token, and removes it', async () => {
    const made = await run(
      'keys',
      'add',
      'billing',
      '--scope',
      'read',
      'subscribe',
      '--events',
      'invoice.*',
      '--expires',
      '90d',
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const [token = ''] = /tdk_\S+/.exec(made.stdout) ?? [];
    const caller = await withData((stores) => authenticate({ ...stores, clock: systemClock }, `Bearer ${token}`));
    expect(caller).toMatchObject({ name: 'billing', scopes: ['read', 'subscribe'], events: ['invoice.*'] });
    const listed = await run('keys');
    expect(listed.stdout).toMatch(/billing {2}read, subscribe {2}invoice\.\* {2}made .* last used .* expires/);
    expect(listed.stdout).not.toContain('tdk_');
    expect(await run('keys', 'remove', caller.id)).toMatchObject({ code: 0, stdout: `removed ${caller.id}\n` });
    expect((await run('keys', 'remove', caller.id)).code).toBe(2);
    expect((await run('keys', 'list')).stderr).toContain('tidings keys add');
  });

  it('says which subscriptions of a removed key go on sending, and removes them on request', async () => {
    await run('keys', 'add', 'partner', '--scope', 'subscribe');
    const key = await withData(async ({ apiKeys, subscriptions }) => {
      const id = (await apiKeys.list()).find(({ name }) => name === 'partner')?.id ?? '';
      for (const name of ['first', 'second'])
        await subscriptions.add(subscription(name, { declared: false, owner: id }));
      await subscriptions.add(subscription('of-the-operator'));
      return id;
    });
    expect((await run('keys', 'list')).stdout).toMatch(/partner .* 2 subscriptions/);
    const removed = await run('keys', 'remove', key);
    expect([removed.code, removed.stdout]).toEqual([0, `removed ${key}\n`]);
    expect(removed.stderr).toBe(
      `its 2 subscriptions stay and go on sending: first, second\nremove with: tidings keys remove ${key} --subscriptions\n`,
    );
    expect((await run('keys', 'remove', key)).code).toBe(2);
    const cleared = await run('keys', 'remove', key, '--subscriptions');
    expect([cleared.code, cleared.stdout]).toEqual([0, 'removed subscription first\nremoved subscription second\n']);
    const left = await withData(({ subscriptions }) => subscriptions.list());
    expect(left.map(({ name }) => name)).toEqual(['of-the-operator']);
    expect((await run('keys', 'remove', key, '--subscriptions')).code).toBe(2);
  });

  it('makes a key with quotas of its own, and lists them', async () => {
    const quotas = ['--quota', 'requests=1200/m', 'subscriptions=10', 'units=5000/m'];
    expect((await run('keys', 'add', 'importer', '--scope', 'read', ...quotas)).code).toBe(0);
    const [key] = await withData(({ apiKeys }) => apiKeys.list());
    expect(key?.quotas).toEqual({
      requests: { count: 1200, per: 60_000 },
      subscriptions: 10,
      units: { count: 5000, per: 60_000 },
    });
    expect((await run('keys', 'list')).stdout).toMatch(/requests=1200\/m.*units=5000\/m/);
    for (const wrong of ['requests', 'requests=many', 'visits=3', 'subscriptions=-1', 'bytes=']) {
      const refused = await run('keys', 'add', 'x', '--scope', 'read', '--quota', wrong);
      expect([wrong, refused.code, refused.stderr]).toEqual([wrong, 2, expect.stringMatching(/expected/i)]);
    }
  });

  it('rejects scopes and types that do not exist', async () => {
    expect((await run('keys', 'add', 'x', '--scope', 'root')).code).toBe(2);
    expect((await run('keys', 'add', 'x', '--scope', 'read', '--events', 'nothing.*')).code).toBe(2);
    expect((await run('keys', 'add', 'x')).code).toBe(2);
    expect((await run('keys', 'add', 'x', '--scope', 'read', '--expires', '2020-01-01T00:00:00Z')).code).toBe(2);
  });
});

describe('a subscription of more bytes than one may have', () => {
  it('is not added at the command line, and an added one does not become one', async () => {
    const config = join(folder, 'tidings.yaml');
    writeFileSync(config, 'source: { baseUrl: "https://work.example.com", token: t }\n');
    const file = join(folder, 'mine.yaml');
    const add = (titles: number) => {
      const title = Array.from({ length: titles }, (_, n) => `${n}${'x'.repeat(10_000)}`);
      const to = { http: { url: 'https://ops.example.com', secret: '${OPS}' } };
      writeFileSync(
        file,
        JSON.stringify({ name: 'large', events: ['task.*'], where: { data: { record: { title } } }, to }),
      );
      return run('subscriptions', 'add', file, '--config', config);
    };
    const refused = expect.stringMatching(/expected a subscription of at most 300 KB, got 39\d KB/);
    expect(await add(40)).toMatchObject({ code: 2, stderr: refused });
    expect(await add(25)).toMatchObject({ code: 0 });
    expect(await add(40)).toMatchObject({ code: 2, stderr: refused });
    const { entries } = await withData(({ audit }) => audit.page({ limit: 100 }));
    const own = entries.filter(({ target }) => target === 'subscription/large');
    expect(own.map(({ action }) => action)).toEqual(['subscription.created']);
    expect(await run('subscriptions', 'remove', 'large')).toMatchObject({ code: 0 });
  });
});

describe('the audit trail', () => {
  it('names the person who changed something at the command line', async () => {
    const config = join(folder, 'tidings.yaml');
    writeFileSync(config, 'source: { baseUrl: "https://work.example.com", token: t }\n');
    const file = join(folder, 'mine.yaml');
    writeFileSync(
      file,
      'name: mine\nevents: [task.*]\nto: { http: { url: "https://ops.example.com", secret: "${OPS}" } }\n',
    );
    expect((await run('subscriptions', 'add', file, '--config', config)).code).toBe(0);
    for (const verb of ['pause', 'resume', 'rotate', 'remove']) {
      expect([verb, (await run('subscriptions', verb, 'mine')).code]).toEqual([verb, 0]);
    }
    const { entries } = await withData(({ audit }) => audit.page({ limit: 5 }));
    expect(entries.map(({ action }) => action)).toEqual([
      'subscription.removed',
      'subscription.rotated',
      'subscription.resumed',
      'subscription.paused',
      'subscription.created',
    ]);
    expect(new Set(entries.map(({ by }) => `${by.kind} ${by.id}`))).toEqual(new Set(['command ann']));
    expect(JSON.stringify(entries)).not.toContain('whsec_');
  });
});
