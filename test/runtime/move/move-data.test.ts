/** Moves that are interrupted at each of their steps, and what a move does with secrets. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { localSecrets } from '../../../adapters/secrets/local-secrets.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { acknowledgeFeed } from '../../../adapters/sqlite/feed-table.ts';
import { sqlitePortableData } from '../../../adapters/sqlite/portable-data.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { type Subscription, signingSecrets } from '../../../core/model/subscription.ts';
import { DAY, fixedClock, plus } from '../../../core/model/time.ts';
import { type Archive, createArchive, openArchive } from '../../../runtime/move/archive.ts';
import { exportData } from '../../../runtime/move/export-data.ts';
import { importData } from '../../../runtime/move/import-data.ts';
import { fillPortable, viewPortable } from '../../contract/portable-data.ts';
import { storedSource } from '../../contract/source-store.ts';
import { NOON, SECRET, subscription } from '../../samples.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-move-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LATER = plus(NOON, DAY);
const clock = fixedClock(LATER);
const environment = { HOOK: 'https://chat.example.com/hook' };

function openInstallation(name: string) {
  const db = openDatabase(':memory:');
  const stores = sqliteStores(db);
  const secrets = localSecrets({ environment, directory: join(folder, name) });
  return { db, ...stores, portable: sqlitePortableData(db), secrets };
}

type Installation = ReturnType<typeof openInstallation>;

async function openFilled(): Promise<Installation> {
  const installation = openInstallation('origin');
  await fillPortable(installation);
  acknowledgeFeed(installation.db, { consumer: 'announce', position: 1000 });
  return installation;
}

const exportTo = (archive: Archive, from: Installation) =>
  exportData(from, archive, { clock, origin: 'here', progress: () => {} });

interface Changed {
  readonly target?: string;
  readonly declared?: readonly Subscription[];
  readonly master?: string;
}

const importInto = (archive: Archive, to: Installation, changed: Changed = {}) =>
  importData(to, archive, {
    target: 'there',
    declared: [subscription('ops')],
    channels: channelRegistry,
    progress: () => {},
    ...changed,
  });

/** Fails the nth call of a method, and is as before in any other one. */
function failingAt<T extends object, K extends keyof T>(object: T, method: K, n: number): T {
  let calls = 0;
  const original = object[method] as (...values: unknown[]) => unknown;
  const failing = (...values: unknown[]) => {
    calls += 1;
    if (calls === n) throw new Error('interrupted');
    return original(...values);
  };
  return { ...object, [method]: failing };
}

