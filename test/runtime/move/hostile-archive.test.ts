/** Archives that someone else made, or that are damaged: refused before anything is stored. */

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { localSecrets } from '../../../adapters/secrets/local-secrets.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqlitePortableData } from '../../../adapters/sqlite/portable-data.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { createArchive, openArchive } from '../../../runtime/move/archive.ts';
import { importData } from '../../../runtime/move/import-data.ts';
import { storedSource } from '../../contract/source-store.ts';
import { NOON, subscription } from '../../samples.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-hostile-archive-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const environment = { DATABASE_PASSWORD: 'of the operator' };

function openTarget() {
  const db = openDatabase(':memory:');
  const secrets = localSecrets({ environment, directory: join(folder, 'data', 'secrets') });
  return { ...sqliteStores(db), portable: sqlitePortableData(db), secrets };
}

interface Row {
  readonly kind: string;
  readonly id?: string;
  readonly body: unknown;
}

/** Made with SQL, as a stranger would. @param kept where an import is said to have stored a secret */
function makeArchive(rows: readonly Row[], secrets: Readonly<Record<string, string>> = {}, kept: typeof secrets = {}) {
  const file = join(folder, 'archive');
  createArchive(file).close();
  const db = new DatabaseSync(file);
  db.prepare("INSERT INTO facts VALUES ('exportedAt', ?)").run(NOON);
  for (const { kind, id = 'x', body } of rows) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    db.prepare("INSERT INTO entries VALUES (?, ?, '', ?)").run(kind, id, text);
  }
  for (const [reference, value] of Object.entries(secrets))
    db.prepare('INSERT INTO secrets VALUES (?, ?)').run(reference, value);
  for (const [reference, value] of Object.entries(kept))
    db.prepare("INSERT INTO kept_secrets VALUES ('there', ?, ?)").run(reference, value);
  db.close();
  return openArchive(file);
}

const importInto = (target: ReturnType<typeof openTarget>, archive: ReturnType<typeof openArchive>) =>
  importData(target, archive, {
    target: 'there',
    declared: [],
    channels: channelRegistry,
    master: '0123abcd',
    progress: () => {},
  }).finally(() => archive.close());

const chat = (name: string, webhook: string) =>
  subscription(name, { declared: false, to: { channel: 'slack', settings: { webhook } } });

const source = (settingsToken: string, packedToken: string) => {
  const stored = storedSource('east');
  const settings = { ...stored.settings, baseUrl: 'https://evil.example', token: settingsToken };
  return { ...stored, settings, packed: { ...stored.packed, token: packedToken } };
};

describe('an import', () => {
  it.each(['../../outside', '/tmp/outside', 'a/b', '..', 'a\u0000b', '\u202ea', ''])(
    'refuses a subscription or source whose name may lead out of the data directory: %j',
    async (name) => {
      const target = openTarget();
      const named = [
        { kind: 'subscription', body: chat(name, 'file:a') },
        { kind: 'source', body: { ...source('file:a', 'file:a'), name } },
      ];
      for (const row of named) {
        rmSync(join(folder, 'archive'), { force: true });
        await expect(importInto(target, makeArchive([row], { 'file:a': 'content' }))).rejects.toThrow(UsageError);
      }
      expect(readdirSync(folder)).toEqual(['archive']);
    },
  );

  it.each(['file:/etc/passwd', '${DATABASE_PASSWORD}', 'ssm:/other', 'kept:master', 'secret:other#key'])(
    'refuses an archive that names a secret of the new installation: %s',
    async (reference) => {
      const target = openTarget();
      const forged = [
        { kind: 'subscription', body: chat('team', reference) },
        { kind: 'source', body: source(reference, reference) },
        { kind: 'source', body: source('sealed:0123abcd:x', reference) },
      ];
      for (const row of forged) {
        rmSync(join(folder, 'archive'), { force: true });
        await expect(importInto(target, makeArchive([row]))).rejects.toThrow(/the archive lacks|names two tokens/);
      }
      expect([await target.subscriptions.list(), await target.storedSources.list()]).toEqual([[], []]);
    },
  );

  it('does not let the archive say where one of its secrets was stored', async () => {
    const target = openTarget();
    const archive = makeArchive(
      [{ kind: 'subscription', body: chat('team', 'file:a') }],
      { 'file:a': 'https://chat.example.com/hook' },
      { 'file:a': '${DATABASE_PASSWORD}' },
    );
    await importInto(target, archive);
    const { webhook = '' } = ((await target.subscriptions.get('team'))?.to.settings ?? {}) as { webhook?: string };
    expect(webhook).toMatch(/^file:.*data/);
    expect(await target.secrets.resolve(webhook)).toBe('https://chat.example.com/hook');
  });

  it.each<[string, Row]>([
    ['text that is no JSON', { kind: 'event', body: '{"id":' }],
    ['a list in place of a subscription', { kind: 'subscription', body: [] }],
    ['null in place of a key', { kind: 'key', body: 'null' }],
    [
      'a number as the id of a key',
      { kind: 'key', body: { id: 7, name: 'a', hash: 'b', scopes: [], createdAt: NOON } },
    ],
    [
      'an object as the id of an event',
      { kind: 'event', body: { id: {}, type: 't', time: NOON, subject: 's', data: {} } },
    ],
    ['a delivery without attempts', { kind: 'delivery', body: { id: 'a', subscription: 'b', status: 'pending' } }],
    ['a document that is text', { kind: 'document', body: { kind: 'a', id: 'b', body: 'c' } }],
    ['a snapshot without a key', { kind: 'snapshot', body: { record: {}, version: 1 } }],
    ['a scan of no source', { kind: 'scan', body: { resource: 'task' } }],
    ['an unknown kind of entry', { kind: 'program', body: {} }],
    [
      'values nested deeply',
      { kind: 'audit', body: `{"id":"a","at":"b","action":"c","details":${'['.repeat(5000)}${']'.repeat(5000)}}` },
    ],
  ])('refuses %s with a clear error, and stores nothing', async (_, row) => {
    const target = openTarget();
    const good = { kind: 'thread', body: { subscription: 'a', subject: 'b', thread: 'c' } };
    const refused = await importInto(target, makeArchive([good, row])).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UsageError);
    expect(refused).toMatchObject({ code: 'TIDINGS_ARCHIVE_UNUSABLE', message: expect.stringContaining(row.kind) });
    expect(await target.portable.describe()).toMatchObject({ hasRecords: false });
  });

  it('starts from the beginning after a note of progress that it did not write', async () => {
    const archive = makeArchive([
      { kind: 'subscription', id: 'team', body: chat('team', 'https://chat.example.com/h') },
    ]);
    archive.setFact('imported:there', '{"kind":"nothing"}');
    const target = openTarget();
    await importInto(target, archive);
    expect((await target.subscriptions.list()).map(({ name }) => name)).toEqual(['team']);
  });
});

it('keeps a secret in its own directory, whatever the name is', async () => {
  const { secrets } = openTarget();
  const reference = await secrets.keep('../../escaped/../x', 'a secret');
  expect(reference.startsWith(`file:${join(folder, 'data', 'secrets')}/`)).toBe(true);
  expect(existsSync(reference.slice('file:'.length))).toBe(true);
  expect(await secrets.resolve(await secrets.keep('n'.repeat(500), 'another'))).toBe('another');
});
