import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteLedger } from '../../../adapters/sqlite/ledger.ts';
import { sqliteManifestStore } from '../../../adapters/sqlite/manifest-store.ts';
import { sqliteQueue } from '../../../adapters/sqlite/queue.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { finishContract } from '../../contract/finish.ts';
import { ledgerContract } from '../../contract/ledger.ts';
import { manifestStoreContract } from '../../contract/manifest-store.ts';
import { queueContract } from '../../contract/queue.ts';
import { snapshotStoreContract } from '../../contract/snapshot-store.ts';

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

ledgerContract('SQLite', { expires: 'when pruned' }, async () => {
  const db = openDatabase(':memory:');
  return { ledger: sqliteLedger(db), close: async () => db.close() };
});

queueContract('SQLite', { time: 'as told', fairness: 'by room' }, async () => {
  const db = openDatabase(':memory:');
  return { queue: sqliteQueue(db), close: async () => db.close() };
});

finishContract('SQLite', async () => {
  const db = openDatabase(':memory:');
  return {
    ledger: sqliteLedger(db),
    queue: sqliteQueue(db),
    jam: () => {
      db.prepare("CREATE TRIGGER jam BEFORE DELETE ON queue BEGIN SELECT raise(ABORT, 'jammed'); END").run();
    },
    close: async () => db.close(),
  };
});

manifestStoreContract('SQLite', async () => {
  const db = openDatabase(':memory:');
  return { manifests: sqliteManifestStore(db), close: async () => db.close() };
});
