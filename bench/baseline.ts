/** `baseline`: the first sweep of 100,000 tasks into SQLite, against the bare prepared inserts of the same rows. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openPoller, startAccount } from './account.ts';
import { type Benchmark, millis } from './bench.ts';

const TASKS = 100_000;
const ROUNDS = 3;

/** The same rows into a new file with SQLite's own cache and checkpoints: one prepared insert, a transaction for every 4,000. */
function bareInserts(rows: readonly Record<string, unknown>[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-'));
  const db = new DatabaseSync(join(folder, 'bare.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec(
    'CREATE TABLE snapshots (source TEXT, resource TEXT, id_length INTEGER, id TEXT, body TEXT, PRIMARY KEY (source, resource, id_length, id)) STRICT',
  );
  const insert = db.prepare('INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)');
  const start = performance.now();
  for (let at = 0; at < rows.length; at += 4000) {
    db.exec('BEGIN');
    for (const { source, resource, id_length, id, body } of rows.slice(at, at + 4000)) {
      insert.run(String(source), String(resource), Number(id_length), String(id), String(body));
    }
    db.exec('COMMIT');
  }
  const took = performance.now() - start;
  db.close();
  rmSync(folder, { recursive: true });
  return took;
}

export const baseline: Benchmark = async () => {
  const account = await startAccount(TASKS);
  let ours = Number.POSITIVE_INFINITY;
  let cpu = Number.POSITIVE_INFINITY;
  let floor = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const poller = openPoller(account);
    const start = performance.now();
    const used = process.cpuUsage();
    await poller.sweep();
    ours = Math.min(ours, performance.now() - start);
    const { user, system } = process.cpuUsage(used);
    cpu = Math.min(cpu, (user + system) / 1000);
    const rows = poller.database.prepare("SELECT * FROM snapshots WHERE resource = 'task'").all();
    floor = Math.min(floor, bareInserts(rows));
    await poller.close();
  }
  await account.stop();
  return [
    {
      name: 'baseline',
      ours: `${TASKS.toLocaleString('en')} tasks read and stored in ${millis(ours)}`,
      floor: `bare inserts: ${millis(floor)}`,
      ratio: ours / floor,
      aim: 2.2,
    },
    {
      // Without waiting for the simulator's process, which generates each page at its first request.
      name: 'baseline (cpu)',
      ours: `CPU time of this process: ${millis(cpu)}`,
      floor: `bare inserts: ${millis(floor)}`,
      ratio: cpu / floor,
      aim: 2.2,
    },
  ];
};
