/**
 * Runs `tidings serve` as its command does, on a new SQLite file with log, console and API, and commits new tasks on request:
 * alone, or as a load from within the process. The commit is where a poll ends.
 */

import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fields } from '../../core/model/record.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import type { Embedded } from '../../runtime/embedded/embedded.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { terminal } from '../../runtime/terminal/terminal.ts';
import { runService } from '../../service/run-service.ts';
import { type Load, runLoad } from './load.ts';
import { serveLoads } from './load-server.ts';
import { EVENT_TYPE, messageId, messageTask } from './message.ts';

export interface TidingsProcessOptions {
  readonly endpoints: readonly string[];
  /** The account to poll. */
  readonly source: { readonly url: string; readonly token: string };
  /** Every commit waits for the disk. @default false */
  readonly flushes?: boolean;
}

const { endpoints, source, flushes = false } = JSON.parse(process.argv[2] ?? '') as TidingsProcessOptions;
const folder = mkdtempSync(join(tmpdir(), 'tidings-rivals-'));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const config = {
  source: { baseUrl: source.url, token: source.token, resources: { task: { every: '1h' } } },
  network: { allowHttp: true, allow: ['127.0.0.0/8'] },
  subscriptions: endpoints.map((url, index) => ({
    name: `endpoint-${index}`,
    events: [EVENT_TYPE],
    to: { http: { url, secret } },
  })),
};

if (flushes) {
  // The product has no such setting: only subscriptions and keys are flushed.
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    exec.call(this, sql.replace('synchronous = NORMAL', 'synchronous = FULL'));
  };
}

const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const log = createWriteStream(join(folder, 'serve.log'));
const opened = Promise.withResolvers<Embedded>();
const serving = runService(
  () => ({ config: parseConfig('bench.json', JSON.stringify(config), {}), environment: {} }),
  { data: join(folder, 'data'), port: 0, onOpened: opened.resolve },
  {
    terminal: terminal(log, log, {}),
    clock: systemClock,
    pid: process.pid,
    random: Math.random,
    stop: stop.signal,
    version: 'bench',
    operator: { kind: 'command', id: 'bench', scopes: ['admin'] },
  },
);
serving.catch(opened.reject);
const { snapshots, scanStates, deliveries } = await opened.promise;
while ((await scanStates.get('main', 'task'))?.lastSweepAt == null) await sleep(50);

let committed = 0;
/** @param record the fields of the task. @default - those of all messages */
async function commitTask(record?: Fields): Promise<string> {
  const task = messageTask(committed++, systemClock.now());
  const snapshot = record === undefined ? task : { ...task, record: { ...record, id: task.key.id } };
  await snapshots.commit([{ snapshot, expected: 0 }]);
  return messageId(snapshot);
}

await serveLoads({
  'POST /loads': (load) => runLoad(load as Load, () => commitTask()),
  'POST /messages': async (record) => ({ id: await commitTask(record as Fields) }),
  'GET /pending': async () => deliveries.list({ status: 'pending', limit: 1 }),
});
await serving;
rmSync(folder, { recursive: true, force: true });
process.exit();
