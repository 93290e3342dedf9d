/** Polling an API whose answers are outdated, incomplete or broken: what is emitted, when, and what is not. */

import { describe, expect, it } from 'vitest';
import { RetryLater } from '../../../core/model/errors.ts';
import { HOUR, MINUTE, plus } from '../../../core/model/time.ts';
import type { ManifestStore } from '../../../core/ports/manifest-store.ts';
import { poll } from '../../../core/source/poll.ts';
import { baselined, fill, setUp, type World } from './poll-world.ts';

const invoices = async (count: number): Promise<World> => {
  const world = setUp('invoice');
  for (let id = 1; id <= count; id++)
    world.api.put(String(id), { localid: `000${id}`, title: `I${id}`, total: '10.00', balance: '10.00' });
  await world.run();
  await world.news();
  return world;
};

const pay = ({ api }: World, id: string) => api.put(id, { balance: '0.00', datepaid: '2026-11-14' });

describe('an invoice paid right after the baseline', () => {
  it('is emitted by the first open scan', async () => {
    const world = await invoices(30);
    pay(world, '3');
    world.clock.advance(5 * MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'open', changed: 1, requests: 2 }]);
    expect(await world.news()).toEqual(['invoice.paid 3', 'invoice.updated 3']);
  });

  it('is emitted by the next open scan when the manifest is lost', async () => {
    const world = await invoices(30);
    world.clock.advance(5 * MINUTE);
    await world.run();
    pay(world, '4');
    world.clock.advance(5 * MINUTE);
    const { manifests } = world.ports;
    const lost: ManifestStore = { ...manifests, head: async () => undefined };
    await poll({ ...world.ports, manifests: lost }, world.order);
    expect(await world.news()).toEqual(['invoice.paid 4', 'invoice.updated 4']);
  });

  it('costs one request more, once: paid invoices are not read again', async () => {
    const world = await invoices(30);
    for (const id of ['1', '2']) pay(world, id);
    world.clock.advance(5 * MINUTE);
    await world.run();
    world.clock.advance(5 * MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'open', changed: 0, requests: 1 }]);
  });
});

describe('a record of a baseline that did not finish', () => {
  const interrupted = async () => {
    const world = setUp();
    fill(world, 2600);
    world.api.put('7', { datedue: '2026-11-20', statusid: '1', status: 'Open' });
    world.api.before = (_, count) => {
      if (count === 5) throw new RetryLater('TIDINGS_SOURCE_STATUS', 'answered 502');
    };
    expect((await world.run()).failed).toHaveLength(1);
    world.api.before = () => {};
    return world;
  };
  const snapshotOf = (world: World, id: string) => world.snapshots.get({ source: 'main', resource: 'task', id });

  it('is deleted when the second baseline does not list it and the API says 404', async () => {
    const world = await interrupted();
    world.api.rows.delete('7');
    world.clock.advance(2 * HOUR);
    expect((await world.run()).scans).toMatchObject([{ baseline: true, seen: 2599, deleted: 1 }]);
    expect(await world.news()).toEqual(['task.deleted 7', 'source.baselined main']);
    expect(await snapshotOf(world, '7')).toMatchObject({ deletedAt: world.clock.now(), nextMoment: null });
  });

  it('emits nothing when the second baseline lists it, changed or not', async () => {
    const world = await interrupted();
    world.api.put('8', { title: 'changed' });
    world.clock.advance(2 * HOUR);
    await world.run();
    expect(await world.news()).toEqual(['source.baselined main']);
    expect((await snapshotOf(world, '8'))?.record.title).toBe('changed');
  });
});

describe('a row older than its snapshot', () => {
  const OLD = '2026-11-01 08:00:00';
  const titleOf = async (world: World) =>
    (await world.snapshots.get({ source: 'main', resource: 'task', id: '5' }))?.record.title;
  /** Task 5 was changed and the change was emitted; then a replica shows it as it was before. */
  const lagging = async () => {
    const world = await baselined(20);
    const before = { ...world.api.rows.get('5') };
    world.api.put('5', { title: 'new' });
    await world.run();
    expect(await world.news()).toEqual(['task.updated 5']);
    const after = { ...world.api.rows.get('5') };
    world.api.rows.set('5', before);
    return { ...world, before, after };
  };

  it('is not news for a sweep, and neither is its return', async () => {
    const world = await lagging();
    for (const row of [world.before, world.after, world.before, world.after]) {
      world.api.rows.set('5', row);
      world.clock.advance(MINUTE);
      await world.run({ everything: true });
    }
    expect(await world.news()).toEqual([]);
    expect(await titleOf(world)).toBe('new');
  });

  it('is not news for a delta, whose cursor stays until the replica has caught up', async () => {
    const world = await baselined(20);
    world.api.put('5', { title: 'new' });
    await world.run();
    await world.news();
    const cursor = (await world.state())?.cursor ?? '';
    const stamp = plus(cursor, -2 * MINUTE)
      .slice(0, 19)
      .replace('T', ' ');
    world.api.rows.set('5', { ...world.api.rows.get('5'), title: 'old', datemodified: stamp });
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual([]);
    expect((await world.state())?.cursor).toBe(cursor);
  });

  it('is news when it is of the same second, and a day later, when no replica lags that much', async () => {
    const world = await lagging();
    world.api.rows.set('5', { ...world.after, title: 'same second' });
    await world.run({ everything: true });
    expect(await world.news()).toEqual(['task.updated 5']);
    world.api.rows.set('5', { ...world.after, title: 'restored from a backup', datemodified: OLD });
    await world.run({ everything: true });
    expect(await world.news()).toEqual([]);
    for (let hours = 0; hours < 30; hours += 6) {
      world.clock.advance(6 * HOUR);
      await world.run();
    }
    expect(await world.news()).toEqual(['task.updated 5']);
    expect(await titleOf(world)).toBe('restored from a backup');
  });
});
