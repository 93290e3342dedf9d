import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareIds } from '../../../../core/model/record.ts';
import type { Page } from '../../../../core/ports/source-api.ts';
import { betterLimit } from '../../../../core/source/scan/page-size.ts';
import { type PageRead, type PageRequest, readPages } from '../../../../core/source/scan/paging.ts';
import { NOON } from '../../../samples.ts';

/** A list of ids that a test may change between two pages. */
function movingList(ids: Iterable<number>, move: (ids: Set<number>, request: number) => void = () => {}) {
  const present = new Set(ids);
  const asked: PageRequest[] = [];
  const fetch = async ({ offset, limit }: PageRequest): Promise<Page> => {
    asked.push({ offset, limit });
    move(present, asked.length);
    const all = [...present].sort((a, b) => a - b).map(String);
    const rows = all.slice(offset, offset + limit);
    return {
      digest: rows.join(),
      bytes: rows.length * 900,
      took: 10,
      serverTime: null,
      content: () => ({
        rows: rows.map((id) => ({ id, fingerprint: BigInt(id), parse: () => ({ id }) })),
        listCount: all.length,
        personId: null,
      }),
    };
  };
  return { present, asked, fetch };
}

async function readAll(fetch: (request: PageRequest) => Promise<Page>, limit = 500): Promise<PageRead[]> {
  return Array.fromAsync(readPages({ now: () => NOON, fetch, limitAt: () => limit }));
}

const idsOf = (reads: readonly PageRead[]) => reads.flatMap(({ fresh }) => (fresh ?? []).map(({ id }) => id));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('betterLimit', () => {
  const pages = (...rows: number[]) => rows.map((rows) => ({ rows, bytes: rows * 900, took: rows / 50 }));

  it.each([
    ['one page is enough as it is', pages(400), undefined],
    ['a list that grew past its page', pages(500, 2), 728],
    ['first small, then large', pages(500, 1000, 2000, 4000, 2500), 4660],
    ['large ones already', pages(4660, 4660, 4660, 900), undefined],
    ['nothing', [], undefined],
  ])('%s', (_, list, limit) => {
    expect(betterLimit(list)).toBe(limit);
  });

  it('does not ask a slow API for more than it manages in two seconds', () => {
    const slow = [500, 500, 500, 500, 500, 500].map((rows) => ({ rows, bytes: rows * 900, took: 1000 }));
    expect(betterLimit(slow)).toBe(1000);
  });
});

