/** A source that polls the simulator with the real client and stores, under the simulator's clock. */

import { workApi } from '../../adapters/sources/work/client.ts';
import { workResourceOf } from '../../adapters/sources/work/resources.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { deriveEvents } from '../../core/events/derive.ts';
import { HOUR, MINUTE } from '../../core/model/time.ts';
import { defaultRules } from '../../core/snapshot/stage.ts';
import { poll } from '../../core/source/poll.ts';
import type { PollOptions, PollReport } from '../../core/source/poll-ports.ts';
import { startStill } from '../simulator/api-client.ts';

/** Polls these resources of a simulator, after their baseline. */
export async function openSimulatorSource(names: readonly string[]) {
  const simulator = await startStill({ tasks: 120 });
  const { account } = simulator;
  const noLimit = { perMinute: Number.POSITIVE_INFINITY, sleep: async () => {}, retries: 1 };
  const api = workApi({ baseUrl: simulator.url, token: simulator.tokens.Administrator[0] ?? '', ...noLimit });
  const db = openDatabase(':memory:');
  const snapshots = sqliteSnapshotStore(db);
  const stores = sqliteStores(db);
  const clock = { now: () => new Date(account.clock.now()).toISOString() };
  const resources = names.flatMap((name) => {
    const resource = workResourceOf(name);
    return resource === undefined ? [] : [{ resource, cadence: { every: 5 * MINUTE, sweep: 6 * HOUR } }];
  });
  const order = {
    source: 'main',
    baseUrl: 'https://work.example.com/api',
    resources,
    rules: defaultRules,
    timeZone: 'Europe/Berlin',
    reserve: 0.2,
  };
  const run = (everything = false, change: Partial<PollOptions> = {}) =>
    poll({ api, ...stores, snapshots, clock, holder: 'test' }, { ...order, everything, ...change });
  /** Events since the last call. */
  const events = async () => {
    const entries = await snapshots.read('test', 100_000);
    await snapshots.acknowledge('test', entries.at(-1)?.position ?? 0);
    return entries.flatMap(({ transition }) => deriveEvents(transition));
  };
  /** Events since the last call, as `task.created 7`. */
  const news = async () => (await events()).map(({ type, subject }) => `${type} ${subject.split('/')[1]}`);
  /** Polls every five minutes, or less often. */
  const live = async (hours: number, each: (minute: number, report: PollReport) => void = () => {}, every = 5) => {
    for (let minute = every; minute <= hours * 60; minute += every) {
      account.clock.advance(every * MINUTE);
      each(minute, await run());
    }
    return news();
  };
  const stop = async () => {
    await api.close();
    await simulator.stop();
  };
  await run();
  await news();
  const state = (name: string) => stores.scanStates.get('main', name);
  return { simulator, api, account, snapshots, run, events, news, live, state, stop };
}
