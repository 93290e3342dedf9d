/** The contract of ThreadStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { type OpenStores, openForEach } from './opened-stores.ts';

export function threadStoreContract(name: string, open: OpenStores): void {
  describe(`ThreadStore: ${name}`, () => {
    const opened = openForEach(open);

    it('stores the last thread per subscription and subject', async () => {
      const { stores } = opened;
      expect(await stores.threads.get('team', 'task/1')).toBeUndefined();
      await stores.threads.save('team', 'task/1', { thread: '17.01', incarnation: 'former' });
      await stores.threads.save('team', 'task/1', { thread: '17.02' });
      await stores.threads.save('team', 'task/2', { thread: '17.03', incarnation: 'declared' });
      expect(await stores.threads.get('team', 'task/1')).toEqual({ thread: '17.02' });
      expect(await stores.threads.get('team', 'task/2')).toEqual({ thread: '17.03', incarnation: 'declared' });
      expect(await stores.threads.get('ops', 'task/1')).toBeUndefined();
    });
  });
}
