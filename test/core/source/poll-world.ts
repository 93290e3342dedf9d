/** A source on real stores with an API in memory, and the news of it: what the tests of polling are set up with. */

import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteLedger } from '../../../adapters/sqlite/ledger.ts';
import { sqliteManifestStore } from '../../../adapters/sqlite/manifest-store.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { deriveEvents } from '../../../core/events/derive.ts';
import { HOUR, MINUTE } from '../../../core/model/time.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { type PollOrder, type PollPorts, poll } from '../../../core/source/poll.ts';
import { NOON } from '../../samples.ts';
import { handClock, listApi } from './list-api.ts';

export function setUp(name: 'task' | 'invoice' | 'project' = 'task') {
  const clock = handClock(NOON);
  const api = listApi(clock);
  const db = openDatabase(':memory:');
  const snapshots = sqliteSnapshotStore(db);
  const ports: PollPorts = {
    api,
    snapshots,
    manifests: sqliteManifestStore(db),
    ledger: sqliteLedger(db),
    clock,
    holder: 'me',
  };
  const order: PollOrder = {
    source: 'main',
    resources: [{ resource: resourceOf(name), cadence: { every: 5 * MINUTE, sweep: 6 * HOUR } }],
    rules: defaultRules,
    reserve: 0.2,
  };
  const run = async (change: Partial<PollOrder> = {}) => poll(ports, { ...order, ...change });
  /** Events since the last call, as `task.created 7`. */
  const news = async () => {
    const entries = await snapshots.read('test', 100_000);
    await snapshots.acknowledge('test', entries.at(-1)?.position ?? 0);
    return entries
      .flatMap(({ transition }) => deriveEvents(transition))
      .map(({ type, subject }) => `${type} ${subject.split('/')[1]}`);
  };
  const state = async () => ports.ledger.scanState('main', name);
  return { clock, api, db, ports, order, run, news, state, snapshots };
}

export type World = ReturnType<typeof setUp>;

export const fill = ({ api }: World, count: number) => {
  for (let id = 1; id <= count; id++)
    api.put(String(id), { localid: String(id), title: `T${id}`, project: 'P', statusid: '1' });
};

export async function baselined(count: number, name: 'task' | 'invoice' | 'project' = 'task'): Promise<World> {
  const world = setUp(name);
  fill(world, count);
  await world.run();
  await world.news();
  world.clock.advance(5 * MINUTE);
  return world;
}
