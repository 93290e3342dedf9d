/** `requests`: API requests in a simulated day of 10,000 tasks, 2,000 invoices and 500 projects, with changes seen within 5 minutes. */

import { workApi } from '../adapters/sources/work/client.ts';
import { workResourceOf } from '../adapters/sources/work/resources.ts';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { sqliteStores } from '../adapters/sqlite/stores.ts';
import { HOUR, MINUTE } from '../core/model/time.ts';
import type { ListQuery, SourceApi } from '../core/ports/source-api.ts';
import { defaultRules } from '../core/snapshot/stage.ts';
import { poll } from '../core/source/poll.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Benchmark } from './bench.ts';

export const requests: Benchmark = async () => {
  const simulator = await startSimulator({
    tasks: 10_000,
    invoices: 2_000,
    projects: 500,
    now: '2026-11-16T00:00:00Z',
    speed: 0,
    life: MINUTE,
  });
  const { clock, journal } = simulator.account;
  const database = openDatabase(':memory:');
  const api = workApi({
    baseUrl: simulator.url,
    token: simulator.tokens.Administrator[0] ?? '',
    perMinute: Number.POSITIVE_INFINITY,
  });
  let direct = 0;
  const counted: SourceApi = {
    ...api,
    list(resource, query, signal) {
      if (isReadOfDue(query)) direct += 1;
      return api.list(resource, query, signal);
    },
  };
  const ports = {
    api: counted,
    ...sqliteStores(database),
    clock: { now: () => new Date(clock.now()).toISOString() },
    holder: 'bench',
  };
  const cadence = { every: 5 * MINUTE, sweep: 6 * HOUR };
  const resources = (['task', 'invoice', 'project'] as const).map((name) => ({
    resource: workResourceOf(name),
    cadence,
  }));
  const order = {
    source: 'main',
    baseUrl: 'https://work.example.com/api',
    resources,
    rules: defaultRules,
    reserve: 0.2,
  };
  await poll(ports, order);
  const before = api.requests();
  // As `serve` does: what is due is read two minutes after midnight, between two scans.
  for (let minute = 0; minute < 24 * 60; minute++) {
    clock.advance(MINUTE);
    await poll(ports, order);
  }
  const ours = api.requests() - before;
  const changes = journal.read({ since: 0 }).length;
  await api.close();
  await simulator.stop();
  database.close();
  return [
    {
      name: 'requests',
      ours: `${ours} requests for a day with ${changes} changes, ${direct} of them to confirm what is due`,
      floor: '1,200 of a usual 6,000',
      ratio: ours / 1200,
      aim: 1,
    },
  ];
};

/** Whether the list is one of records whose moments have come. An open scan reads invoices by number too, with no larger page than needed. */
function isReadOfDue({ filters, limit }: ListQuery): boolean {
  const isByNumber = filters.localIds !== undefined && limit === 2000;
  return filters.dueFrom !== undefined || filters.modifiedBefore !== undefined || isByNumber;
}
