import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { batchReads } from '../../../adapters/sqlite/batch-reads.ts';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';

let db: Database;
beforeEach(() => {
  db = openDatabase(':memory:');
  for (const name of ['a', 'b', 'c']) {
    db.prepare('INSERT INTO feed_consumers (consumer, position) VALUES (?, ?)').run(name, name.charCodeAt(0));
  }
});
afterEach(() => db.close());

const read = (name: string) => () =>
  db.prepare('SELECT position FROM feed_consumers WHERE consumer = ?').get(name)?.position;

/** The number of reads in each transaction. */
function counting() {
  const sizes: number[] = [];
  let inside = 0;
  const reading = batchReads((work) => {
    inside = 0;
    work();
    sizes.push(inside);
  });
  const counted = (name: string) =>
    reading(() => {
      inside += 1;
      return read(name)();
    });
  return { sizes, counted };
}

describe('batchReads', () => {
  it('runs the reads of one turn in one transaction, each with its own result', async () => {
    const { sizes, counted } = counting();
    expect(await Promise.all(['a', 'b', 'none', 'c'].map(counted))).toEqual([97, 98, undefined, 99]);
    expect(sizes).toEqual([4]);
  });

  it('also batches the reads that follow from them', async () => {
    const { sizes, counted } = counting();
    const twice = async (name: string) => [await counted(name), await counted('c')];
    expect(await Promise.all(['a', 'b'].map(twice))).toEqual([
      [97, 99],
      [98, 99],
    ]);
    expect(sizes).toEqual([2, 2]);
  });

  it('uses no transaction for a single read', async () => {
    const { sizes, counted } = counting();
    expect(await counted('b')).toBe(98);
    expect(sizes).toEqual([]);
  });

  it('resolves before the turn ends', async () => {
    let isNextTurn = false;
    setImmediate(() => {
      isNextTurn = true;
    });
    await Promise.all([db.batchRead(read('a')), db.batchRead(read('b'))]);
    expect(isNextTurn).toBe(false);
  });

  it('fails only the faulty read', async () => {
    const wrong = () => {
      throw new Error('not this one');
    };
    const outcomes = await Promise.allSettled([db.batchRead(read('a')), db.batchRead(wrong)]);
    expect(outcomes).toMatchObject([{ value: 97 }, { reason: { message: 'not this one' } }]);
    expect(await Promise.all([db.batchRead(read('b')), db.batchRead(read('c'))])).toEqual([98, 99]);
  });

  it('reads one by one when the transaction fails', async () => {
    const reading = batchReads(() => {
      throw new Error('no transaction');
    });
    expect(await Promise.all([reading(read('a')), reading(read('b'))])).toEqual([97, 98]);
  });

  it('sees earlier writes, and does not block the next writer', async () => {
    const reads = Promise.all([db.batchRead(read('d')), db.batchRead(read('a'))]);
    db.prepare("INSERT INTO feed_consumers (consumer, position) VALUES ('d', 1)").run();
    expect(await reads).toEqual([1, 97]);
    expect(db.transaction(() => read('d')())).toBe(1);
  });

  it('fails every read when the file was closed', async () => {
    const closed = openDatabase(':memory:');
    const reads = [1, 2].map(() => closed.batchRead(() => closed.prepare('SELECT 1 AS one').get()));
    closed.close();
    expect((await Promise.allSettled(reads)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
