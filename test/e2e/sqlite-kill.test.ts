import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the writer and kills it after this many of its acknowledged commits. Returns the last acknowledged commit. */
async function writeAndKill(file: string, commits: number): Promise<number> {
  const script = join(import.meta.dirname, 'sqlite-kill-writer.ts');
  const child: ChildProcess = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let last = 0;
  if (child.stdout === null) throw new Error('no pipe');
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    if (last % 1000 >= commits) child.kill('SIGKILL');
  }
  const [, signal] = await exited;
  expect(signal).toBe('SIGKILL');
  return last;
}

describe('a database whose writer was killed', () => {
  it('has every acknowledged commit, and one feed entry for each commit, in order', async () => {
    const file = join(folder, 'tidings.db');
    let acknowledged = 0;
    for (const commits of [3, 40, 7, 91, 15]) {
      acknowledged = await writeAndKill(file, commits);
      const db = openDatabase(file);
      const store = sqliteSnapshotStore(db);
      const snapshots = await Array.fromAsync(store.list('main', 'task'));
      const versions = snapshots.reduce((sum, { version }) => sum + version, 0);
      const feed = await store.read('test', 1_000_000);
      db.close();
      // Batches of five are atomic, and no acknowledged batch is missing.
      expect(versions % 5).toBe(0);
      expect(versions).toBeGreaterThanOrEqual((acknowledged % 1000) * 5);
      expect(feed).toHaveLength(versions);
      for (const { key } of snapshots) {
        const own = feed.map(({ transition }) => transition).filter(({ after }) => after.key.id === key.id);
        expect(own.map(({ after }) => after.version)).toEqual(own.map((_, index) => index + 1));
        expect(own.every(({ before, after }) => (before?.version ?? 0) === after.version - 1)).toBe(true);
      }
      rmSync(file);
      rmSync(`${file}-wal`, { force: true });
      rmSync(`${file}-shm`, { force: true });
    }
  });
});
