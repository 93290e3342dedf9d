/** A source on real stores with an API in memory, and the news of it: what the tests of polling are set up with. */

import { expect } from 'vitest';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { deriveEvents } from '../../../core/events/derive.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { HOUR, MINUTE } from '../../../core/model/time.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { poll } from '../../../core/source/poll.ts';
import type { PollOptions, PollPorts } from '../../../core/source/poll-ports.ts';
import { NOON } from '../../samples.ts';
import { handClock, listApi } from './list-api.ts';

export function setUp(name: 'task' | 'invoice' | 'project' | 'client' | 'person' | 'document' = 'task') {
  const clock = handClock(NOON);
  const api = listApi(clock);
  const db = openDatabase(':memory:');
  const snapshots = sqliteSnapshotStore(db);
  const ports: PollPorts = {
    api,
    ...sqliteStores(db),
    snapshots,
    clock,
    holder: 'me',
  };
  const order: PollOptions = {
    source: 'main',
    baseUrl: 'https://work.example.com/api',
    resources: [{ resource: workResourceOf(name), cadence: { every: 5 * MINUTE, sweep: 6 * HOUR } }],
    rules: defaultRules,
    timeZone: 'UTC',
    reserve: 0.2,
  };
  const run = async (change: Partial<PollOptions> = {}) => poll(ports, { ...order, ...change });
  /** Events since the last call, as `task.created 7`. */
  const news = async () => {
    const entries = await snapshots.read('test', 100_000);
    await snapshots.acknowledge('test', entries.at(-1)?.position ?? 0);
    return entries
      .flatMap(({ transition }) => deriveEvents(transition))
      .map(({ type, subject }) => `${type} ${subject.split('/')[1]}`);
  };
  const state = async () => ports.scanStates.get('main', name);
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

export const LOST = [{ code: 'TIDINGS_SOURCE_LEASE_LOST' }];

/** The same port, whose nth call of this name stalls until something else is done, before or after its own effect. */
export function stalling<T extends object>(
  port: T,
  name: keyof T,
  at: number,
  moment: 'before' | 'after',
  act: () => unknown,
): T {
  let calls = 0;
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function' || key !== name) return member;
      return async (...given: unknown[]) => {
        // Requests for the token's person are no pages.
        if (given[0] !== 'me') calls += 1;
        const isMeant = given[0] !== 'me' && calls === at;
        if (isMeant && moment === 'before') await act();
        const result: unknown = await Reflect.apply(member, target, given);
        if (isMeant && moment === 'after') await act();
        return result;
      };
    },
  });
}

export const titleOf = async ({ snapshots }: World, id: string) =>
  (await snapshots.get({ source: 'main', resource: 'task', id }))?.record.title;

/** All events so far, with their ids. */
export async function recordedEvents({ snapshots }: World): Promise<readonly TidingsEvent[]> {
  const entries = await snapshots.read('all of it', 100_000);
  return entries.flatMap(({ transition }) => deriveEvents(transition));
}

export const linesOf = (events: readonly TidingsEvent[]) =>
  events.map(({ type, subject }) => `${type} ${subject.split('/')[1]}`);

export const asYou = (world: World, change: Partial<PollOptions> = {}) =>
  poll({ ...world.ports, holder: 'you' }, { ...world.order, ...change });

export async function openInvoices(): Promise<World> {
  const world = setUp('invoice');
  for (let id = 1; id <= 30; id++)
    world.api.put(String(id), { localid: `000${id}`, title: `I${id}`, total: '10.00', balance: '10.00' });
  for (let round = 0; round < 2; round++) {
    await world.run();
    world.clock.advance(5 * MINUTE);
  }
  await world.news();
  return world;
}

/** Another poller takes over after three minutes, and finds what changed meanwhile. */
export const overtake =
  (world: World, change: Partial<PollOptions>, act: () => void = () => {}) =>
  async () => {
    // What is done while the page is fetched comes to its end first.
    await new Promise((resolve) => setImmediate(resolve));
    act();
    world.clock.advance(3 * MINUTE);
    const { scans, failed } = await asYou(world, change);
    expect(failed).toEqual([]);
    expect(scans).toHaveLength(1);
  };
