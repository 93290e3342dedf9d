/** Restoring a backup over newer data: what was made and undone since the backup stays known, and nothing else. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { versionBeforeRestores } from '../../../core/model/snapshot.ts';
import { backUpData, restoreData } from '../../../runtime/embedded/backup.ts';
import { dataFileOf, openData } from '../../../runtime/embedded/data-directory.ts';
import { NOON, snapshot } from '../../samples.ts';

const LATER = '2026-11-14T13:00:00.000Z';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-restore-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const data = () => join(folder, 'data');
const backup = () => join(folder, 'backup.db');

/** Commits the snapshots, each over the version before. */
async function commit(...snapshots: readonly Snapshot[]): Promise<void> {
  const db = openData(data());
  for (const one of snapshots) {
    const outcome = await sqliteSnapshotStore(db).commit([{ snapshot: one, expected: one.version - 1 }]);
    expect(outcome).toEqual(['committed']);
  }
  db.close();
}

async function stored(id: string): Promise<Snapshot | undefined> {
  const db = openData(data());
  const found = await sqliteSnapshotStore(db).get({ source: 'main', resource: 'task', id });
  db.close();
  return found;
}

const restore = () => restoreData(backup(), { data: data(), pid: 1, now: LATER, force: true });

it('continues with the version of a record that was changed and changed back', async () => {
  await commit(snapshot('1', { record: { id: '1', title: 'A' } }), snapshot('2', { record: { id: '2', title: 'A' } }));
  backUpData(backup(), { data: data(), now: NOON, force: false });
  await commit(
    snapshot('1', { version: 2, record: { id: '1', title: 'B' } }),
    snapshot('1', { version: 3, record: { id: '1', title: 'A' } }),
    snapshot('2', { version: 2, record: { id: '2', title: 'B' } }),
  );
  restore();
  const [undone, changed] = [await stored('1'), await stored('2')];
  // The id of the next change of the first differs from those that were sent; that of the second is the same.
  expect(undone === undefined ? 0 : versionBeforeRestores(undone)).toBe(3);
  expect(changed?.record.title).toBe('A');
  expect(changed === undefined ? 0 : versionBeforeRestores(changed)).toBe(1);
  expect(Math.min(undone?.version ?? 0, changed?.version ?? 0)).toBeGreaterThan(1000);
});

it('keeps a record that was made and deleted as deleted, and forgets one that was only made', async () => {
  await commit(snapshot('1'));
  backUpData(backup(), { data: data(), now: NOON, force: false });
  await commit(snapshot('2'), snapshot('2', { version: 2, deletedAt: NOON }), snapshot('3'));
  restore();
  // If it comes back it is restored, and not created with the id of the event that receivers have.
  expect(await stored('2')).toMatchObject({ deletedAt: NOON, restoredAt: LATER });
  expect(await stored('3')).toBeUndefined();
});

it('keeps a moment that passed to be passed again, with the same id', async () => {
  const open = { record: { id: '1', datedue: '2026-11-13' } };
  await commit(snapshot('1', { ...open, stage: { overdue: false } }));
  backUpData(backup(), { data: data(), now: NOON, force: false });
  await commit(
    snapshot('1', { ...open, version: 2, stage: { overdue: false, dueSoon: true } }),
    snapshot('1', { ...open, version: 3, stage: { overdue: true } }),
  );
  restore();
  const found = await stored('1');
  expect(found?.stage).toEqual({ overdue: false });
  expect(found === undefined ? 0 : versionBeforeRestores(found)).toBe(1);
});

it('restores over damaged data all the same', async () => {
  await commit(snapshot('1', { record: { id: '1', title: 'A' } }));
  backUpData(backup(), { data: data(), now: NOON, force: false });
  writeFileSync(dataFileOf(data()), 'not a database');
  restore();
  expect(await stored('1')).toMatchObject({ record: { title: 'A' } });
});
