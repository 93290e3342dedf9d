/** What goes wrong beside the lists themselves: the count, a changed rule, our own stores, an end that was asked for. */

import { describe, expect, it } from 'vitest';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import { HOUR, MINUTE } from '../../../core/model/time.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { restageAll, stageRulesHash } from '../../../core/source/account/stage-rules.ts';
import { poll } from '../../../core/source/poll.ts';
import type { PollPorts } from '../../../core/source/poll-ports.ts';
import { baselined, setUp, type World } from './poll-world.ts';

/** Half an hour after the count was last compared. */
async function whenCounting(): Promise<World> {
  const world = await baselined(20);
  world.clock.advance(30 * MINUTE);
  return world;
}

describe('the count of the API', () => {
  it('that is unknown spoils no delta, and is requested again with the next', async () => {
    const world = await whenCounting();
    world.api.put('7', { title: 'changed' });
    const asked = world.api.requests();
    world.api.before = (_, count) => {
      if (count === asked + 2) throw new RetryLater('TIDINGS_SOURCE_STATUS', 'answered 502');
    };
    const { scans, failed } = await world.run();
    expect({ scans, failed }).toMatchObject({ scans: [{ kind: 'delta', changed: 1 }], failed: [] });
    expect(await world.state()).toMatchObject({ cursor: world.clock.now(), failures: 0, lastError: null });
    expect(await world.news()).toEqual(['task.updated 7']);
    world.clock.advance(5 * MINUTE);
    world.api.rows.delete('9');
    await world.run();
    expect(await world.state()).toMatchObject({ countedAt: world.clock.now(), sweepSoon: true });
  });

  it('is asked for with the signal of the poll, as everything is', async () => {
    const world = await whenCounting();
    const { signal } = new AbortController();
    const signals: unknown[] = [];
    const api: PollPorts['api'] = {
      traits: world.api.traits,
      list: (resource, query, given) => {
        signals.push(given);
        return world.api.list(resource, query, given);
      },
      get: world.api.get,
      quota: world.api.quota,
      requests: world.api.requests,
    };
    await poll({ ...world.ports, api }, { ...world.order, signal });
    expect(signals).toEqual([signal, signal]);
  });
});

describe('another rule', () => {
  const rules = { ...defaultRules, taskStale: 1 };

  async function moved(count: number) {
    const world = await baselined(count);
    const commits: number[] = [];
    const snapshots = new Proxy(world.snapshots, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (key !== 'commit' || typeof member !== 'function') return member;
        return (writes: readonly unknown[]) => {
          commits.push(writes.length);
          return Reflect.apply(member, target, [writes]) as unknown;
        };
      },
    });
    world.clock.advance(3 * 24 * HOUR);
    return { ...world, snapshots, commits };
  }

  const context = { source: 'main', timeZone: 'UTC', rules, assertLeaseHeld: async () => {} };
  const restageTasks = ({ snapshots, clock }: World) =>
    restageAll(snapshots, context, [{ name: 'task', settledUntil: null }], clock.now());

  it('restages all records in batches of 100', async () => {
    const world = await moved(250);
    expect(await restageTasks(world)).toBe(250);
    expect(world.commits).toEqual([100, 100, 50]);
    expect(await restageTasks(world)).toBe(0);
    expect(world.commits).toEqual([100, 100, 50]);
  });

  it('resumes after an aborted poll, and saves the new hash only when it is complete', async () => {
    const world = await moved(250);
    const stop = new AbortController();
    const snapshots = new Proxy(world.snapshots, {
      get(target, key) {
        if (key === 'commit') stop.abort();
        return Reflect.get(target, key) as unknown;
      },
    });
    const order = { ...world.order, rules, timeZone: 'UTC', signal: stop.signal };
    expect(await poll({ ...world.ports, snapshots }, order)).toEqual({ scans: [], failed: [], isLagging: true });
    expect(world.commits).toEqual([100]);
    const { signal: _, ...rest } = order;
    await poll({ ...world.ports, snapshots: world.snapshots }, rest);
    expect(world.commits.slice(0, 3)).toEqual([100, 100, 50]);
    const health = await world.snapshots.get({ source: 'main', resource: 'source', id: 'main' });
    expect(health?.record.reckoning).toBe(stageRulesHash('UTC', rules));
  });

  it('stops when another poller has taken over', async () => {
    const world = await moved(250);
    const { leases, clock } = world.ports;
    const snapshots = new Proxy(world.snapshots, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (key !== 'list' || typeof member !== 'function') return member;
        return async function* (...given: unknown[]) {
          world.clock.advance(3 * MINUTE);
          await leases.acquire('poll/main', 'you', clock.now(), 2 * MINUTE);
          yield* Reflect.apply(member, target, given) as AsyncIterable<unknown>;
        };
      },
    });
    const order = { ...world.order, rules, timeZone: 'UTC' };
    expect(await poll({ ...world.ports, snapshots }, order)).toEqual({ scans: [], failed: [], leftToAnother: true });
    expect(world.commits).toEqual([]);
  });
});

describe('a fault on our side', () => {
  const failing = (error: () => Error, world: World): PollPorts => ({
    ...world.ports,
    manifests: {
      ...world.ports.manifests,
      head: async () => {
        throw error();
      },
      markDirty: async () => {
        throw error();
      },
    },
  });

  it.each([
    ['a throttled table', () => new RetryLater('TIDINGS_STORE_FAILED', 'throttled'), 'TIDINGS_STORE_FAILED'],
    ['a missing secret', () => new RetryLater('TIDINGS_SECRET_UNAVAILABLE', 'no'), 'TIDINGS_SECRET_UNAVAILABLE'],
    ['a bug', () => new TypeError('of undefined'), 'TIDINGS_UNEXPECTED'],
  ])('is reported, and not as the source being unreachable: %s', async (_, error, code) => {
    const world = await baselined(20);
    const ports = failing(error, world);
    world.api.put('7', { title: 'changed' });
    const codes = new Set<string>();
    for (let minute = 0; minute < 60; minute++) {
      world.clock.advance(MINUTE);
      for (const failure of (await poll(ports, world.order)).failed) codes.add(failure.code);
    }
    expect([...codes]).toEqual([code]);
    expect(await world.state()).toMatchObject({ lastError: { code } });
    expect((await world.state())?.failures).toBeGreaterThan(3);
    // Silence is explained all the same.
    expect(await world.news()).toEqual(['source.stale main']);
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual(['task.updated 7']);
    expect(await world.state()).toMatchObject({ failures: 0, lastError: null });
  });

  it('does not hide that the source is unreachable as well', async () => {
    const world = setUp();
    const resources = (['task', 'invoice'] as const).map((name) => ({
      resource: workResourceOf(name),
      cadence: { every: 5 * MINUTE, sweep: 6 * HOUR },
    }));
    const order = { ...world.order, resources };
    await poll(world.ports, order);
    await world.news();
    const { list } = world.api;
    world.api.list = async (resource, ...query) => {
      if (resource === 'invoice') throw new RetryLater('TIDINGS_SOURCE_STATUS', 'answered 500');
      return list(resource, ...query);
    };
    world.api.put('1', { title: 'new' });
    const ports = failing(() => new RetryLater('TIDINGS_STORE_FAILED', 'throttled'), world);
    ports.manifests.head = world.ports.manifests.head;
    for (let minute = 0; minute < 14; minute++) {
      world.clock.advance(MINUTE);
      await poll(ports, order);
    }
    expect(await world.news()).toContain('source.unreachable main');
  });
});
