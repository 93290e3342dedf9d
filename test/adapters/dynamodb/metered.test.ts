import { describe, expect, it } from 'vitest';
import { toItem } from '../../../adapters/dynamodb/values.ts';
import { indexUnits } from '../../../bench/metered.ts';

const index = { name: 'agenda', partitionKey: 'agenda', sortKey: 'dueAt', include: ['attempt'] };
const item = (change: object) => toItem({ pk: 'dlv_1', sk: 'delivery', status: 'pending', ...change });
const listed = item({ agenda: '0', dueAt: '2026', attempt: 1 });

describe('the units of an index', () => {
  it('are none for what is not in it, or stays as it was', () => {
    expect(indexUnits(index, undefined, item({ agenda: '0' }))).toBe(0);
    expect(indexUnits(index, listed, listed)).toBe(0);
    expect(indexUnits(index, listed, { ...listed, status: { S: 'waiting' } })).toBe(0);
  });

  it('are one for coming, going and changing, two for moving', () => {
    expect(indexUnits(index, undefined, listed)).toBe(1);
    expect(indexUnits(index, listed, item({}))).toBe(1);
    expect(indexUnits(index, listed, { ...listed, attempt: { N: '2' } })).toBe(1);
    expect(indexUnits(index, listed, { ...listed, dueAt: { S: '2027' } })).toBe(2);
  });

  it('are more for large entries', () => {
    expect(indexUnits(index, undefined, item({ agenda: '0', dueAt: '2026', attempt: 'x'.repeat(1500) }))).toBe(2);
  });
});
