/** The contract of LeaseStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../core/model/time.ts';
import { NOON } from '../samples.ts';
import { later, type OpenStores, openForEach } from './opened-stores.ts';

export function leaseStoreContract(name: string, open: OpenStores): void {
  describe(`LeaseStore: ${name}`, () => {
    const opened = openForEach(open);

    it('has one holder at a time, which can extend it and keeps the fence', async () => {
      const { stores } = opened;
      const mine = await stores.leases.acquire('poll', 'me', NOON, 5 * MINUTE);
      expect(mine).toEqual({ name: 'poll', holder: 'me', fence: 1, isTakenOver: false });
      expect(await stores.leases.acquire('poll', 'you', later(4), MINUTE)).toBeUndefined();
      expect(await stores.leases.acquire('poll', 'me', later(4), 5 * MINUTE)).toEqual({ ...mine, isTakenOver: true });
      expect(await stores.leases.acquire('poll', 'you', later(8), MINUTE)).toBeUndefined();
      expect(await stores.leases.acquire('other', 'you', NOON, MINUTE)).toBeDefined();
    });

    it('can be acquired by another holder after it expires, with a greater fence', async () => {
      const { stores } = opened;
      await stores.leases.acquire('poll', 'me', NOON, MINUTE);
      expect(await stores.leases.acquire('poll', 'you', later(1), MINUTE)).toMatchObject({
        ...{ holder: 'you', fence: 2, isTakenOver: true },
      });
      expect(await stores.leases.acquire('poll', 'me', later(1), MINUTE)).toBeUndefined();
    });

    it('goes to another when it ends too far in the future: the clock was put back', async () => {
      const { stores } = opened;
      await stores.leases.acquire('poll', 'me', later(720), MINUTE);
      expect(await stores.leases.acquire('poll', 'you', NOON, MINUTE)).toMatchObject({ holder: 'you', fence: 2 });
    });

    it('has a new fence for the same holder after it expires', async () => {
      const { stores } = opened;
      await stores.leases.acquire('poll', 'me', NOON, MINUTE);
      expect(await stores.leases.acquire('poll', 'me', later(2), MINUTE)).toMatchObject({ fence: 2 });
    });

    it('can be released early, but not by a previous holder', async () => {
      const { stores } = opened;
      const mine = await stores.leases.acquire('poll', 'me', NOON, MINUTE);
      if (mine === undefined) throw new Error('the lease was free');
      await stores.leases.release(mine);
      expect(await stores.leases.acquire('poll', 'you', NOON, MINUTE)).toMatchObject({ fence: 2, isTakenOver: false });
      await stores.leases.release(mine);
      expect(await stores.leases.acquire('poll', 'them', NOON, MINUTE)).toBeUndefined();
    });
  });
}
