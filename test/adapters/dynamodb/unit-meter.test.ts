/** What the requests to tables that are part of some work consume. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTable, type Table } from '../../../adapters/dynamodb/table.ts';
import { dynamoUnitMeter } from '../../../adapters/dynamodb/unit-meter.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';

let tables: LocalTables;
let table: Table;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());
beforeEach(async () => {
  table = openTable({ client: tables.client, table: (await tables.create()).ledger });
});

const KB = 1024;
const item = (sk: string, bytes = 100) => ({ pk: 'p', sk, text: 'x'.repeat(bytes) });
const allOf = async (partition: string) => {
  let count = 0;
  for await (const _ of table.query({ partition: ['pk', partition], consistent: true })) count += 1;
  return count;
};

async function unitsOf(work: () => Promise<unknown>): Promise<number> {
  let units = 0;
  const count = async (more: number) => {
    units += more;
  };
  await dynamoUnitMeter.run({ beforeRead: () => {}, count }, work);
  return units;
}

describe('units of work', () => {
  it('are those of its reads, and five for each unit that it writes', async () => {
    expect(await unitsOf(() => table.put(item('1')))).toBe(5);
    expect(await unitsOf(() => table.put(item('2', 3 * KB)))).toBe(20);
    expect(await unitsOf(() => table.get({ pk: 'p', sk: '1' }, true))).toBe(1);
    expect(await unitsOf(() => table.get({ pk: 'p', sk: '1' }, false))).toBe(0.5);
    expect(await unitsOf(() => allOf('p'))).toBe(1);
    const keys = ['1', '2', '3'].map((sk) => ({ pk: 'p', sk }));
    expect(await unitsOf(() => table.getMany(keys, true))).toBeGreaterThanOrEqual(2);
    expect(await unitsOf(() => table.writeAll([item('3'), item('4')], [{ pk: 'p', sk: '1' }]))).toBe(15);
    expect(await unitsOf(() => table.update({ pk: 'p', sk: '4' }, { set: { text: '' } }))).toBe(5);
    expect(await unitsOf(() => table.remove({ pk: 'p', sk: '4' }))).toBe(5);
  });

  it('include writes whose condition failed', async () => {
    await table.put(item('1'));
    expect(await unitsOf(() => table.put(item('1'), { pk: undefined }))).toBe(5);
    await table.put(item('large', 9.5 * KB));
    const key = { pk: 'p', sk: 'large' };
    // dynalite does not return the item.
    const units = await unitsOf(() => table.update(key, { set: { text: '' } }, { text: 'other' }));
    expect(units).toBe(tables.endpoint === process.env.AWS_ENDPOINT_URL_DYNAMODB ? 50 : 5);
    expect(await unitsOf(() => table.increment({ pk: 'p', sk: '9' }, 'count', { pk: 'p' }))).toBe(5);
  });

  it('include requests that it sends at the same time, and none of other work', async () => {
    await Promise.all(['1', '2', '3'].map((sk) => table.put(item(sk))));
    const [own, others] = await Promise.all([
      unitsOf(() => Promise.all(['1', '2', '3'].map((sk) => table.put(item(sk))))),
      unitsOf(() => table.put(item('4'))),
      table.put(item('5')),
    ]);
    expect([own, others]).toEqual([15, 5]);
  });

  it('are counted before the work goes on, and a refusal of a read is what the work gets', async () => {
    await Promise.all(['1', '2'].map((sk) => table.put(item(sk))));
    const seen: string[] = [];
    const refusal = new Error('no units left');
    const use = {
      beforeRead: () => {
        if (seen.includes('counted 5')) throw refusal;
      },
      count: async (units: number) => {
        seen.push(`counted ${units}`);
      },
    };
    const work = dynamoUnitMeter.run(use, async () => {
      await allOf('p');
      seen.push('read');
      await table.put(item('3'));
      // A write is not refused: what it belongs to would be half done.
      await table.put(item('4'));
      seen.push('written');
      await allOf('p');
    });
    await expect(work).rejects.toBe(refusal);
    expect(seen).toEqual(['counted 1', 'read', 'counted 5', 'counted 5', 'written']);
  });
});
