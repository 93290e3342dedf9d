/**
 * What holds for any query: a list is the naive filter of all records, and pages put together are the list.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatDay, formatSeconds, parseDay, parseSeconds } from '../../simulator/account/days.ts';
import {
  formatHundredths,
  formatThousandths,
  parseDecimal,
  percentOf,
  times,
} from '../../simulator/account/decimals.ts';
import { LiveSlots } from '../../simulator/account/live-slots.ts';
import type { Simulator, WireRecord } from '../../simulator/simulator.ts';
import { everything, list, startStill } from './api-client.ts';
import { NAIVE, type World } from './naive-filters.ts';

const id = fc.integer({ min: 1, max: 14 }).map(String);
const ids = fc
  .array(
    fc.integer({ min: -1, max: 14 }).filter((n) => n !== 0),
    { minLength: 1, maxLength: 4 },
  )
  .map((list) => list.join());
const flag = fc.constantFrom('t', 'f');
const day = fc.integer({ min: 0, max: 90 }).map((back) => formatDay(20_771 - back + 15));
const instant = fc.integer({ min: 0, max: 60 * 86_400 }).map((back) => formatSeconds(20_771 * 86_400 - back));
const word = fc.constantFrom('a', 'the', 'page', '1', 'client', 'é', '&');

/** A value for each filter, by the form the API document gives it. */
function valuesOf(resource: string, filter: string): fc.Arbitrary<string> {
  if (filter === 'status') return fc.constantFrom('outstanding', 'paid');
  if (filter === 'tasklistfilterid') return fc.constantFrom('1', '2', '3');
  if (filter === 'tag') return fc.constantFrom('legal', 'ux', 'nothing');
  if (filter.startsWith('datemodified')) return instant;
  if (filter.startsWith('date')) return day;
  if (['search', 'title', 'name', 'username', 'email', 'firstname', 'lastname'].includes(filter)) return word;
  if (['personid', 'includetimerid', 'taskassignedorownedby', 'id'].includes(filter)) {
    return (resource === 'expense' || resource === 'document') && filter === 'personid' ? ids : id;
  }
  if (filter === 'groupid') return id;
  if (filter.endsWith('id') || filter === 'excludegroupids' || /relation|ownedby/.test(filter)) return ids;
  return flag;
}

describe('lists', () => {
  let simulator: Simulator;
  const world: Record<string, Map<string, WireRecord>> = {};
  beforeAll(async () => {
    simulator = await startStill({ tasks: 500, projects: 25, clients: 10, quirks: { entities: false } });
    simulator.account.live(300);
    for (const resource of [...Object.keys(NAIVE), 'projectteam', 'personcontact', 'request']) {
      const records = await list(simulator, `/${resource}/?${everything}`);
      world[resource] = new Map(records.map((record) => [record.id ?? '', record]));
    }
  });
  afterAll(() => simulator.stop());

  it.each(Object.keys(NAIVE))('any combination of filters of %s equals the naive filter', async (resource) => {
    const naive = NAIVE[resource] ?? {};
    const all = [...(world[resource]?.values() ?? [])];
    const queries = fc.record(
      Object.fromEntries(Object.keys(naive).map((filter) => [filter, valuesOf(resource, filter)])),
      { requiredKeys: [] },
    );
    // Two or three filters at a time: more select nothing.
    const few = fc
      .tuple(queries, fc.shuffledSubarray(Object.keys(naive), { maxLength: 3 }))
      .map(
        ([query, chosen]) => Object.entries(query).filter(([filter]) => chosen.includes(filter)) as [string, string][],
      );
    await fc.assert(
      fc.asyncProperty(few, async (query) => {
        const found = await list(simulator, `/${resource}/?${new URLSearchParams(query)}&${everything}`);
        const expected = all.filter((record) =>
          query.every(([filter, value]) => naive[filter]?.(record, value, world as World)),
        );
        expect(found.map((record) => record.id)).toEqual(expected.map((record) => record.id));
      }),
      { numRuns: 60, examples: resource === 'person' ? [[[['projectid', '-1']]]] : [] },
    );
  });

  it('paging with any limit, filter and order yields each record once when nothing moves', async () => {
    const sort = fc.constantFrom(
      '',
      'sortfield=id&sortdir=DESC&',
      'sortfield=title&',
      'sortfield=datedue&sortdir=DESC&',
      'sortfield=status&',
    );
    const filter = fc.constantFrom('', 'excludeclosed=t&', 'hasduedate=f&', 'priorityid=1,2&');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 20, max: 700 }), sort, filter, async (limit, order, query) => {
        const all = await list(simulator, `/task/?${query}${order}${everything}`);
        const pages: WireRecord[] = [];
        for (let offset = 0; offset < all.length; offset += limit) {
          pages.push(...(await list(simulator, `/task/?${query}${order}limit=${limit}&offset=${offset}`)));
        }
        expect(pages.map((record) => record.id)).toEqual(all.map((record) => record.id));
        expect(new Set(pages.map((record) => record.id)).size).toBe(all.length);
      }),
      { numRuns: 30 },
    );
  });
});

describe('numbers and days', () => {
  it('a day and an instant are read back as they were written', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), (value) => parseDay(formatDay(value)) === value),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (value) => parseSeconds(formatSeconds(value)) === value),
    );
  });

  it.each(['2026-02-29', '2026-13-01', '2026-1-1', '', '0000-00-00', '2026-11-14T00:00:00'])(
    "'%s' is no day",
    (text) => {
      expect(parseDay(text)).toBeUndefined();
    },
  );

  it('decimals are read back as they were written', () => {
    const cents = fc.integer({ min: -999_999_999_999, max: 999_999_999_999 });
    fc.assert(fc.property(cents, (value) => parseDecimal(formatHundredths(value), 2) === value));
    fc.assert(fc.property(cents, (value) => parseDecimal(formatThousandths(value), 3) === value));
  });

  it('shares and products are exact to half a cent, as big integers have it', () => {
    const cents = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(cents, fc.integer({ min: 0, max: 100_000 }), (amount, rate) => {
        const doubled = (BigInt(percentOf(amount, rate)) * 100_000n - BigInt(amount) * BigInt(rate)) * 2n;
        return doubled <= 100_000n && doubled >= -100_000n;
      }),
    );
    fc.assert(
      fc.property(cents, fc.integer({ min: 0, max: 100_000 }), (rate, quantity) => {
        const doubled = (BigInt(times(quantity, rate)) * 100n - BigInt(rate) * BigInt(quantity)) * 2n;
        return doubled <= 100n && doubled >= -100n;
      }),
    );
  });

  it('the nth live slot is the nth, whatever was cleared', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.array(fc.nat(4999)), (size, cleared) => {
        const slots = new LiveSlots();
        for (let n = 0; n < size; n++) slots.add();
        for (const slot of cleared) if (slot < size) slots.clear(slot);
        const gone = new Set(cleared);
        const left = Array.from({ length: size }, (_, n) => n).filter((n) => !gone.has(n));
        expect(slots.count).toBe(left.length);
        for (const n of [0, 1, left.length >> 1, left.length - 1]) {
          if (n >= 0 && n < left.length) expect(slots.nth(n)).toBe(left[n]);
        }
        expect(slots.nth(left.length)).toBe(size);
      }),
      { numRuns: 40 },
    );
  });
});
