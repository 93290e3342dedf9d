/** The contract of ScanStateStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { initialScanState } from '../../core/model/scan.ts';
import { later, type OpenStores, openForEach } from './opened-stores.ts';

export function scanStateStoreContract(name: string, open: OpenStores): void {
  describe(`ScanStateStore: ${name}`, () => {
    const opened = openForEach(open);

    it('is stored per source and resource', async () => {
      const { stores } = opened;
      const state = {
        ...initialScanState('main', 'task'),
        version: 1,
        failures: 2,
        lastError: { code: 'TIDINGS_SOURCE_STATUS', message: 'answered 502' },
      };
      expect(await stores.scanStates.save(state)).toBe(true);
      expect(await stores.scanStates.save({ ...initialScanState('main', 'invoice'), version: 1 })).toBe(true);
      expect(await stores.scanStates.get('main', 'task')).toEqual(state);
      expect(await stores.scanStates.get('other', 'task')).toBeUndefined();
    });

    it('is saved only if the stored version is one less', async () => {
      const { stores } = opened;
      const saved = (version: number, count: number) => ({ ...initialScanState('main', 'task'), version, count });
      const save = (version: number, count: number) => stores.scanStates.save(saved(version, count));
      expect(await save(2, 10)).toBe(false);
      expect(await stores.scanStates.get('main', 'task')).toBeUndefined();
      expect(await save(1, 11)).toBe(true);
      expect(await save(1, 12)).toBe(false);
      expect(await save(2, 13)).toBe(true);
      expect(await save(3, 14)).toBe(true);
      // Based on the first version, which is outdated.
      expect(await save(2, 15)).toBe(false);
      expect(await save(5, 16)).toBe(false);
      expect(await stores.scanStates.get('main', 'task')).toEqual(saved(3, 14));
    });

    it('accepts one of several concurrent saves', async () => {
      const { stores } = opened;
      const counts = [1, 2, 3, 4, 5];
      const saved = await Promise.all(
        counts.map((count) => stores.scanStates.save({ ...initialScanState('main', 'task'), version: 1, count })),
      );
      expect(saved.filter(Boolean)).toHaveLength(1);
      expect((await stores.scanStates.get('main', 'task'))?.count).toBe(counts[saved.indexOf(true)]);
    });

    it('keeps the last request for a scan of each source, apart from the states', async () => {
      const { scanStates } = opened.stores;
      expect((await scanStates.ofSource('main', true)).requestedAt).toBeUndefined();
      await scanStates.requestScan('main', later(1));
      await scanStates.requestScan('main', later(2));
      expect(await scanStates.ofSource('main', true)).toEqual({ states: new Map(), requestedAt: later(2) });
      expect((await scanStates.ofSource('other', true)).requestedAt).toBeUndefined();
      expect(await scanStates.get('main', 'task')).toBeUndefined();
    });

    it('reads all states of a source together', async () => {
      const { scanStates } = opened.stores;
      const saved = ['task', 'invoice'].map((name) => ({ ...initialScanState('main', name), version: 1, count: 7 }));
      for (const state of saved) await scanStates.save(state);
      await scanStates.save({ ...initialScanState('main2', 'task'), version: 1 });
      await scanStates.requestScan('main', later(1));
      const states = new Map(saved.map((state) => [state.resource, state]));
      expect(await scanStates.ofSource('main', true)).toEqual({ states, requestedAt: later(1) });
      expect([...(await scanStates.ofSource('main2', true)).states.keys()]).toEqual(['task']);
      expect(await scanStates.ofSource('other', false)).toEqual({ states: new Map() });
    });
  });
}
