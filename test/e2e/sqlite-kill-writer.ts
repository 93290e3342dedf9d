/** Commits batches of five snapshots until it is killed, and acknowledges each batch. Run by sqlite-kill.test.ts. */

import { writeSync } from 'node:fs';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';
import { snapshot } from '../samples.ts';

const store = sqliteSnapshotStore(openDatabase(process.argv[2] ?? ''));
for (let version = 1; version <= 900; version++) {
  const ids = ['1', '2', '3', '4', '5'];
  await store.commit(ids.map((id) => ({ snapshot: snapshot(id, { version }), expected: version - 1 })));
  // Synchronous, so that the acknowledgement is written before the next commit.
  writeSync(1, `${version}\n`);
}
setInterval(() => {}, 1000);
