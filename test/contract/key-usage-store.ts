/** The contract of KeyUsageStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { NOON } from '../samples.ts';
import { type OpenStores, openForEach } from './opened-stores.ts';

export function keyUsageStoreContract(name: string, open: OpenStores): void {
  describe(`KeyUsageStore: ${name}`, () => {
    const opened = openForEach(open);
    const one = { subscriptions: 1, bytes: 100, changedAt: NOON };

    it('stores what was counted, for each key', async () => {
      const { keyUsage } = opened.stores;
      expect(await keyUsage.get('a')).toBeUndefined();
      expect(await keyUsage.replace('a', undefined, one)).toBe(true);
      expect(await keyUsage.get('a')).toEqual(one);
      expect(await keyUsage.get('b')).toBeUndefined();
    });

    it('replaces only what the caller has read', async () => {
      const { keyUsage } = opened.stores;
      const two = { ...one, subscriptions: 2 };
      expect(await keyUsage.replace('a', one, two)).toBe(false);
      await keyUsage.replace('a', undefined, one);
      expect(await keyUsage.replace('a', undefined, two)).toBe(false);
      expect(await keyUsage.replace('a', two, { ...one, bytes: 5 })).toBe(false);
      expect(await keyUsage.replace('a', one, two)).toBe(true);
      expect(await keyUsage.get('a')).toEqual(two);
    });

    it('lets one of several concurrent writers succeed', async () => {
      const { keyUsage } = opened.stores;
      await keyUsage.replace('a', undefined, one);
      const written = await Promise.all(
        [2, 3, 4, 5].map((subscriptions) => keyUsage.replace('a', one, { ...one, subscriptions })),
      );
      expect(written.filter((isWritten) => isWritten)).toHaveLength(1);
    });
  });
}
