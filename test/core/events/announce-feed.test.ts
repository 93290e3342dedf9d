/** A batch of the feed that opens very many deliveries: a bulk edit, and a key with hundreds of subscriptions. */

import { beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { type AnnouncePorts, announce } from '../../../core/events/announce.ts';
import { announceFeed, type FeedPorts } from '../../../core/events/announce-feed.ts';
import type { LateDeliveries } from '../../../core/events/late-deliveries.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { fixedClock } from '../../../core/model/time.ts';
import { later } from '../../contract/opened-stores.ts';
import { NOON, snapshot, subscription } from '../../samples.ts';

const NONE = { limit: 0, visibility: 0, room: () => 0 };
const EDITED = 60;
const OF_KEY = 100;

interface Write {
  /** The subscriptions of its deliveries. */
  readonly subscriptions: readonly string[];
  readonly isProcessed: boolean;
}

describe('a batch with very many deliveries', () => {
  let stores: ReturnType<typeof sqliteStores>;
  let writes: Write[];
  let pauses: number[];
  /** The number of the write that fails, from 1. */
  let failing: number;
  let ports: FeedPorts;

  beforeEach(async () => {
    stores = sqliteStores(openDatabase(':memory:'));
    [writes, pauses, failing] = [[], [], 0];
    ports = {
      ...stores,
      feed: stores.snapshots,
      clock: fixedClock(NOON),
      channels: channelRegistry,
      customEvents: [],
      zoneOf: async () => 'UTC',
      betweenWrites: async () => {
        pauses.push(writes.length);
      },
      recordAndSend: async (announcements, jobs, now, processed) => {
        if (writes.length + 1 === failing) throw new Error('killed');
        const subscriptions = announcements.flatMap(({ deliveries }) => deliveries.map((one) => one.subscription));
        writes.push({ subscriptions, isProcessed: processed !== undefined });
        await stores.recordAndTake(announcements, jobs, now, { take: NONE, processed });
      },
    };
    for (const name of ['ops', 'audit'])
      await stores.subscriptions.add(subscription(name, { events: ['task.closed'] }));
    const ids = Array.from({ length: EDITED }, (_, index) => String(index + 1));
    await stores.snapshots.commit(ids.map((id) => ({ snapshot: snapshot(id, { cause: 'baseline' }), expected: 0 })));
    const record = { status: 'Closed', dateclosed: '2026-11-14' };
    await stores.snapshots.commit(
      ids.map((id) => ({
        snapshot: snapshot(id, { version: 2, record: { id, ...record }, stage: { closed: true } }),
        expected: 1,
      })),
    );
  });

  const addOfKey = async (owner: string, count: number) => {
    for (let number = 0; number < count; number++)
      await stores.subscriptions.add(subscription(`${owner}-${number}`, { events: ['task.closed'], owner }));
  };
  const countOf = async (name: string) => (await stores.deliveries.list({ subscription: name, limit: 999 })).length;

  it('is short writes for a key with many subscriptions, after all others, who have their turn after each', async () => {
    await addOfKey('a', OF_KEY);
    await addOfKey('b', 1);
    const turns: number[] = [];
    const takeTurns = () => ({ pace: async () => void turns.push(writes.length) });
    const batch = await announceFeed({ ...ports, takeTurns });
    expect(batch?.events.filter(({ type }) => type === 'task.closed')).toHaveLength(EDITED);
    expect(writes[0]?.subscriptions).toHaveLength(3 * EDITED);
    for (const { subscriptions } of writes.slice(1)) expect(subscriptions.length).toBeLessThanOrEqual(100);
    const order = writes.flatMap(({ subscriptions }) => subscriptions.map((name) => name.startsWith('a-')));
    expect(order).toEqual(order.toSorted((one, other) => Number(one) - Number(other)));
    expect(order.filter((isOfKey) => !isOfKey)).toHaveLength(3 * EDITED);
    expect(order.filter((isOfKey) => isOfKey)).toHaveLength(OF_KEY * EDITED);
    for (const count of writes.keys()) if (count > 0) expect(turns).toContain(count + 1);
    expect(pauses).toEqual([]);
    expect(await announceFeed(ports)).toBeUndefined();
  });

  it('is short writes for a key also if one event is for all of its subscriptions', async () => {
    await addOfKey('a', 250);
    while ((await announceFeed(ports)) !== undefined);
    for (const { subscriptions } of writes.slice(1)) expect(subscriptions.length).toBeLessThanOrEqual(100);
    for (const name of ['a-0', 'a-99', 'a-100', 'a-249']) expect(await countOf(name)).toBe(EDITED);
    expect((await stores.queue.receive({ limit: 99_999, visibility: 1000 }, NOON)).length).toBe(252 * EDITED);
  });

  it('is processed with the last write: a process that dies before announces it again, and opens nothing twice', async () => {
    await addOfKey('a', OF_KEY);
    failing = 4;
    await expect(announceFeed(ports)).rejects.toThrow('killed');
    expect(writes.map(({ isProcessed }) => isProcessed)).toEqual([true, false, false]);
    failing = 0;
    await announceFeed(ports);
    expect(writes.map(({ isProcessed }) => isProcessed).lastIndexOf(true)).toBe(writes.length - 1);
    for (const name of ['ops', 'audit', 'a-0', `a-${OF_KEY - 1}`]) expect(await countOf(name)).toBe(EDITED);
    expect(await announceFeed(ports)).toBeUndefined();
  });

  describe('while the deliveries of a key with many subscriptions are opened', () => {
    /** Commits a task once half of them are, and announces until nothing is left. */
    const announceWithCommit = async (then: () => Promise<void> = async () => {}) => {
      const { recordAndSend } = ports;
      const announced: string[] = [];
      let isCommitted = false;
      const committing: typeof ports = {
        ...ports,
        recordAndSend: async (...write) => {
          await recordAndSend?.(...write);
          if (isCommitted || writes.length < 4) return;
          isCommitted = true;
          const closed = { record: { id: '900', status: 'Closed', dateclosed: '2026-11-14' }, stage: { closed: true } };
          await stores.snapshots.commit([{ snapshot: snapshot('900', { cause: 'baseline' }), expected: 0 }]);
          await stores.snapshots.commit([{ snapshot: snapshot('900', { version: 2, ...closed }), expected: 1 }]);
        },
      };
      for (let batch = await announceFeed(committing); batch !== undefined; batch = await announceFeed(committing)) {
        announced.push(...batch.events.map(({ id }) => id));
        await then();
      }
      return announced;
    };

    it('what is committed is announced to all others, and then to the key', async () => {
      await addOfKey('a', OF_KEY);
      const announced = await announceWithCommit();
      const others = writes.map(({ subscriptions }) => subscriptions.some((name) => !name.startsWith('a-')));
      // The second write for others comes long before the last one for the key.
      expect(others.lastIndexOf(true)).toBe(4);
      expect(writes.length).toBeGreaterThan(7);
      for (const name of ['ops', 'audit', 'a-0', `a-${OF_KEY - 1}`]) expect(await countOf(name)).toBe(EDITED + 1);
      expect(new Set(announced).size).toBe(announced.length);
      expect(writes.flatMap(({ subscriptions }) => subscriptions)).toHaveLength((2 + OF_KEY) * (EDITED + 1));
    });

    it('a key that has few subscriptions by then gets it too', async () => {
      await addOfKey('a', OF_KEY);
      await announceWithCommit(async () => {
        for (let number = 5; number < OF_KEY; number++) await stores.subscriptions.remove(`a-${number}`);
      });
      for (const name of ['ops', 'a-0', 'a-4']) expect(await countOf(name)).toBe(EDITED + 1);
    });

    it('and the process dies, it is announced again, and nothing is opened twice', async () => {
      await addOfKey('a', OF_KEY);
      failing = 8;
      await expect(announceWithCommit()).rejects.toThrow('killed');
      expect(await countOf('ops')).toBe(EDITED + 1);
      failing = 0;
      // The next process has a feed of its own.
      ports = { ...ports, feed: { ...stores.snapshots } };
      await announceWithCommit();
      for (const name of ['ops', 'audit', 'a-0', `a-${OF_KEY - 1}`]) expect(await countOf(name)).toBe(EDITED + 1);
    });
  });

  it.each([
    ['with many subscriptions', OF_KEY, 1],
    ['with costly filters', 20, 200],
  ])('is written for all others before the filters of a key %s are matched', async (_, count, operators) => {
    const title = Array.from({ length: operators }, (_, number) => ({ prefix: `nothing ${number}` }));
    const where = { data: { record: { title } } };
    for (let number = 0; number < count; number++)
      await stores.subscriptions.add(subscription(`a-${number}`, { events: ['task.closed'], owner: 'a', where }));
    let matched = 0;
    const matchedBefore: number[] = [];
    const { recordAndSend } = ports;
    await announceFeed({
      ...ports,
      // Called between two events and between two filters.
      betweenEvents: async () => {
        matched += 1;
      },
      recordAndSend: async (...written) => {
        matchedBefore.push(matched);
        await recordAndSend?.(...written);
      },
    });
    expect(matchedBefore[0]).toBeLessThan(5 * EDITED);
    expect(matched).toBeGreaterThan(count * EDITED);
    expect(await countOf('ops')).toBe(EDITED);
  });

  it('is written for the operator first, then for keys with some subscriptions, then for each key by their number', async () => {
    await addOfKey('c', 25);
    await addOfKey('a', 50);
    await addOfKey('b', 10);
    await addOfKey('d', 5);
    await announceFeed(ports);
    const owners = writes.flatMap(({ subscriptions }) => subscriptions.map((name) => name.split('-')[0] ?? ''));
    const order = ['ops', 'audit', 'd', 'b', 'c', 'a'].map((one) => owners.lastIndexOf(one));
    expect(order.slice(2)).toEqual(order.slice(2).toSorted((one, other) => one - other));
    expect(Math.max(...order.slice(0, 3))).toBeLessThan(owners.indexOf('b'));
    expect(owners).toHaveLength((2 + 25 + 50 + 10 + 5) * EDITED);
    expect(await announceFeed(ports)).toBeUndefined();
  });

  it('serves others in turns while the filters of such a key are matched', async () => {
    const where = { data: { record: { title: [{ prefix: 'nothing' }] } } };
    for (let number = 0; number < OF_KEY; number++)
      await stores.subscriptions.add(subscription(`a-${number}`, { events: ['task.closed'], owner: 'a', where }));
    let turns = 0;
    const closed = snapshot('1', { version: 3, record: { id: '1', status: 'Open' }, stage: { closed: false } });
    await announceFeed({
      ...ports,
      takeTurns: (serveOthers) => ({
        pace: async () => {
          turns += 1;
          if (turns === 10) {
            await stores.snapshots.commit([{ snapshot: closed, expected: 2 }]);
            await stores.subscriptions.update('ops', (one) => ({ ...one, events: ['task.*'] }));
          }
          await serveOthers();
          if (turns === 10) expect(await countOf('ops')).toBe(EDITED + 1);
        },
      }),
    });
    expect(turns).toBeGreaterThan(OF_KEY * EDITED);
    expect(await announceFeed(ports)).toBeUndefined();
    expect(await countOf('ops')).toBe(EDITED + 1);
  });

  it('serves others while the costly filters of a key are tested elsewhere, and opens what they match', async () => {
    const prefixes = Array.from({ length: 190 }, (_, number) => ({ prefix: `no ${number}` }));
    const where = { data: { record: { title: [...prefixes, { exists: true }] } } };
    for (let number = 0; number < 11; number++)
      await stores.subscriptions.add(subscription(`a-${number}`, { events: ['task.closed'], owner: 'a', where }));
    await stores.subscriptions.update('ops', (one) => ({ ...one, events: ['task.*'] }));
    const closed = snapshot('1', { version: 3, record: { id: '1', status: 'Open' }, stage: { closed: false } });
    let tests = 0;
    await announceFeed({
      ...ports,
      takeTurns: (serveOthers) => ({
        pace: async () => {},
        testFilters: async (_, subscriptions) => {
          tests += 1;
          if (tests === 1) {
            const before = await countOf('ops');
            await stores.snapshots.commit([{ snapshot: closed, expected: 2 }]);
            await serveOthers();
            expect(await countOf('ops')).toBe(before + 1);
          }
          return subscriptions.map(({ name }) => name === 'a-7');
        },
      }),
    });
    expect(tests).toBe(EDITED);
    expect([await countOf('a-7'), await countOf('a-8')]).toEqual([EDITED, 0]);
    expect(await announceFeed(ports)).toBeUndefined();
  });

  it('is given up between two events at a stop, and announced to such a key by the next process', async () => {
    const prefixes = Array.from({ length: 190 }, (_, number) => ({ prefix: `no ${number}` }));
    const where = { data: { record: { title: [...prefixes, { exists: true }] } } };
    for (let number = 0; number < 11; number++)
      await stores.subscriptions.add(subscription(`a-${number}`, { events: ['task.closed'], owner: 'a', where }));
    const stop = new AbortController();
    let tests = 0;
    const testFilters = async (_: unknown, subscriptions: readonly Subscription[]) => {
      tests += 1;
      if (tests === 2) stop.abort();
      return subscriptions.map(() => true);
    };
    const elsewhere = { ...ports, takeTurns: () => ({ pace: async () => {}, testFilters }) };
    await announceFeed(elsewhere, stop.signal);
    expect([tests, await countOf('ops'), await countOf('a-0')]).toEqual([2, EDITED, 0]);
    await announceFeed(elsewhere);
    expect([await countOf('ops'), await countOf('a-0')]).toEqual([EDITED, EDITED]);
  });

  it('is a few writes for a key with many subscriptions if few of them want its events', async () => {
    for (let number = 0; number < 1000; number++) {
      const events = [number < 10 ? 'task.closed' : 'task.deleted'];
      await stores.subscriptions.add(subscription(`a-${number}`, { events, owner: 'a' }));
    }
    await announceFeed(ports);
    expect(writes.map(({ subscriptions }) => subscriptions.length)).toEqual([2 * EDITED, ...Array(6).fill(100)]);
    expect(writes.map(({ isProcessed }) => isProcessed)).toEqual([true, ...Array(5).fill(false), true]);
  });

  it('is skipped for keys that want none of its events, and acknowledged', async () => {
    for (const owner of ['a', 'b', 'c'])
      for (let number = 0; number < 25; number++)
        await stores.subscriptions.add(subscription(`${owner}-${number}`, { events: ['task.deleted'], owner }));
    let reads = 0;
    const read: (typeof ports)['feed']['read'] = (...asked) => {
      reads += 1;
      return stores.snapshots.read(...asked);
    };
    ports = { ...ports, feed: { ...stores.snapshots, read } };
    expect((await announceFeed(ports))?.events.length).toBeGreaterThanOrEqual(EDITED);
    expect(writes).toHaveLength(1);
    expect(reads).toBe(1);
    expect(await announceFeed(ports)).toBeUndefined();
  });

  it('is announced again, and opens nothing twice, if the process dies before such a batch is acknowledged', async () => {
    for (let number = 0; number < 25; number++)
      await stores.subscriptions.add(subscription(`a-${number}`, { events: ['task.deleted'], owner: 'a' }));
    const acknowledge = async () => {
      throw new Error('killed');
    };
    const dying = { ...ports, feed: { ...stores.snapshots, acknowledge } };
    await expect(announceFeed(dying)).rejects.toThrow('killed');
    expect(await countOf('ops')).toBe(EDITED);
    // All others have got it: it is not announced to them again.
    expect(await announceFeed(ports)).toEqual({ events: [], isLast: true });
    expect(await countOf('ops')).toBe(EDITED);
    expect(await announceFeed(ports)).toBeUndefined();
  });

  it('is for a key with some subscriptions as soon as one write of a key with many is done', async () => {
    await addOfKey('a', OF_KEY);
    await addOfKey('b', 6);
    const closed = { record: { id: '900', status: 'Closed', dateclosed: '2026-11-14' }, stage: { closed: true } };
    const { recordAndSend } = ports;
    let committedAfter = 0;
    // How many writes there were between the start of a pace and each of its turns: a pace counts the time since its last turn.
    const ages: number[][] = [];
    const committing: FeedPorts = {
      ...ports,
      takeTurns: (serveOthers) => {
        const started = writes.length;
        const own: number[] = [];
        ages.push(own);
        const pace = async () => {
          own.push(writes.length - started);
          await serveOthers();
        };
        return { pace };
      },
      recordAndSend: async (...write) => {
        await recordAndSend?.(...write);
        if (committedAfter > 0 || !writes.at(-1)?.subscriptions.some((name) => name.startsWith('a-'))) return;
        committedAfter = writes.length;
        await stores.snapshots.commit([{ snapshot: snapshot('900', { cause: 'baseline' }), expected: 0 }]);
        await stores.snapshots.commit([{ snapshot: snapshot('900', { version: 2, ...closed }), expected: 1 }]);
      },
    };
    await announceFeed(committing);
    const next = writes.slice(committedAfter).map(({ subscriptions }) => subscriptions[0]?.split('-')[0]);
    expect(next.slice(0, 3)).toEqual(['audit', 'b', 'a']);
    expect(ages.length).toBeGreaterThan(1);
    for (const own of ages.slice(1)) expect(Math.max(...own)).toBeLessThanOrEqual(1);
    while ((await announceFeed(ports)) !== undefined);
    for (const name of ['ops', 'a-0', 'b-5']) expect(await countOf(name)).toBe(EDITED + 1);
  });

  describe('when the process dies while a key with many subscriptions is behind', () => {
    const CLOSED = { status: 'Closed', dateclosed: '2026-11-14' };
    const close = async (...ids: readonly string[]) => {
      await stores.snapshots.commit(ids.map((id) => ({ snapshot: snapshot(id, { cause: 'baseline' }), expected: 0 })));
      const closed = (id: string) => snapshot(id, { version: 2, record: { id, ...CLOSED }, stage: { closed: true } });
      await stores.snapshots.commit(ids.map((id) => ({ snapshot: closed(id), expected: 1 })));
    };
    const MORE = 450;
    /** Enough to be late. */
    const OF_LATE_KEY = 25;
    /** All others have got everything, the key a little. */
    const dieBehind = async () => {
      await addOfKey('a', OF_LATE_KEY);
      await close(...Array.from({ length: MORE }, (_, index) => String(1000 + index)));
      failing = 8;
      await expect(announceFeed(ports)).rejects.toThrow('killed');
      expect(await countOf('ops')).toBe(EDITED + MORE);
      failing = 0;
      writes = [];
      ports = { ...ports, feed: { ...stores.snapshots } };
    };

    it('the next process announces what is new to all others with its first writes', async () => {
      await dieBehind();
      await close('5000');
      const batch = await announceFeed(ports);
      expect(batch?.events.map(({ subject }) => subject)).toContain('task/5000');
      const first = writes.findIndex(({ subscriptions }) => subscriptions.some((name) => !name.startsWith('a-')));
      expect(first).toBe(0);
      expect(writes[first]?.subscriptions).toEqual(['audit', 'ops']);
    });

    it('and announces the rest to the key, and nothing again to others', async () => {
      await dieBehind();
      while ((await announceFeed(ports)) !== undefined);
      const others = writes.filter(({ subscriptions }) => subscriptions.some((name) => !name.startsWith('a-')));
      expect(others).toEqual([]);
      for (const name of ['ops', 'a-0', `a-${OF_LATE_KEY - 1}`]) expect(await countOf(name)).toBe(EDITED + MORE);
    });

    it('and announces the rest to a key that has few subscriptions by then', async () => {
      await dieBehind();
      for (let number = 3; number < OF_LATE_KEY; number++) await stores.subscriptions.remove(`a-${number}`);
      while ((await announceFeed(ports)) !== undefined);
      for (const name of ['ops', 'a-0', 'a-2']) expect(await countOf(name)).toBe(EDITED + MORE);
    });

    it('another process may go on, and this one after it', async () => {
      await dieBehind();
      await announceFeed(ports);
      const other = { ...ports, feed: { ...stores.snapshots } };
      while ((await announceFeed(other)) !== undefined);
      await close('5001');
      while ((await announceFeed(ports)) !== undefined);
      for (const name of ['ops', 'a-0']) expect(await countOf(name)).toBe(EDITED + MORE + 1);
    });

    it('the feed is pruned up to what all have got', async () => {
      await dieBehind();
      while ((await announceFeed(ports)) !== undefined);
      await stores.snapshots.prune(later(1000));
      expect(await stores.snapshots.read('nobody', 10)).toEqual([]);
    });
  });

  it('reaches a subscription of such a key that is added or changed while others are served', async () => {
    for (const owner of ['a', 'b'])
      for (let number = 0; number < 25; number++)
        await stores.subscriptions.add(subscription(`${owner}-${number}`, { events: ['task.deleted'], owner }));
    const { recordAndSend } = ports;
    await announceFeed({
      ...ports,
      recordAndSend: async (...written) => {
        await recordAndSend?.(...written);
        if (writes.length > 1) return;
        await stores.subscriptions.add(subscription('a-new', { events: ['task.closed'], owner: 'a' }));
        await stores.subscriptions.update('b-7', (one) => ({ ...one, events: ['task.*'] }));
      },
    });
    for (const name of ['ops', 'a-new']) expect(await countOf(name)).toBe(EDITED);
    expect(await countOf('b-7')).toBeGreaterThanOrEqual(EDITED);
    expect(await announceFeed(ports)).toBeUndefined();
  });

  it('gives others their turn between parts that match nothing', async () => {
    const where = { data: { record: { projectid: ['none'] } } };
    for (let number = 0; number < 600; number++)
      await stores.subscriptions.add(subscription(`a-${number}`, { events: ['task.closed'], owner: 'a', where }));
    // A pace counts the time since its last turn: one that is made for each part never takes one.
    let paces = 0;
    await announceFeed({
      ...ports,
      takeTurns: () => {
        paces += 1;
        return { pace: async () => {} };
      },
    });
    expect(paces).toBe(1);
    expect(writes[0]?.subscriptions).toHaveLength(2 * EDITED);
    expect(writes.slice(1).every(({ subscriptions }) => subscriptions.length === 0)).toBe(true);
  });

  describe('with ten keys that have as many subscriptions as they may', () => {
    let reads: number;
    let list: readonly Subscription[];

    beforeEach(() => {
      const count = (one: Subscription) =>
        new Proxy(one, {
          get: (...asked) => {
            reads += 1;
            return Reflect.get(...asked);
          },
        });
      const ofKeys = Array.from({ length: 10_000 }, (_, number) => {
        const owner = `key${number % 10}`;
        return count(subscription(`k-${number}`, { events: ['invoice.deleted', 'project.*'], owner }));
      });
      list = [...ofKeys, subscription('ops', { events: ['task.*'] })];
      ports = { ...ports, subscriptions: { ...stores.subscriptions, list: async () => list } };
    });

    /** Closes a task, or opens it again, and announces that. */
    const change = async (version: number) => {
      const isClosed = version % 2 === 0;
      const record = { id: '1', status: isClosed ? 'Closed' : 'Open', dateclosed: isClosed ? '2026-11-14' : null };
      const changed = snapshot('1', { version, record, stage: { closed: isClosed } });
      await stores.snapshots.commit([{ snapshot: changed, expected: version - 1 }]);
      reads = 0;
      const types = (await announceFeed(ports))?.events.map(({ type }) => type);
      expect(types).toContain(isClosed ? 'task.closed' : 'task.reopened');
    };

    it('reads none of them for events that they do not want', async () => {
      await announceFeed(ports);
      await change(3);
      await change(4);
      await change(5);
      expect(reads).toBe(0);
      // A store may make another array of the same subscriptions.
      list = [...list];
      await change(6);
      expect(reads).toBe(0);
    });

    it('reads no more than their names where those with costly filters are opened later', async () => {
      const title = Array.from({ length: 199 }, (_, number) => ({ prefix: `nothing ${number}` }));
      const costly = { events: ['*'], where: { data: { record: { title } } } };
      list = list.map((one, index) => (index % 10 < 2 ? Object.assign(one, costly) : one));
      let handedOver: readonly LateDeliveries[] = [];
      const handOver: AnnouncePorts['handOver'] = async (late) => {
        handedOver = late;
      };
      for (const id of ['1', '2', '3']) {
        reads = 0;
        const record = { id, status: 'Closed', dateclosed: '2026-11-14' };
        const after = snapshot(id, { version: 2, record, stage: { closed: true } });
        const events = await announce({ ...ports, handOver }, [{ before: snapshot(id), after }]);
        // Each key gets four messages for an event.
        expect(handedOver.map(({ owner, subscriptions }) => [owner, subscriptions.length])).toEqual(
          events.flatMap(() => ['key0', 'key1'].flatMap((owner) => Array.from({ length: 4 }, () => [owner, 250]))),
        );
      }
      expect(reads).toBe(0);
    });

    it('reads only the owners of the others when one of them has changed', async () => {
      await announceFeed(ports);
      await change(3);
      await change(4);
      list = list.with(77, subscription('k-77', { events: ['task.deleted'], owner: 'key7' }));
      await change(5);
      expect(reads).toBeLessThan(list.length + 5 * 1000);
    });
  });

  it('opens no deliveries for subscriptions that have expired', async () => {
    const where = { data: { record: { status: ['Closed'] } } };
    for (const [owner, expiresAt] of [
      ['gone', NOON],
      ['lasting', later(1)],
    ] as const) {
      await stores.subscriptions.add(subscription(`${owner}-all`, { owner, expiresAt, events: ['task.closed'] }));
      await stores.subscriptions.add(
        subscription(`${owner}-some`, { owner, expiresAt, events: ['task.closed'], where }),
      );
    }
    await announceFeed(ports);
    const names = new Set(writes.flatMap(({ subscriptions }) => subscriptions));
    expect(names).toEqual(new Set(['ops', 'audit', 'lasting-all', 'lasting-some']));
  });

  it('is one write with a few subscriptions, also for the feed of a store without a common write', async () => {
    await announceFeed(ports);
    expect(writes).toMatchObject([{ isProcessed: true }]);
    const { recordAndSend: _, ...separate } = ports;
    await stores.snapshots.commit([{ snapshot: snapshot('1', { version: 3 }), expected: 2 }]);
    expect((await announceFeed(separate))?.events.map(({ type }) => type)).toContain('task.reopened');
    expect(await announceFeed(separate)).toBeUndefined();
  });
});
