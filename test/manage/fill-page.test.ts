/** Pages of a caller that sees a part of what is stored: they say neither that something is hidden nor how much. */

import { describe, expect, it } from 'vitest';
import type { Caller } from '../../manage/api/http/caller.ts';
import { type FilledPage, fillPage } from '../../manage/api/http/fill-page.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { cpuMillis } from '../cpu-time.ts';

const config = parseTree('test', { source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}' } }, { TOKEN: 'x' });
const caller: Caller = { kind: 'key', id: 'k', scopes: ['read'], events: ['invoice.*'] };

/** A list in which `v` is visible and `-` is not. Its cursor is a position, and one read ends after `maxRead` items. */
function open(list: string, maxRead = 10) {
  const sizes: number[] = [];
  const read = async (after: string | undefined, size: number): Promise<FilledPage<string>> => {
    sizes.push(size);
    const from = Number(after ?? 0);
    const items = [...list.slice(from, from + Math.min(size, maxRead))].map((char, index) => `${char}${from + index}`);
    const end = from + items.length;
    return { items, cursor: String(end), more: end < list.length };
  };
  const keep = async (items: readonly string[]) => items.filter((item) => item.startsWith('v'));
  const page = (limit: number, after?: string, maxTime?: number) =>
    fillPage({ config }, caller, {
      limit,
      after,
      read,
      keep,
      readSize: 4,
      ...(maxTime === undefined ? {} : { maxTime }),
    });
  return { page, sizes };
}

async function readAll(list: string, limit: number) {
  const { page } = open(list);
  const pages: (readonly string[])[] = [];
  for (let after: string | undefined; ; ) {
    const { items, cursor, more } = await page(limit, after);
    pages.push(items);
    if (!more) return pages;
    after = cursor;
  }
}

describe('a page of a caller that sees a part', () => {
  it.each([
    { list: 'v-v', limit: 1 },
    { list: '--v------v---', limit: 1 },
    { list: '---------------------v', limit: 1 },
    { list: 'v----------------------------', limit: 1 },
    { list: 'vvvvvvvvvvv-v-vv', limit: 3 },
    { list: '------------', limit: 2 },
    { list: '', limit: 2 },
    { list: 'vvvv', limit: 4 },
    { list: 'vvvv----', limit: 2 },
  ])('is full, and the last one has no next: $list by $limit', async ({ list, limit }) => {
    const visible = [...list].flatMap((char, index) => (char === 'v' ? [`v${index}`] : []));
    const expected = Array.from({ length: Math.max(1, Math.ceil(visible.length / limit)) }, (_, index) =>
      visible.slice(index * limit, (index + 1) * limit),
    );
    expect(await readAll(list, limit)).toEqual(expected);
  });

  it('does not read item by item', async () => {
    const { page, sizes } = open(`${'-'.repeat(80)}v`);
    expect((await page(1)).items).toEqual(['v80']);
    expect(sizes.length).toBeLessThan(25);
  });

  it('ends early when it has taken long, and the next one continues', async () => {
    const { page } = open('-'.repeat(40));
    const first = await page(1, undefined, -1);
    expect(first).toMatchObject({ items: [], more: true });
    expect((await page(1, first.cursor)).more).toBe(false);
  });

  it('counts what it read for its caller, also if that was all', async () => {
    const other: Caller = { ...caller, id: 'reader' };
    const read = async () => {
      for (const until = cpuMillis() + 300; cpuMillis() < until; );
      return { items: [], cursor: undefined, more: false };
    };
    const api = { config, workLimits: { request: 5000, perMinute: 500, waiting: 9 } };
    for (let n = 0; n < 2; n++) await fillPage(api, other, { limit: 1, read });
    await expect(fillPage(api, other, { limit: 1, read })).rejects.toMatchObject({ status: 429 });
  });

  it('ends before it has more bytes than a response may have', async () => {
    const read = async (after: string | undefined, size: number) => {
      const from = Number(after ?? 0);
      const items = Array.from(
        { length: Math.min(size, 6 - from) },
        (_, index) => `${from + index}${'x'.repeat(1_000_000)}`,
      );
      return { items, cursor: String(from + items.length), more: from + items.length < 6 };
    };
    const { items, cursor } = await fillPage({ config }, caller, { limit: 6, read });
    expect([items.length, cursor]).toEqual([2, '2']);
  });
});
