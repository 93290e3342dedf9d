/** Commits five snapshots at a time, for ever, and says so after each batch: to be killed by kill.test.ts. */

import { writeSync } from 'node:fs';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';
import { snapshot } from '../samples.ts';

const store = sqliteSnapshotStore(openDatabase(process.argv[2] ?? ''));
for (let version = 1; version <= 900; version++) {
  const ids = ['1', '2', '3', '4', '5'];
  await store.commit(ids.map((id) => ({ snapshot: snapshot(id, { version }), expected: version - 1 })));
  // Synchronous: what is told is told before the next commit begins.
  writeSync(1, `${version}\n`);
}
setInterval(() => {}, 1000);
