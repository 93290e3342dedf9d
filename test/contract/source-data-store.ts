/** The contract of SourceDataStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { initialScanState } from '../../core/model/scan.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { PageFingerprint } from '../../core/ports/manifest-store.ts';
import { event, NOON, snapshot } from '../samples.ts';
import { type OpenStores, openForEach } from './opened-stores.ts';

const PAGE: PageFingerprint = {
  index: 0,
  offset: 0,
  limit: 500,
  rows: 2,
  firstId: '1',
  lastId: '2',
  digest: 'd0',
  bytes: 100,
  took: 4,
};

async function fill(stores: DatabaseStores, source: string): Promise<void> {
  const records = ['1', '2'].map((id) => ({ ...snapshot(id).key, source }));
  const health = { source, resource: 'source', id: source };
  const account = { source, resource: 'account', id: source };
  for (const key of [...records, health, account])
    await stores.snapshots.commit([
      { expected: 0, snapshot: snapshot(key.id, { key, version: key.id === '2' ? 7 : 1, nextMoment: NOON }) },
    ]);
  await stores.scanStates.save({ ...initialScanState(source, 'task'), version: 1 });
  const manifest = { source, resource: 'task', scope: 'all' } as const;
  await stores.manifests.write(manifest, PAGE, new Uint8Array(32), []);
  await stores.manifests.finish(manifest, 1);
  await stores.manifests.markDirty(manifest, ['2']);
}

export function sourceDataStoreContract(name: string, open: OpenStores): void {
  describe(`SourceDataStore: ${name}`, () => {
    const opened = openForEach(open);

    it('counts the records of a source by resource, and finds their highest version', async () => {
      const { stores } = opened;
      await fill(stores, 'main');
      expect(await stores.sourceData.describe('main')).toEqual({ records: { source: 1, task: 2 }, highestVersion: 7 });
      expect(await stores.sourceData.describe('mai')).toEqual({ records: {}, highestVersion: 0 });
    });

    it('forgets one source and nothing else: its account, events and other sources stay', async () => {
      const { stores } = opened;
      await fill(stores, 'main');
      await fill(stores, 'main2');
      await stores.events.record([{ event: event('1'), deliveries: [] }]);
      await stores.sourceData.forget('main');
      expect(await stores.sourceData.describe('main')).toEqual({ records: {}, highestVersion: 0 });
      expect(await stores.scanStates.get('main', 'task')).toBeUndefined();
      expect(await stores.manifests.head({ source: 'main', resource: 'task', scope: 'all' })).toBeUndefined();
      expect(await stores.snapshots.due({ source: 'main', resource: 'task', until: NOON }, 10)).toEqual([]);
      expect(await stores.snapshots.get({ source: 'main', resource: 'account', id: 'main' })).toBeDefined();
      expect(await stores.sourceData.describe('main2')).toMatchObject({ records: { source: 1, task: 2 } });
      expect(await stores.scanStates.get('main2', 'task')).toBeDefined();
      expect((await stores.manifests.head({ source: 'main2', resource: 'task', scope: 'all' }))?.dirty).toEqual(['2']);
      expect(await stores.events.get('evt_1')).toBeDefined();
      await stores.sourceData.forget('main');
    });
  });
}
