/** Subscriptions that a key may not see, and names that were used before: no event about them and nothing unsent reaches it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { announceFeed } from '../../core/events/announce-feed.ts';
import { openDelivery } from '../../core/model/delivery.ts';
import { MINUTE, plus } from '../../core/model/time.ts';
import { event } from '../samples.ts';
import { type ApiWorld, askWhilePumping, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await startApiWorld();
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const elsewhere = (name: string) => world.receiver.url.replace('/hook', `/${name}`);

describe('events about subscriptions', () => {
  const failing = (name: string) =>
    event(`failing-${name}`, {
      type: 'subscription.failing',
      subject: `subscription/${name}`,
      time: world.clock.now(),
      data: { ...event('x').data, record: { id: name, name, reason: `503 from the host of ${name}` } },
    });

  it('are for a key that only subscribes if they are about its own', async () => {
    const { token: key } = await world.makeKey(['subscribe']);
    const make = async (token?: string) => {
      const body = { url: elsewhere('watcher'), events: ['*'] };
      const made = await world.ask('POST', '/subscriptions', body, token === undefined ? {} : { key: token });
      return String(made.body.name);
    };
    const [watching, own, foreign] = [await make(key), await make(key), await make()];
    await world.record(failing(own), failing(foreign));
    const requests: readonly (readonly [string, object])[] = [
      ['/filters/test', { events: ['*'] }],
      ['/filters/test', { events: ['subscription.*'] }],
      ['/filters/test', { query: 'subscription.failing' }],
      [`/subscriptions/${watching}/replay`, { since: '1h' }],
      [`/subscriptions/${watching}/replay`, { event: `evt_failing-${foreign}` }],
      [`/subscriptions/${watching}/test`, { type: 'subscription.*' }],
    ];
    for (const [path, body] of requests) {
      const text = JSON.stringify((await askWhilePumping(world, 'POST', path, body, { key })).body);
      expect([path, body, text.includes(`host of ${foreign}`)]).toEqual([path, body, false]);
    }
    const { body: tested } = await world.ask('POST', '/filters/test', { events: ['subscription.*'] }, { key });
    // Not even their number: all that were recorded, less those that it sees.
    expect(tested).toMatchObject({ matched: 1, recorded: null });
    const { body: seen } = await world.ask('POST', '/filters/test', { events: ['subscription.*'] });
    expect(seen).toMatchObject({ matched: 2, recorded: 2 });
    const sent = () => world.receiver.received.filter(({ path }) => path === '/watcher').map(({ body }) => body);
    expect(sent().join()).not.toContain(`host of ${foreign}`);
    // Those that the pipeline announces.
    const { snapshots } = world.api;
    for (const name of [own, foreign]) {
      await changeHealth({ snapshots, clock: world.clock }, name, 'delivery', (before) => {
        return { ...before, state: 'failing', reason: `refused by ${name}` };
      });
    }
    await announceFeed({ ...world.embedded, customEvents: [], zoneOf: async () => 'UTC' });
    await world.pump();
    const ofWatching = await world.ask('GET', `/subscriptions/${watching}/deliveries`, undefined, { key });
    const subjects = await world.api.events.getMany(
      ofWatching.body.data.flatMap(({ events }: { events: readonly string[] }) => events),
    );
    expect(subjects.map(({ subject }) => subject)).toContain(`subscription/${own}`);
    expect(subjects.map(({ subject }) => subject)).not.toContain(`subscription/${foreign}`);
    // A change by an operator leaves it so.
    await world.ask('PATCH', `/subscriptions/${watching}`, { rate: '30/m' });
    expect(await world.api.subscriptions.get(watching)).toMatchObject({ ofOwnerOnly: true, rate: { count: 30 } });
    expect(await world.api.subscriptions.get(foreign)).not.toHaveProperty('ofOwnerOnly');
  });
});

describe('a name that is free again', () => {
  it.each([
    { was: 'removed', isOwn: true },
    { was: 'expired', isOwn: true },
    { was: 'expired', isOwn: false },
  ])('does not bring its unsent deliveries to another receiver: $was, own $isOwn', async ({ was, isOwn }) => {
    const { id, token: key } = await world.makeKey([isOwn ? 'subscribe' : 'operate'], ['invoice.*']);
    const make = (url: string) =>
      world.ask('PUT', '/subscriptions/again-free', { url, events: ['invoice.*'] }, { key });
    const { name } = (await make(world.receiver.url)).body;
    const stored = await world.api.subscriptions.get(name);
    if (stored === undefined) throw new Error('no subscription');
    // An operator gave it more event types.
    const now = world.clock.now();
    const expiresAt = plus(now, MINUTE);
    const owner = isOwn ? id : 'another';
    await world.api.subscriptions.save({
      ...stored,
      owner,
      events: isOwn ? ['*'] : stored.events,
      ...(was === 'expired' ? { expiresAt } : {}),
    });
    const task = taskEvent(`unsent-${was}-${owner}`);
    const unsent = { ...openDelivery(task, name, now), dueAt: plus(now, 10 * MINUTE) };
    await world.api.events.record([{ event: task, deliveries: [unsent] }]);
    world.advance(2 * MINUTE);
    if (was === 'removed') await world.ask('DELETE', `/subscriptions/${name}`, undefined, { key });
    const url = elsewhere(`free-${was}-${owner}`);
    expect((await make(url)).body.code).toBe('TIDINGS_API_EVENTS');
    world.advance(20 * MINUTE);
    await world.pump();
    const sent = world.receiver.received.filter(({ path }) => url.endsWith(path));
    expect(sent.map(({ body }) => JSON.parse(body).type)).toEqual([]);
    // Once nothing waits, the name can be used.
    expect((await make(url)).status).toBe(201);
  });
});
