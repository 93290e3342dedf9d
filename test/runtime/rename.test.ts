/** Subscriptions that a config renames or removes while deliveries wait. */

import { beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { type SqliteStores, sqliteStores } from '../../adapters/sqlite/stores.ts';
import { deliver } from '../../core/delivery/deliver.ts';
import { pause, resume } from '../../core/delivery/hold.ts';
import { HEALTHY } from '../../core/delivery/receivers/health.ts';
import { listUnsentEvents } from '../../core/delivery/receivers/rename.ts';
import { changeHealth, readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { announce } from '../../core/events/announce.ts';
import { announceFeed } from '../../core/events/announce-feed.ts';
import { sayEvent } from '../../core/events/catalogue.ts';
import { type Delivery, forPerson, ofIncarnation } from '../../core/model/delivery.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, fixedClock, plus } from '../../core/model/time.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';
import { declareSubscriptions } from '../../core/subscriptions/declare.ts';
import { describeDropped } from '../../core/subscriptions/dropped-backlog.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { deliverJob } from '../deliver-job.ts';
import { delivery, event, NOON, SECRET, snapshot, subscription } from '../samples.ts';

const clock = fixedClock(NOON);
let stores: SqliteStores;
let messages: OutboundMessage[];
beforeEach(() => {
  stores = sqliteStores(openDatabase(':memory:'));
  messages = [];
});

const apply = (...subscriptions: Subscription[]) =>
  declareSubscriptions({ ...stores, clock, channels: channelRegistry }, subscriptions);
const ports = () => ({
  ...stores,
  feed: stores.snapshots,
  clock,
  random: () => 0.5,
  zoneOf: async () => 'UTC',
  channels: channelRegistry,
  customEvents: [],
  channelFor: () => ({
    send: async (message: OutboundMessage) => {
      messages.push(message);
      return { status: 200, thread: 'thread-2' };
    },
  }),
});

/** Records one delivery of `slow` in each status. */
async function recordBacklog(): Promise<void> {
  const statuses = ['pending', 'waiting', 'held', 'failed', 'settled'] as const;
  await stores.events.record(
    statuses.map((status, index) => ({
      event: event(String(index + 1)),
      deliveries: [
        {
          ...delivery(String(index + 1), 'slow'),
          status,
          dueAt: status === 'pending' || status === 'waiting' ? NOON : null,
        },
      ],
    })),
  );
}

const statusesOf = async (name: string) =>
  (await stores.deliveries.list({ subscription: name, limit: 99 })).map(({ status }) => status);

const renamed = subscription('fast', { renamedFrom: 'slow' });

describe('a renamed subscription', () => {
  it('keeps its backlog, its pause and its muted addresses', async () => {
    await apply(subscription('slow'));
    await recordBacklog();
    await pause({ ...stores, clock }, 'slow');
    await changeHealth({ ...stores, clock }, 'slow', 'person', (before) => ({ ...before, muted: ['a@example.com'] }));
    expect(await apply(renamed)).toMatchObject({
      added: [],
      removed: ['slow'],
      moved: [{ from: 'slow', to: 'fast', deliveries: 4 }],
      dropped: [],
    });
    expect(await statusesOf('fast')).toEqual(['pending', 'waiting', 'held', 'failed']);
    expect(await statusesOf('slow')).toEqual(['settled']);
    expect(await readHealth(stores, 'fast')).toMatchObject({ state: 'paused', muted: ['a@example.com'] });
    expect(await readHealth(stores, 'slow')).toEqual(HEALTHY);
    // A second start moves nothing, and a later change of the new one stays.
    await changeHealth({ ...stores, clock }, 'fast', 'person', (before) => ({ ...before, state: 'ok' }));
    expect(await apply(renamed)).toMatchObject({ changed: [], removed: [], moved: [] });
    expect(await readHealth(stores, 'fast')).toMatchObject({ state: 'ok' });
    // The move is no event.
    while ((await announceFeed(ports())) !== undefined);
    expect(
      (await stores.events.list({ limit: 99 })).events.filter(({ type }) => type.startsWith('subscription.')),
    ).toEqual([]);
  });

  it('keeps the rotation of its secret', async () => {
    const signed = (name: string, change: Partial<Subscription> = {}) =>
      subscription(name, {
        to: { channel: 'http', settings: { url: 'https://x.example.com', secret: '${A}' } },
        ...change,
      });
    await apply(signed('slow'));
    const rotation = { secret: '${B}', replaces: '${A}', previous: '${A}', until: '2126-01-01T00:00:00.000Z' };
    await stores.subscriptions.update('slow', (stored) => ({ ...stored, rotation }));
    await apply(signed('fast', { renamedFrom: 'slow' }));
    expect(await stores.subscriptions.get('fast')).toMatchObject({ rotation, renamedFrom: 'slow' });
    expect(await stores.subscriptions.get('slow')).toBeUndefined();
  });

  it('takes over a subscription that a command added', async () => {
    await stores.subscriptions.save(subscription('slow', { declared: false }));
    await recordBacklog();
    await apply(renamed);
    expect(await stores.subscriptions.get('slow')).toBeUndefined();
    expect(await statusesOf('fast')).toHaveLength(4);
  });

  it('releases a delivery that the rename missed while an index lagged', async () => {
    await apply(renamed);
    await recordBacklog();
    expect(await resume(ports(), 'fast')).toBe(1);
    expect(await statusesOf('slow')).not.toContain('held');
  });

  it('gets deliveries that an older process opened under the old name after the move', async () => {
    await apply(renamed);
    await recordBacklog();
    const [late] = await stores.deliveries.list({ subscription: 'slow', status: 'pending', limit: 1 });
    const made = await deliverJob(ports(), { kind: 'attempt', delivery: late?.id ?? '', attempt: 1, group: 'slow' });
    expect(made?.delivery).toMatchObject({ subscription: 'fast', status: 'settled' });
    expect(messages).toMatchObject([{ subscription: { name: 'fast' } }]);
  });

  it('opens no second delivery when a change is announced again after the rename', async () => {
    const created = { before: null, after: snapshot('1') };
    const wide = { events: ['*'] };
    await apply(subscription('slow', wide));
    await announce(ports(), [created]);
    await apply({ ...renamed, ...wide });
    await announce(ports(), [created]);
    expect(await stores.deliveries.list({ limit: 9 })).toMatchObject([{ subscription: 'fast' }]);
  });

  it('continues the threads of its old name', async () => {
    const slack = { to: { channel: 'slack', settings: { token: '${T}', channel: '#team' } } };
    await apply(subscription('slow', slack));
    const one = event('1');
    await stores.threads.save('slow', `${one.source} ${one.subject}`, { thread: 'thread-1' });
    await recordBacklog();
    await apply({ ...renamed, ...slack });
    const [first] = await stores.deliveries.list({ subscription: 'fast', status: 'pending', limit: 1 });
    await deliverJob(ports(), { kind: 'attempt', delivery: first?.id ?? '', attempt: 1, group: 'fast' });
    expect(messages).toMatchObject([{ thread: 'thread-1' }]);
  });
});

describe('a subscription that is removed from the config', () => {
  it('is reported with the deliveries it leaves unsent, in an event and to the caller', async () => {
    await apply(subscription('slow'), subscription('other'));
    await recordBacklog();
    expect(await apply(subscription('other'))).toMatchObject({ dropped: [{ subscription: 'slow', deliveries: 3 }] });
    while ((await announceFeed(ports())) !== undefined);
    const { events } = await stores.events.list({ limit: 99 });
    expect(events.filter(({ type }) => type === 'subscription.removed')).toMatchObject([
      { subject: 'subscription/slow', data: { record: { dropped: 3 } } },
    ]);
    expect(await apply(subscription('other'))).toMatchObject({ dropped: [] });
    // Added again, it starts with a clean health. Readers who unsubscribed meanwhile stay so.
    const muted = ['a@example.com'];
    await changeHealth({ ...stores, clock }, 'slow', 'person', (before) => ({ ...before, muted }));
    await apply(subscription('other'), subscription('slow'));
    expect(await readHealth(stores, 'slow')).toEqual({ ...HEALTHY, muted });
  });

  it('is reported with a limited number of them, however many there are', async () => {
    await apply(subscription('slow'));
    const many = Array.from({ length: 10_001 }, (_, n) => forPerson(delivery('1', 'slow'), `main/${n}`));
    await stores.events.record([{ event: event('1'), deliveries: many }]);
    const { dropped } = await apply();
    expect(dropped).toEqual([{ subscription: 'slow', deliveries: 10_000 }]);
    expect(dropped.map(describeDropped)).toEqual(["10,000 or more unsent deliveries of 'slow'"]);
    while ((await announceFeed(ports())) !== undefined);
    const { events } = await stores.events.list({ limit: 99 });
    const removed = events.find(({ type }) => type === 'subscription.removed');
    expect(removed && sayEvent(removed)).toContain('10,000 or more unsent messages were dropped');
  });

  it('leaves its unsent events to a replay', async () => {
    await recordBacklog();
    expect((await listUnsentEvents(stores.deliveries, 'slow')).toSorted()).toEqual([
      'evt_1',
      'evt_2',
      'evt_3',
      'evt_4',
    ]);
  });
});

describe('renamedFrom in the config', () => {
  const problemsOf = (...names: (readonly [string, string])[]) => {
    const subscriptions = names.map(([name, renamedFrom]) => ({
      name,
      renamedFrom: renamedFrom === '' ? undefined : renamedFrom,
      events: ['task.closed'],
      to: { http: { url: 'https://x.example.com', secret: SECRET } },
    }));
    const source = { baseUrl: 'https://work.example.com', token: 'x' };
    try {
      parseConfig('test.json', JSON.stringify({ source, subscriptions }), {});
      return '';
    } catch (error) {
      return String(error);
    }
  };

  it.each<[string, (readonly [string, string])[], RegExp]>([
    ['a rename', [['b', 'a']], /^$/],
    ['itself', [['a', 'a']], /subscriptions\[0\]\.renamedFrom: expected a name that no subscription has any more/],
    [
      'a chain',
      [
        ['b', 'a'],
        ['c', 'b'],
      ],
      /subscriptions\[1\]\.renamedFrom: .* without chains or swaps, got 'b'/,
    ],
    [
      'a swap',
      [
        ['b', 'a'],
        ['a', 'b'],
      ],
      /without chains or swaps, got 'a'(.|\n)*without chains or swaps, got 'b'/,
    ],
    [
      'one old name twice',
      [
        ['b', 'a'],
        ['c', 'a'],
      ],
      /subscriptions\[1\]\.renamedFrom: expected each old name once, got 'a'/,
    ],
  ])('%s', (_, names, expected) => {
    expect(problemsOf(...names)).toMatch(expected);
  });
});

describe('a rename that is rolled back', () => {
  const back = () => apply(subscription('slow'));

  it('gives the former name its backlog, pause, muted addresses and threads back', async () => {
    const slack = { to: { channel: 'slack', settings: { token: '${T}', channel: '#team' } } };
    await apply(subscription('slow', slack));
    await recordBacklog();
    await apply({ ...renamed, ...slack });
    const one = event('1');
    await stores.threads.save('fast', `${one.source} ${one.subject}`, { thread: 'thread-3', incarnation: 'declared' });
    const muted = ['a@example.com'];
    await changeHealth({ ...stores, clock }, 'fast', 'person', (before) => ({ ...before, muted }));
    expect(await apply(subscription('slow', slack))).toMatchObject({
      added: [],
      removed: ['fast'],
      moved: [{ from: 'fast', to: 'slow', deliveries: 4 }],
      dropped: [],
    });
    expect(await readHealth(stores, 'slow')).toMatchObject({ muted });
    const [first] = await stores.deliveries.list({ subscription: 'slow', status: 'pending', limit: 1 });
    await deliverJob(ports(), { kind: 'attempt', delivery: first?.id ?? '', attempt: 1, group: 'slow' });
    expect(messages).toMatchObject([{ thread: 'thread-3', subscription: { name: 'slow' } }]);
  });

  it('is remembered when renamedFrom has been removed from the config', async () => {
    await apply(subscription('slow'));
    await apply(renamed);
    await apply(subscription('fast'));
    await stores.events.record([{ event: event('9'), deliveries: [delivery('9', 'fast')] }]);
    expect(await back()).toMatchObject({ moved: [{ from: 'fast', to: 'slow', deliveries: 1 }], dropped: [] });
  });

  it('goes back several names at once', async () => {
    await apply(subscription('slow'));
    await apply(renamed);
    await apply(subscription('faster', { renamedFrom: 'fast' }));
    await stores.events.record([{ event: event('9'), deliveries: [delivery('9', 'faster')] }]);
    expect(await back()).toMatchObject({ moved: [{ from: 'faster', to: 'slow', deliveries: 1 }] });
  });

  it('gets deliveries that the new version opened under the new name after the move', async () => {
    await apply(subscription('slow'));
    await apply(renamed);
    await back();
    await stores.events.record([{ event: event('9'), deliveries: [delivery('9', 'fast')] }]);
    const late = delivery('9', 'fast');
    const outcome = await deliverJob(ports(), { kind: 'attempt', delivery: late.id, attempt: 1, group: 'fast' });
    expect(outcome?.delivery).toMatchObject({ subscription: 'slow', status: 'settled' });
  });

  it('takes nothing from a subscription that is new under the former name beside the new one', async () => {
    await apply(subscription('slow'));
    await apply(renamed);
    await apply(subscription('fast'), subscription('slow'));
    await recordBacklog();
    expect(await apply(subscription('fast'), subscription('slow'))).toMatchObject({ moved: [], changed: [] });
    expect(await stores.subscriptions.get('fast')).not.toHaveProperty('formerNames');
  });

  it('takes nothing from a subscription that a command added under the former name', async () => {
    await apply(subscription('slow'));
    await apply(renamed);
    await apply(subscription('fast'));
    await stores.subscriptions.save(subscription('slow', { declared: false }));
    await recordBacklog();
    expect(await apply(subscription('fast'))).toMatchObject({ moved: [] });
    expect(await resume(ports(), 'fast')).toBe(0);
    expect(await statusesOf('slow')).toContain('held');
  });

  it('is forgotten after a week', async () => {
    await apply(subscription('slow'));
    await apply(renamed);
    await apply(subscription('fast'));
    await stores.events.record([{ event: event('9'), deliveries: [delivery('9', 'fast')] }]);
    const later = fixedClock(plus(NOON, 8 * DAY));
    const changes = await declareSubscriptions({ ...stores, clock: later, channels: channelRegistry }, [
      subscription('slow'),
    ]);
    expect(changes).toMatchObject({ moved: [], dropped: [{ subscription: 'fast', deliveries: 1 }] });
  });
});

describe('what a subscription has left unsent', () => {
  const added = (name: string, createdAt: string) => subscription(name, { declared: false, createdAt });
  let number = 0;

  /** Opens a delivery as `announce` does, for the subscription that is stored. */
  async function open(name: string): Promise<Delivery> {
    number += 1;
    const stored = await stores.subscriptions.get(name);
    if (stored === undefined) throw new Error(`no subscription ${name}`);
    const one = ofIncarnation(delivery(`left-${number}`, name), stored);
    await stores.events.record([{ event: event(`left-${number}`), deliveries: [one] }]);
    return one;
  }
  const send = async ({ id, subscription: group }: Delivery) => {
    const { kind } = await deliver(ports(), { kind: 'attempt', delivery: id, attempt: 1, group });
    const { status, attempts } = (await stores.deliveries.get(id)) ?? delivery('1', 'slow');
    return [kind, status, attempts.at(-1)?.code];
  };
  const SENT = ['attempted', 'settled', undefined];
  const DROPPED = ['dropped', 'failed', 'TIDINGS_DELIVERY_SUBSCRIPTION_GONE'];

  it('is sent if a later config declares it again', async () => {
    await apply(subscription('slow'));
    const one = await open('slow');
    await apply();
    await apply(subscription('slow'));
    expect(await send(one)).toEqual(SENT);
  });

  it('is sent if a config declares one that was added and is still there, also after the next start', async () => {
    await stores.subscriptions.save(added('slow', NOON));
    const [first, second] = [await open('slow'), await open('slow')];
    await apply(subscription('slow'));
    const third = await open('slow');
    expect(await send(first)).toEqual(SENT);
    expect(await apply(subscription('slow'))).toMatchObject({ changed: [] });
    expect([await send(second), await send(third)]).toEqual([SENT, SENT]);
  });

  it('is sent under the name that a config gives to one that was added, also if that one is there already', async () => {
    await stores.subscriptions.save(added('slow', NOON));
    await apply(subscription('fast'));
    const one = await open('slow');
    await apply(renamed);
    expect(await send({ ...one, subscription: 'fast' })).toEqual(SENT);
  });

  it('is not sent if one that was added is removed or has expired, and a config declares its name', async () => {
    for (const expiresAt of [undefined, NOON]) {
      await stores.subscriptions.save({ ...added('slow', NOON), ...(expiresAt && { expiresAt }) });
      const one = await open('slow');
      if (expiresAt === undefined) await stores.subscriptions.remove('slow');
      await apply(subscription('slow'));
      expect([expiresAt, ...(await send(one))]).toEqual([expiresAt, ...DROPPED]);
      await apply();
    }
  });

  it('is not sent if a config no longer declares it, and another one is added under its name', async () => {
    await apply(subscription('slow'));
    const one = await open('slow');
    await apply();
    await stores.subscriptions.save(added('slow', NOON));
    expect(await send(one)).toEqual(DROPPED);
    expect(messages).toEqual([]);
  });

  it('is not sent if a key or a channel owns it and the config declares the name for another receiver, also after the next start', async () => {
    const declared = subscription('slow', {
      to: {
        channel: 'http',
        settings: { url: 'https://a.example.com', secret: SECRET, auth: { bearer: '${BEARER}' } },
      },
    });
    const settings = { url: 'https://a.example.com', secret: 'derived:1', auth: { bearer: 'sealed:1' } };
    for (const [url, expected] of [
      ['https://b.example.com', DROPPED],
      ['https://a.example.com', SENT],
    ] as const) {
      const to = { channel: 'http', settings: { ...settings, url } };
      await stores.subscriptions.save({ ...added('slow', NOON), owner: 'k-1', to });
      const [one, two] = [await open('slow'), await open('slow')];
      await changeHealth({ ...stores, clock }, 'slow', 'person', (before) => ({ ...before, state: 'paused' }));
      const { dropped } = await apply(declared);
      expect([url, dropped]).toEqual([
        url,
        expected === SENT ? [] : [{ subscription: 'slow', deliveries: 2, replacedOf: 'k-1' }],
      ]);
      expect((await apply(declared)).dropped).toEqual([]);
      const state = (await readHealth(stores, 'slow')).state;
      expect([url, state]).toEqual([url, expected === SENT ? 'paused' : 'ok']);
      await changeHealth({ ...stores, clock }, 'slow', 'person', (before) => ({ ...before, state: 'ok' }));
      expect([url, await send(one)]).toEqual([url, expected]);
      await apply(declared);
      expect([url, await send(two)]).toEqual([url, expected]);
      expect((await stores.subscriptions.get('slow'))?.owner).toBeUndefined();
      await apply();
    }
  });

  it('is sent if an earlier version has opened it', async () => {
    await stores.subscriptions.save(added('slow', NOON));
    const one = delivery('old', 'slow');
    await stores.events.record([{ event: event('old'), deliveries: [one] }]);
    expect(await send(one)).toEqual(SENT);
  });
});
