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
      const others = begun.filter(({ earlier }) => earlier !== undefined);
      const { expiresAt } = times;
      expect(others).toEqual(Array(2).fill({ earlier: { ...request, response: null }, isNew: false, expiresAt }));
      await idempotency.finish('a', 'sealed');
      const ended = { earlier: { ...request, response: 'sealed' }, isNew: false, expiresAt };
      expect(await idempotency.begin('a', request, { ...times, expiresAt: later(61) })).toEqual(ended);
      expect(await idempotency.begin('b', request, times)).toEqual({ isNew: true, expiresAt });
    });

    it('gives the work to a later request if the first failed or did not end, until the same expiry', async () => {
      const { idempotency } = opened.stores;
      const { expiresAt } = times;
      await idempotency.begin('a', request, times);
      await idempotency.release('a');
      const other = { fingerprint: 'g', startedAt: later(1) };
      expect(await idempotency.begin('a', other, { ...times, expiresAt: later(61) })).toEqual({
        isNew: false,
        expiresAt,
      });
      const late = { fingerprint: 'f', startedAt: later(3) };
      expect(await idempotency.begin('a', late, { staleBefore: later(2), expiresAt: later(63) })).toEqual({
        isNew: false,
        expiresAt,
      });
      await idempotency.finish('a', 'sealed');
      expect((await idempotency.begin('a', late, times)).earlier).toEqual({ ...late, response: 'sealed' });
    });

    it('keeps nothing of a request that was refused', async () => {
      const { idempotency } = opened.stores;
      await idempotency.begin('a', request, times);
      await idempotency.forget('a');
      const expiresAt = later(61);
      const again = { fingerprint: 'g', startedAt: later(1) };
      expect(await idempotency.begin('a', again, { ...times, expiresAt })).toEqual({ isNew: true, expiresAt });
    });

    it('forgets a response after its expiry', async () => {
      const { idempotency } = opened.stores;
      await idempotency.begin('a', request, times);
      await idempotency.finish('a', 'sealed');
      const late = { fingerprint: 'g', startedAt: later(61) };
      const expiresAt = later(121);
      expect(await idempotency.begin('a', late, { staleBefore: later(60), expiresAt })).toEqual({
        isNew: false,
        expiresAt,
      });
      await idempotency.prune(later(500));
    });
  });
}
