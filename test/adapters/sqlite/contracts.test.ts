import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteManifestStore } from '../../../adapters/sqlite/manifest-store.ts';
import { sqliteQueue } from '../../../adapters/sqlite/queue.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { finishJobContract } from '../../contract/finish-job.ts';
import { manifestStoreContract } from '../../contract/manifest-store.ts';
import { queueContract } from '../../contract/queue.ts';
import { snapshotStoreContract } from '../../contract/snapshot-store.ts';
import { storeContracts } from '../../contract/stores.ts';

snapshotStoreContract('SQLite', { history: 'kept' }, async () => {
  const db = openDatabase(':memory:');
  const store = sqliteSnapshotStore(db);
  return {
    store,
    history: store,
    changes: async () => {
      const entries = await store.read('test', 1000);
      await store.acknowledge('test', entries.at(-1)?.position ?? 0);
      return entries.map(({ transition }) => transition);
    },
    close: async () => db.close(),
  };
});

storeContracts('SQLite', { expires: 'when pruned' }, async () => {
  const db = openDatabase(':memory:');
  return { stores: sqliteStores(db), close: async () => db.close() };
});

queueContract('SQLite', { time: 'an argument', fairness: 'by room' }, async () => {
  const db = openDatabase(':memory:');
  return { queue: sqliteQueue(db), close: async () => db.close() };
});

finishJobContract('SQLite', async () => {
  const db = openDatabase(':memory:');
  const stores = sqliteStores(db);
  return {
    stores,
    queue: stores.queue,
    finishJob: stores.finishJob,
    jam: () => {
      db.prepare("CREATE TRIGGER jam BEFORE DELETE ON jobs BEGIN SELECT raise(ABORT, 'jammed'); END").run();
    },
    close: async () => db.close(),
  };
});

manifestStoreContract('SQLite', async () => {
  const db = openDatabase(':memory:');
  return { manifests: sqliteManifestStore(db), close: async () => db.close() };
});
