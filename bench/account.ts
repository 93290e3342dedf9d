/** A simulated account in its own process, so that its CPU time is not measured, and a poller for it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workApi } from '../adapters/sources/work/client.ts';
import { workResourceOf } from '../adapters/sources/work/resources.ts';
import { type Database, openDatabase } from '../adapters/sqlite/database.ts';
import { sqliteStores } from '../adapters/sqlite/stores.ts';
import { HOUR, MINUTE } from '../core/model/time.ts';
import { defaultRules } from '../core/snapshot/stage.ts';
import { poll } from '../core/source/poll.ts';
import type { PollReport } from '../core/source/poll-ports.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { startProcess } from './start-process.ts';

export interface BenchAccount {
  readonly url: string;
  readonly controlUrl: string;
  readonly token: string;
  stop(): Promise<void>;
}

export async function startAccount(tasks: number): Promise<BenchAccount> {
  const { announced, stop } = await startProcess<Omit<BenchAccount, 'stop'>>('account-process.ts', [String(tasks)]);
  return { ...announced, stop };
}

export interface BenchPoller {
  readonly database: Database;
  /** Reads all tasks. */
  sweep(): Promise<PollReport>;
  close(): Promise<void>;
}

/** Polls the tasks of an account into a new SQLite file. */
export function openPoller({ url, token }: BenchAccount): BenchPoller {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-'));
  const database = openDatabase(join(folder, 'tidings.db'));
  const api = workApi({ baseUrl: url, token, perMinute: Number.POSITIVE_INFINITY });
  const ports = {
    api,
    ...sqliteStores(database),
    clock: systemClock,
    holder: 'bench',
  };
  const resources = [{ resource: workResourceOf('task'), cadence: { every: 5 * MINUTE, sweep: 6 * HOUR } }];
  const order = {
    source: 'main',
    baseUrl: 'https://work.example.com/api',
    resources,
    rules: defaultRules,
    reserve: 0,
    everything: true,
  };
  return {
    database,
    async sweep() {
      const report = await poll(ports, order);
      if (report.failed.length > 0) throw new Error(report.failed[0]?.message);
      return report;
    },
    async close() {
      await api.close();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
