/** The contract of IdempotencyStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { NOON } from '../samples.ts';
import { later, type OpenStores, openForEach } from './opened-stores.ts';

export function idempotencyStoreContract(name: string, open: OpenStores): void {
  describe(`IdempotencyStore: ${name}`, () => {
    const opened = openForEach(open);
    const request = { fingerprint: 'f', startedAt: NOON };
    const times = { staleBefore: later(-1), expiresAt: later(60) };

    it('gives the work to the first of several requests, and its response to the others', async () => {
      const { idempotency } = opened.stores;
      const begun = await Promise.all([1, 2, 3].map(() => idempotency.begin('a', request, times)));
      expect(begun.filter((found) => found === undefined)).toHaveLength(1);
      expect(begun.filter((found) => found !== undefined)).toEqual(Array(2).fill({ ...request, response: null }));
      await idempotency.finish('a', 'sealed');
      expect(await idempotency.begin('a', request, times)).toEqual({ ...request, response: 'sealed' });
      expect(await idempotency.begin('b', request, times)).toBeUndefined();
    });

    it('gives the work to a later request if the first was forgotten or did not end', async () => {
      const { idempotency } = opened.stores;
      await idempotency.begin('a', request, times);
      await idempotency.forget('a');
      expect(await idempotency.begin('a', request, times)).toBeUndefined();
      const late = { fingerprint: 'f', startedAt: later(2) };
      expect(await idempotency.begin('a', late, { staleBefore: later(1), expiresAt: later(60) })).toBeUndefined();
    });

    it('forgets a response after its expiry', async () => {
      const { idempotency } = opened.stores;
      await idempotency.begin('a', request, times);
      await idempotency.finish('a', 'sealed');
      const late = { fingerprint: 'g', startedAt: later(61) };
      expect(await idempotency.begin('a', late, { staleBefore: later(60), expiresAt: later(120) })).toBeUndefined();
      await idempotency.prune(later(500));
    });
  });
}
