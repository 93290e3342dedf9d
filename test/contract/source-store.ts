/** The contract of SourceStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import type { StoredSource } from '../../core/ports/source-store.ts';
import { NOON } from '../samples.ts';
import { later, type OpenStores, openForEach } from './opened-stores.ts';

export const storedSource = (name: string, change: Partial<StoredSource> = {}): StoredSource => ({
  name,
  settings: { name, baseUrl: `https://${name}.example.com/api`, token: 'sealed:0123abcd:Zm9v', timeZone: 'Asia/Tokyo' },
  packed: { name, kind: 'work', baseUrl: `https://${name}.example.com/api`, resources: [] },
  createdAt: NOON,
  createdBy: 'ann',
  changedAt: NOON,
  changedBy: 'ann',
  version: 1,
  ...change,
});

export function sourceStoreContract(name: string, open: OpenStores): void {
  describe(`SourceStore: ${name}`, () => {
    const opened = openForEach(open);

    it('adds sources, finds each by name and lists them by name', async () => {
      const { storedSources } = opened.stores;
      for (const one of ['north', 'Berlin', 'east-2']) expect(await storedSources.add(storedSource(one))).toBe(true);
      expect(await storedSources.get('north')).toEqual(storedSource('north'));
      expect(await storedSources.get('nort')).toBeUndefined();
      expect((await storedSources.list()).map((one) => one.name)).toEqual(['Berlin', 'east-2', 'north']);
    });

    it('adds one of two with the same name, and keeps the first', async () => {
      const { storedSources } = opened.stores;
      const both = ['ann', 'bob'].map((createdBy) => storedSources.add(storedSource('north', { createdBy })));
      const added = await Promise.all(both);
      expect(added.toSorted()).toEqual([false, true]);
      const createdBy = added[0] === true ? 'ann' : 'bob';
      expect(await storedSources.list()).toEqual([storedSource('north', { createdBy })]);
    });

    it('replaces only the version before', async () => {
      const { storedSources } = opened.stores;
      await storedSources.add(storedSource('north'));
      const second = storedSource('north', { version: 2, changedBy: 'bob', changedAt: later(1) });
      expect(await storedSources.update(second)).toBe(true);
      expect(await storedSources.update({ ...second, changedBy: 'eve' })).toBe(false);
      expect(await storedSources.update({ ...second, version: 4 })).toBe(false);
      expect(await storedSources.get('north')).toEqual(second);
      expect(await storedSources.update(storedSource('east', { version: 2 }))).toBe(false);
      expect(await storedSources.get('east')).toBeUndefined();
    });

    it('removes only the version that is named', async () => {
      const { storedSources } = opened.stores;
      await storedSources.add(storedSource('north'));
      await storedSources.update(storedSource('north', { version: 2 }));
      expect(await storedSources.remove('north', 1)).toBe(false);
      expect(await storedSources.remove('north', 2)).toBe(true);
      expect(await storedSources.remove('north', 2)).toBe(false);
      expect(await storedSources.list()).toEqual([]);
      expect(await storedSources.add(storedSource('north'))).toBe(true);
    });

    it('has another revision after each change, and the same after none', async () => {
      const { storedSources } = opened.stores;
      const revisions = [await storedSources.revision()];
      const noteRevision = async () => revisions.push(await storedSources.revision());
      await storedSources.add(storedSource('north'));
      await noteRevision();
      await storedSources.update(storedSource('north', { version: 2 }));
      await noteRevision();
      await storedSources.remove('north', 2);
      await noteRevision();
      await storedSources.add(storedSource('north'));
      await noteRevision();
      expect(new Set(revisions).size).toBe(5);
      await storedSources.add(storedSource('north'));
      await storedSources.update(storedSource('north', { version: 7 }));
      await storedSources.remove('north', 7);
      expect(await storedSources.revision()).toBe(revisions.at(-1));
    });

    it('keeps a thousand sources', async () => {
      const { storedSources } = opened.stores;
      const token = `sealed:0123abcd:${'x'.repeat(1500)}`;
      const names = Array.from({ length: 1000 }, (_, index) => `account-${String(index).padStart(4, '0')}`);
      for (let from = 0; from < names.length; from += 50) {
        const group = names.slice(from, from + 50);
        await Promise.all(group.map((one) => storedSources.add(storedSource(one, { settings: { token } }))));
      }
      expect((await storedSources.list()).map((one) => one.name)).toEqual(names);
    });
  });
}
