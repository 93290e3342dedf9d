import { describe, expect, it } from 'vitest';
import { inGroups, inParallel } from '../../../adapters/aws/parallel.ts';

describe('work in parallel', () => {
  it('keeps the order, and runs at most 32 at a time', async () => {
    let inHand = 0;
    let most = 0;
    const results = await inParallel(
      Array.from({ length: 100 }, (_, n) => n),
      async (n) => {
        inHand += 1;
        most = Math.max(most, inHand);
        await new Promise((resolve) => setImmediate(resolve));
        inHand -= 1;
        return n * 2;
      },
    );
    expect(results).toEqual(Array.from({ length: 100 }, (_, n) => n * 2));
    expect(most).toBe(32);
    expect(await inParallel([], async () => 1)).toEqual([]);
  });

  it('starts nothing after a failure', async () => {
    let begun = 0;
    const work = async () => {
      begun += 1;
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('no');
    };
    await expect(inParallel(Array.from({ length: 100 }), work)).rejects.toThrow('no');
    expect(begun).toBe(32);
  });

  it('throws after all work in flight has ended', async () => {
    let [begun, landed] = [0, 0];
    const work = async (n: number) => {
      begun += 1;
      if (n === 3) throw new Error('throttled');
      await new Promise((resolve) => setTimeout(resolve, 20));
      landed += 1;
    };
    const items = Array.from({ length: 100 }, (_, n) => n);
    await expect(inParallel(items, work)).rejects.toThrow('throttled');
    expect([begun, landed]).toEqual([32, 31]);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect([begun, landed]).toEqual([32, 31]);
  });

  it('throws the first of several failures, even undefined', async () => {
    const work = async (n: number) => {
      for (let turn = n; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
      throw n === 1 ? undefined : new Error(String(n));
    };
    await expect(inParallel([5, 2, 9], work)).rejects.toThrow('9');
    await expect(inParallel([1], work)).rejects.toBeUndefined();
  });

  it('splits items into groups without losing any', () => {
    expect(inGroups([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(inGroups([], 2)).toEqual([]);
  });
});