describe('readPages', () => {
  it.each([0, 1, 2, 9, 10, 11, 19, 20, 28, 29, 100])('reads each of %i records once, in order', async (count) => {
    const reads = await readAll(movingList(upTo(count)).fetch, 10);
    expect(idsOf(reads)).toEqual(upTo(count).map(String));
    expect(reads.every(({ complete }) => complete)).toBe(true);
    expect(reads.map(({ final }) => final)).toEqual(reads.map((_, index) => index === reads.length - 1));
  });

  it('reads any list once through, whatever the page size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 2, max: 50 }), async (count, limit) => {
        expect(idsOf(await readAll(movingList(upTo(count)).fetch, limit))).toEqual(upTo(count).map(String));
      }),
    );
  });

  it('misses nothing that was there throughout, however the list moves under it', async () => {
    const move = fc.record({
      at: fc.integer({ min: 1, max: 30 }),
      remove: fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 30 }),
      add: fc.array(fc.integer({ min: 150, max: 400 }), { maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 40 }), fc.array(move, { maxLength: 12 }), async (limit, moves) => {
        const gone = new Set(moves.flatMap(({ remove }) => remove));
        const list = movingList(upTo(200), (ids, request) => {
          for (const { at, remove, add } of moves) {
            if (at !== request) continue;
            for (const id of remove) ids.delete(id);
            for (const id of add) ids.add(id);
          }
        });
        const reads = await readAll(list.fetch, limit);
        const read = idsOf(reads);
        expect(new Set(read).size).toBe(read.length);
        expect(read).toEqual(read.toSorted(compareIds));
        if (!reads.every(({ complete }) => complete)) return;
        const throughout = upTo(200).filter((id) => !gone.has(id));
        expect(throughout.filter((id) => !read.includes(String(id)))).toEqual([]);
      }),
      {
        numRuns: 300,
        examples: [
          [
            3,
            [
              { at: 27, remove: [1], add: [] },
              { at: 24, remove: [4], add: [] },
              { at: 27, remove: [2, 3, 5, 6, 7], add: [] },
            ],
          ],
        ],
      },
    );
  });

  it('steps back when rows before the page went, and says so when the list will not settle', async () => {
    const settles = movingList(upTo(100), (ids, request) => {
      if (request === 3) for (const id of [1, 2, 3]) ids.delete(id);
    });
    const reads = await readAll(settles.fetch, 20);
    expect(reads.every(({ complete }) => complete)).toBe(true);
    expect(settles.asked.length).toBeGreaterThan(6);
    const never = movingList(upTo(20_000), (ids, request) => {
      if (request > 200) for (const id of [...ids].slice(0, 500)) ids.delete(id);
    });
    expect((await readAll(never.fetch, 20)).at(-1)?.complete).toBe(false);
  });

  it('does not believe a page that is shorter than the API counts: asks again, then calls the scan incomplete', async () => {
    const list = movingList(upTo(30));
    const short = async (request: PageRequest) => {
      const page = await list.fetch(request);
      const content = page.content();
      return { ...page, content: () => ({ ...content, listCount: 45 }) };
    };
    const reads = await readAll(short, 20);
    expect(idsOf(reads)).toHaveLength(30);
    expect(reads.at(-1)?.complete).toBe(false);
    expect(list.asked.filter(({ offset }) => offset === 19)).toHaveLength(2);
  });

  it('takes larger pages while the API answers quickly, and never one much beyond 4 MB', async () => {
    const list = movingList(upTo(40_000));
    await Array.fromAsync(readPages({ now: () => NOON, fetch: list.fetch }));
    expect(list.asked.map(({ limit }) => limit).slice(0, 5)).toEqual([500, 1000, 2000, 4000, 4660]);
  });

  it('takes smaller pages when the API is slow', async () => {
    const list = movingList(upTo(2000));
    const slow = async (request: PageRequest) => ({ ...(await list.fetch(request)), took: 3000 });
    await Array.fromAsync(readPages({ now: () => NOON, fetch: slow }));
    expect(list.asked.map(({ limit }) => limit).slice(0, 4)).toEqual([500, 250, 125, 100]);
  });

  it('goes on where a broken-off scan had come to', async () => {
    const list = movingList(upTo(100));
    const from = { offset: 39, index: 2, last: '40', seen: 40 };
    const reads = await Array.fromAsync(readPages({ now: () => NOON, fetch: list.fetch, from, limitAt: () => 20 }));
    expect(idsOf(reads)).toEqual(upTo(100).slice(40).map(String));
    expect(reads[0]?.index).toBe(2);
  });

  it('does not look into a page it knows', async () => {
    const list = movingList(upTo(50));
    const findUnchanged = (_: number, request: PageRequest, digest: string) =>
      request.offset === 19 && digest !== '' ? { rows: 20, firstId: '20', lastId: '39' } : undefined;
    const reads = await Array.fromAsync(
      readPages({ now: () => NOON, fetch: list.fetch, findUnchanged, limitAt: () => 20 }),
    );
    expect(reads.map(({ fresh }) => fresh?.length)).toEqual([20, undefined, 11]);
    expect(reads[2]?.fresh?.[0]?.id).toBe('40');
  });

  it('refuses a list that is not in order, and one that never ends', async () => {
    const backwards = async (request: PageRequest) => {
      const page = await movingList(upTo(30)).fetch(request);
      const content = page.content();
      return { ...page, content: () => ({ ...content, rows: content.rows.toReversed() }) };
    };
    await expect(readAll(backwards, 20)).rejects.toMatchObject({ code: 'TIDINGS_SOURCE_ORDER_BROKEN' });
    const deaf = movingList(upTo(30));
    const always = () => deaf.fetch({ offset: 0, limit: 20 });
    await expect(readAll(always, 20)).rejects.toMatchObject({ code: 'TIDINGS_SOURCE_STANDSTILL' });
  });

  it('reads a list that cannot be sorted in one page, and puts it in order', async () => {
    const asked: PageRequest[] = [];
    const fetch = async (request: PageRequest) => {
      asked.push(request);
      const page = await movingList(upTo(30)).fetch(request);
      const content = page.content();
      return { ...page, content: () => ({ ...content, rows: content.rows.toReversed() }) };
    };
    const reads = await Array.fromAsync(readPages({ now: () => NOON, fetch, onePage: true }));
    expect(idsOf(reads)).toEqual(upTo(30).map(String));
    expect(asked).toEqual([{ offset: 0, limit: 1_000_000 }]);
  });
});