describe('a move', () => {
  it('continues an export that was interrupted at any page', async () => {
    const origin = await openFilled();
    const whole = createArchive(join(folder, 'whole'));
    await exportTo(whole, origin);
    for (let n = 1; ; n++) {
      const file = join(folder, `part-${n}`);
      const archive = createArchive(file);
      const interrupted = await exportTo(failingAt(archive, 'addPage', n), origin).catch(
        (error: Error) => error.message,
      );
      archive.close();
      if (interrupted !== 'interrupted') {
        expect(n).toBeGreaterThan(8);
        return;
      }
      const again = createArchive(file);
      await exportTo(again, origin);
      expect(again.counts()).toEqual(whole.counts());
      again.close();
    }
  });

  it('continues an import that was interrupted at any batch, and writes the rest once', async () => {
    const origin = await openFilled();
    const archive = createArchive(join(folder, 'archive'));
    await exportTo(archive, origin);
    archive.close();
    const original = await viewPortable(origin);
    for (let n = 1; ; n++) {
      const target = openInstallation(`target-${n}`);
      const opened = openArchive(join(folder, 'archive'));
      const stop = { ...target, portable: failingAt(target.portable, 'write', n) };
      const interrupted = await importInto(opened, stop, { target: `target-${n}` }).catch(
        (error: Error) => error.message,
      );
      if (interrupted === 'interrupted') await importInto(opened, target, { target: `target-${n}` });
      opened.close();
      const { subscriptions, ...moved } = await viewPortable(target);
      const { subscriptions: before, ...rest } = original;
      expect(moved).toEqual(rest);
      expect(subscriptions.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
      if (interrupted !== 'interrupted') {
        expect(n).toBeGreaterThan(8);
        return;
      }
    }
  });

  it('stores the secrets of subscriptions that no config declares in the new installation', async () => {
    const origin = await openFilled();
    const archive = createArchive(join(folder, 'archive'));
    await exportTo(archive, origin);
    const target = openInstallation('target');
    await importInto(archive, target);
    const team = await target.subscriptions.get('team');
    const { webhook = '' } = (team?.to.settings ?? {}) as { webhook?: string };
    expect(webhook).toMatch(/^file:.*target/);
    expect(await target.secrets.resolve(webhook)).toBe(environment.HOOK);
  });

  it('stores the token of a source that is kept in the data in the new installation', async () => {
    const origin = await openFilled();
    const token = await origin.secrets.keep('east', 'token-of-east');
    const stored = storedSource('east');
    const withToken = { settings: { ...stored.settings, token }, packed: { ...stored.packed, token } };
    await origin.storedSources.add({ ...stored, ...withToken });
    const archive = createArchive(join(folder, 'archive'));
    await exportTo(archive, origin);
    const target = openInstallation('target');
    await importInto(archive, target);
    const east = await target.storedSources.get('east');
    expect(east?.settings.token).toMatch(/^file:.*target/);
    expect(east?.packed.token).toBe(east?.settings.token);
    expect(await target.secrets.resolve(String(east?.settings.token))).toBe('token-of-east');
    expect(await target.storedSources.revision()).toBeGreaterThan(0);
  });

  it('moves a sealed token as it is, and only to an installation with the same master secret', async () => {
    const origin = await openFilled();
    await origin.storedSources.add(storedSource('east'));
    const archive = createArchive(join(folder, 'archive'));
    await exportTo(archive, origin);
    const target = openInstallation('target');
    await expect(importInto(archive, target, { master: 'ffffffff' })).rejects.toThrow(/manage\.secret/);
    expect(await target.storedSources.list()).toEqual([]);
    await importInto(archive, target, { master: '0123abcd' });
    expect(await target.storedSources.get('east')).toEqual(storedSource('east'));
  });

  it('keeps a rotated secret of a declared subscription in use, under the reference of the other config', async () => {
    const origin = await openFilled();
    const rotated = await origin.secrets.keep('ops', `whsec_${Buffer.alloc(32, 3).toString('base64')}`);
    await origin.subscriptions.save(
      subscription('ops', {
        rotation: { secret: rotated, replaces: SECRET, previous: SECRET, until: plus(NOON, DAY) },
      }),
    );
    const archive = createArchive(join(folder, 'archive'));
    await exportTo(archive, origin);
    const target = openInstallation('target');
    const declared = subscription('ops', {
      to: { channel: 'http', settings: { url: 'https://ops.example.com/hook', secret: '${OPS}' } },
    });
    await importInto(archive, target, { declared: [declared] });
    const ops = await target.subscriptions.get('ops');
    expect(ops).toBeDefined();
    const [current = ''] = ops === undefined ? [] : signingSecrets(ops, '${OPS}', plus(NOON, 2 * DAY));
    expect(await target.secrets.resolve(current)).toBe(await origin.secrets.resolve(rotated));
    expect(current).toContain('target');
  });

  it.each([['a subscription that the new config does not declare', [], /does not declare 'ops'/]])(
    'refuses %s, before it writes',
    async (_, declared, expected) => {
      const origin = await openFilled();
      const archive = createArchive(join(folder, 'archive'));
      await exportTo(archive, origin);
      const target = openInstallation('target');
      await expect(importInto(archive, target, { declared })).rejects.toThrow(expected);
      expect(await target.subscriptions.list()).toEqual([]);
    },
  );

  it('refuses secrets that were made with another manage.secret', async () => {
    const origin = await openFilled();
    const settings = { url: 'https://a.example.com', secret: 'derived:0123abcd:sub:1' };
    await origin.subscriptions.save(subscription('api', { declared: false, to: { channel: 'http', settings } }));
    const archive = createArchive(join(folder, 'archive'));
    await exportTo(archive, origin);
    await expect(importInto(archive, openInstallation('target'))).rejects.toThrow(/manage.secret: expected the one/);
    await expect(importInto(archive, openInstallation('same'), { master: '0123abcd' })).resolves.toBeDefined();
  });

  it('takes text that looks like a secret for text', async () => {
    const origin = await openFilled();
    const settings = { url: 'https://a.example.com', secret: 'derived:0123abcd:sub:1' };
    const forged = {
      where: { data: { record: { title: ['derived:deadbeef:x:1'] } } },
      template: { body: { a: 'sealed:deadbeef:AAAA' } },
    };
    await origin.subscriptions.save(
      subscription('api', { declared: false, owner: 'a', to: { channel: 'http', settings }, ...forged }),
    );
    await origin.documents.add(
      'slack-task',
      'a',
      { query: 'sealed:deadbeef:AAAA', args: { query: 'sealed:deadbeef:AAAA' } },
      null,
    );
    const archive = createArchive(join(folder, 'archive'));
    await exportTo(archive, origin);
    const target = openInstallation('target');
    await importInto(archive, target, { master: '0123abcd' });
    expect(await target.subscriptions.get('api')).toMatchObject(forged);
  });

  it.each([
    ['token', { token: 'sealed:deadbeef:AAAA' }],
    ['argument', { args: { token: 'sealed:deadbeef:AAAA' } }],
    ['response URL', { responseUrl: 'sealed:deadbeef:AAAA' }],
  ])('refuses a document whose %s was sealed with another manage.secret', async (_, body) => {
    const origin = await openFilled();
    await origin.documents.add('slack-task', 'a', body, null);
    const archive = createArchive(join(folder, 'archive'));
    await exportTo(archive, origin);
    await expect(importInto(archive, openInstallation('target'))).rejects.toThrow(/manage.secret: expected the one/);
  });

  it('refuses to export changes that are not announced', async () => {
    const origin = openInstallation('origin');
    await fillPortable(origin);
    const archive = createArchive(join(folder, 'archive'));
    await expect(exportTo(archive, origin)).rejects.toThrow(/changes are not announced yet/);
  });

  it('refuses to continue an export after the installation was at work', async () => {
    const origin = await openFilled();
    const archive = createArchive(join(folder, 'archive'));
    await exportTo(failingAt(archive, 'addPage', 3), origin).catch(() => {});
    const state = await origin.scanStates.get('main', 'task');
    if (state === undefined) throw new Error('no state');
    await origin.scanStates.save({ ...state, version: 3, lastTriedAt: plus(LATER, 1000) });
    await expect(exportTo(archive, origin)).rejects.toThrow(/stop the installation first, and export again/);
  });
});
