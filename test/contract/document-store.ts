/** The contract of DocumentStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { later, type OpenStores, openForEach } from './opened-stores.ts';

export function documentStoreContract(name: string, open: OpenStores): void {
  describe(`DocumentStore: ${name}`, () => {
    const opened = openForEach(open);

    it('adds a document once, however many callers try', async () => {
      const { documents } = opened.stores;
      const added = await Promise.all([1, 2, 3].map((by) => documents.add('draft', 'a', { by }, later(60))));
      expect(added.filter(Boolean)).toHaveLength(1);
      expect(await documents.get('draft', 'a')).toEqual({ by: added.indexOf(true) + 1 });
      expect(await documents.get('task', 'a')).toBeUndefined();
    });

    it('loses no change of concurrent callers', async () => {
      const { documents } = opened.stores;
      await documents.add('draft', 'a', { uses: 0, of: ['x'] }, null);
      const use = () => documents.update('draft', 'a', (stored) => ({ ...stored, uses: Number(stored.uses) + 1 }));
      await Promise.all([use(), use(), use(), use()]);
      expect(await documents.get('draft', 'a')).toEqual({ uses: 4, of: ['x'] });
      expect(await documents.update('draft', 'b', (stored) => stored)).toBeUndefined();
    });

    it('writes nothing if the change returns the same document or throws', async () => {
      const { documents } = opened.stores;
      await documents.save('draft', 'a', { uses: 1 }, later(60));
      expect(await documents.update('draft', 'a', (stored) => stored)).toEqual({ uses: 1 });
      const refuse = () => {
        throw new Error('refused');
      };
      await expect(documents.update('draft', 'a', refuse)).rejects.toThrow('refused');
      expect(await documents.get('draft', 'a')).toEqual({ uses: 1 });
    });

    it('replaces and removes a document', async () => {
      const { documents } = opened.stores;
      await documents.save('link', 'U1', { token: 'sealed:1' }, null);
      await documents.save('link', 'U1', { token: 'sealed:2' }, null);
      expect(await documents.get('link', 'U1')).toEqual({ token: 'sealed:2' });
      expect(await documents.remove('link', 'U1')).toBe(true);
      expect(await documents.remove('link', 'U1')).toBe(false);
      expect(await documents.get('link', 'U1')).toBeUndefined();
    });

    it('keeps a changed document until the end that the change names', async () => {
      const { documents } = opened.stores;
      await documents.add('draft', 'a', { n: 1 }, later(60));
      await documents.update('draft', 'a', () => ({ n: 2 }), later(120));
      await documents.update('draft', 'a', () => ({ n: 3 }));
      await documents.prune(later(119));
      expect(await documents.get('draft', 'a')).toEqual({ n: 3 });
    });

    it('keeps documents that have not expired', async () => {
      const { documents } = opened.stores;
      await documents.add('draft', 'a', { n: 1 }, later(60));
      await documents.add('link', 'b', { n: 2 }, null);
      await documents.prune(later(59));
      expect(await documents.get('draft', 'a')).toEqual({ n: 1 });
      await documents.prune(later(61));
      expect(await documents.get('link', 'b')).toEqual({ n: 2 });
    });
  });
}
