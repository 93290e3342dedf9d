/** What every ManifestStore promises. An adapter's test opens one and runs this. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManifestKey, ManifestStore, PageFingerprint } from '../../core/ports/manifest-store.ts';
import { packEntries, unpackEntries } from '../../core/source/scan/manifest.ts';

export interface OpenManifestStore {
  readonly manifests: ManifestStore;
  readonly close: () => Promise<void>;
}

export function manifestStoreContract(name: string, open: () => Promise<OpenManifestStore>): void {
  describe(`ManifestStore: ${name}`, () => {
    let opened: OpenManifestStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => opened.close());

    const key: ManifestKey = { source: 'main', resource: 'invoice', scope: 'all' };
    const head = (index: number): PageFingerprint => ({
      index,
      offset: index * 499,
      limit: 500,
      rows: 500,
      firstId: String(index * 500),
      lastId: String(index * 500 + 499),
      digest: `d${index}`,
      bytes: 450_000,
      took: 40,
    });
    const entries = packEntries([{ id: '7', fingerprint: 2n ** 64n - 1n }]);
    const dirty = async (of = key) => (await opened.manifests.head(of))?.dirty.toSorted();

    it('is none until its first scan has finished', async () => {
      const { manifests } = opened;
      expect(await manifests.head(key)).toBeUndefined();
      await manifests.write(key, head(0), entries, []);
      expect(await manifests.head(key)).toBeUndefined();
      await manifests.finish(key, 1);
      expect(await manifests.head(key)).toEqual({ chunks: [head(0)], dirty: [] });
    });

    it('gives back heads in the order of pages, and entries to the bit', async () => {
      const { manifests } = opened;
      for (const index of [10, 2, 0]) await manifests.write(key, head(index), entries, []);
      await manifests.finish(key, 11);
      expect((await manifests.head(key))?.chunks.map(({ index }) => index)).toEqual([0, 2, 10]);
      const packed = await manifests.entries(key, 2);
      expect(unpackEntries(packed ?? new Uint8Array())).toEqual([{ id: '7', fingerprint: 2n ** 64n - 1n }]);
      expect(await manifests.entries(key, 3)).toBeUndefined();
    });

    it('replaces a chunk, and lets those beyond the end go', async () => {
      const { manifests } = opened;
      for (const index of [0, 1, 2]) await manifests.write(key, head(index), entries, []);
      await manifests.write(key, { ...head(1), digest: 'new' }, entries, []);
      await manifests.finish(key, 2);
      expect((await manifests.head(key))?.chunks.map(({ digest }) => digest)).toEqual(['d0', 'new']);
    });

    it('keeps doubts until they are settled, by themselves or with a chunk', async () => {
      const { manifests } = opened;
      await manifests.markDirty(key, ['1', '2', '3', '4']);
      await manifests.markDirty(key, ['2', '5']);
      await manifests.markDirty(key, []);
      await manifests.finish(key, 0);
      expect(await dirty()).toEqual(['1', '2', '3', '4', '5']);
      await manifests.clearDirty(key, ['1', '9']);
      await manifests.write(key, head(0), entries, ['2', '3']);
      expect(await dirty()).toEqual(['4', '5']);
    });

    it('keeps sources, resources and scopes apart', async () => {
      const { manifests } = opened;
      const others: ManifestKey[] = [
        { ...key, scope: 'open' },
        { ...key, resource: 'task' },
        { ...key, source: 'b' },
      ];
      await manifests.markDirty(key, ['1']);
      await manifests.write(key, head(0), entries, []);
      for (const each of [key, ...others]) await manifests.finish(each, 1);
      for (const other of others) expect(await manifests.head(other)).toEqual({ chunks: [], dirty: [] });
    });
  });
}
