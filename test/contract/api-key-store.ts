/** The contract of ApiKeyStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../core/model/api-key.ts';
import { NOON } from '../samples.ts';
import { later, type OpenStores, openForEach } from './opened-stores.ts';

const key = (id: string, change: Partial<ApiKey> = {}): ApiKey => ({
  id,
  name: `key ${id}`,
  hash: 'ab'.repeat(32),
  scopes: ['read'],
  createdAt: NOON,
  createdBy: 'ann',
  ...change,
});

export function apiKeyStoreContract(name: string, open: OpenStores): void {
  describe(`ApiKeyStore: ${name}`, () => {
    const opened = openForEach(open);

    it('finds a key by id, lists keys oldest first, and removes them', async () => {
      const { apiKeys } = opened.stores;
      const [old, young] = [key('2', { createdAt: later(-1) }), key('1', { events: ['task.*'], expiresAt: later(9) })];
      for (const one of [young, old]) await apiKeys.save(one);
      expect(await apiKeys.get('1')).toEqual(young);
      expect(await apiKeys.get('9')).toBeUndefined();
      expect(await apiKeys.list()).toEqual([old, young]);
      expect(await apiKeys.remove('2')).toBe(true);
      expect(await apiKeys.remove('2')).toBe(false);
      expect(await apiKeys.list()).toEqual([young]);
    });

    it('keeps the time of the last use, and does not restore a removed key', async () => {
      const { apiKeys } = opened.stores;
      await apiKeys.save(key('1'));
      await apiKeys.markUsed('1', later(1));
      await apiKeys.markUsed('1', later(2));
      expect(await apiKeys.get('1')).toEqual(key('1', { lastUsedAt: later(2) }));
      await apiKeys.remove('1');
      await apiKeys.markUsed('1', later(3));
      expect(await apiKeys.list()).toEqual([]);
    });
  });
}
