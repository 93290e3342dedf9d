import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { groupCommit } from '../../../adapters/sqlite/group-commit.ts';

let folder: string;
let db: Database;
let other: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-group-'));
  db = openDatabase(join(folder, 'tidings.db'));
  other = openDatabase(join(folder, 'tidings.db'));
});
afterEach(() => {
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

const insert = (name: string) => () =>
  db.prepare('INSERT INTO feed_consumers (consumer, position) VALUES (?, 1)').run(name).changes;
/** What another process reads from the file. */
const kept = () =>
  other
    .prepare('SELECT consumer FROM feed_consumers ORDER BY consumer')
    .all()
    .map((row) => row.consumer);

describe('groupCommit', () => {
  it('commits the writes of one turn in one transaction', async () => {
    let transactions = 0;
    const { batchWrite: together } = groupCommit((work) => {
      transactions += 1;
      return db.transaction(work);
    });
    expect(await Promise.all(['a', 'b', 'c'].map((name) => together(insert(name))))).toEqual([1, 1, 1]);
    expect(transactions).toBe(1);
    await together(insert('d'));
    expect(transactions).toBe(2);
    db.close();
  });

  it('resolves only when another process can see the write', async () => {
    const writing = db.batchWrite(insert('a'));
    expect(kept()).toEqual([]);
    await writing;
    expect(kept()).toEqual(['a']);
    db.close();
  });

  it('fails only the faulty write', async () => {
    const wrong = () => {
      insert('wrong')();
      throw new Error('not this one');
    };
    const outcomes = await Promise.allSettled([
      db.batchWrite(insert('a')),
      db.batchWrite(wrong),
      db.batchWrite(insert('b')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(kept()).toEqual(['a', 'b']);
    db.close();
  });

  it('fails every write when the file cannot be written', async () => {
    const { batchWrite: together } = groupCommit(() => {
      throw new Error('disk full');
    });
    const outcomes = await Promise.allSettled([together(insert('a')), together(insert('b'))]);
    expect(outcomes).toMatchObject([{ reason: { message: 'disk full' } }, { reason: { message: 'disk full' } }]);
    db.close();
  });

  it('commits pending writes when the file is closed', async () => {
    const writing = db.batchWrite(insert('a'));
    db.close();
    expect(await writing).toBe(1);
    expect(kept()).toEqual(['a']);
  });
});
