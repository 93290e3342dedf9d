/** Subscriptions that a key may not see, and names that were used before: no event about them and nothing unsent reaches it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliver } from '../../core/delivery/deliver.ts';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { announceFeed } from '../../core/events/announce-feed.ts';
import { openDelivery } from '../../core/model/delivery.ts';
import { MINUTE, plus } from '../../core/model/time.ts';
import { jobFor } from '../../core/ports/queue.ts';
import { event, snapshot } from '../samples.ts';
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
    const put = (as: string, url: string) =>
      world.ask('PUT', `/subscriptions/${as}`, { url, events: ['invoice.*'] }, { key });
    const { name } = (await put('again-free', world.receiver.url)).body;
    // That of another has its whole name only.
    const make = (url: string) => put(isOwn ? 'again-free' : name, url);
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

  /** A task is closed: its deliveries are opened, and not sent yet. */
  const closeTask = async (id: string) => {
    const open = { id, title: `Task ${id}`, dateclosed: null };
    const { snapshots } = world.api;
    const closed = { record: { ...open, dateclosed: '2026-11-14' }, stage: { closed: true }, version: 2 };
    await snapshots.commit([{ snapshot: snapshot(id, { record: open, cause: 'baseline' }), expected: 0 }]);
    await snapshots.commit([{ snapshot: snapshot(id, { ...closed, committedAt: world.clock.now() }), expected: 1 }]);
    await announceFeed({ ...world.embedded, customEvents: [], zoneOf: async () => 'UTC' });
  };
  const sentTo = (name: string) =>
    world.receiver.received.filter(({ path }) => path === `/${name}`).map(({ body }) => JSON.parse(body).subject);
  const put = async (name: string, key: string, receiver: string, more: object = {}) => {
    const body = { url: elsewhere(receiver), events: ['task.closed'], ...more };
    const { status } = await askWhilePumping(
      world,
      'PUT',
      `/subscriptions/${name}`,
      { ...body, verify: 'none' },
      { key },
    );
    expect(status).toBe(201);
  };
  const makeKeyOf = async () => (await world.makeKey(['operate'])).token;

  it.each(['removed', 'expired'])('does not send what another key left unsent under it: %s', async (was) => {
    const [victim, other] = [await makeKeyOf(), await makeKeyOf()];
    const name = `left-${was}`;
    const expiresAt = plus(world.clock.now(), MINUTE);
    await put(name, victim, `victim-${was}`, was === 'expired' ? { expiresAt } : {});
    await closeTask(was === 'removed' ? '71' : '72');
    if (was === 'removed') await world.ask('DELETE', `/subscriptions/${name}`, undefined, { key: victim });
    world.advance(was === 'removed' ? 1 : MINUTE);
    await put(name, other, `other-${was}`);
    await closeTask(was === 'removed' ? '73' : '74');
    world.advance(10 * MINUTE);
    await world.pump();
    expect([sentTo(`victim-${was}`), sentTo(`other-${was}`)]).toEqual([
      [],
      [was === 'removed' ? 'task/73' : 'task/74'],
    ]);
    const { data } = (await world.ask('GET', `/subscriptions/${name}/deliveries`)).body;
    const outcomes = data.map(({ status, attempts }: { status: string; attempts: readonly { code?: string }[] }) => [
      status,
      attempts.at(-1)?.code,
    ]);
    expect(outcomes.toSorted()).toEqual([
      ['failed', 'TIDINGS_DELIVERY_SUBSCRIPTION_GONE'],
      ['settled', undefined],
    ]);
    expect(JSON.stringify(data)).not.toContain('incarnation');
  });

  it('shows a key none of the deliveries of the earlier one', async () => {
    const { token: key } = await world.makeKey(['operate'], ['task.*']);
    const make = async () => {
      const body = { url: elsewhere('shown'), events: ['task.closed'] };
      return (await askWhilePumping(world, 'PUT', '/subscriptions/shown', body, { key })).body.name;
    };
    const name = await make();
    const seen = async (event: string) => {
      const { data, next } = (await world.ask('GET', '/subscriptions/shown/deliveries?limit=1', undefined, { key }))
        .body;
      const { deliveries } = (await world.ask('GET', `/events/${event}`, undefined, { key })).body;
      const ofEvent = deliveries.filter(({ subscription }: { subscription: string }) => subscription === name);
      return { listed: data.length, next, ofEvent: ofEvent.length };
    };
    const deliveredTo = async () => {
      const [delivery] = await world.api.deliveries.list({ subscription: name, limit: 1 });
      if (delivery === undefined) throw new Error('no delivery');
      return { id: delivery.id, event: String(delivery.events[0]) };
    };
    await closeTask('81');
    await world.pump();
    const earlier = await deliveredTo();
    expect(await seen(earlier.event)).toEqual({ listed: 1, next: null, ofEvent: 1 });
    await world.ask('DELETE', '/subscriptions/shown', undefined, { key });
    world.advance(MINUTE);
    expect(await make()).toBe(name);
    expect(await seen(earlier.event)).toEqual({ listed: 0, next: null, ofEvent: 0 });
    expect((await world.ask('GET', `/deliveries/${earlier.id}`, undefined, { key })).status).toBe(404);
    // Those who see all see the history of the name.
    expect((await world.ask('GET', `/deliveries/${earlier.id}`)).status).toBe(200);
    await closeTask('82');
    await world.pump();
    expect(await seen((await deliveredTo()).event)).toEqual({ listed: 1, next: null, ofEvent: 1 });
  });

  it('sends what was left unsent to the key that declares its own one again after it expired', async () => {
    const key = await makeKeyOf();
    await put('renewed', key, 'renewed', { expiresAt: plus(world.clock.now(), MINUTE) });
    await closeTask('75');
    world.advance(MINUTE);
    await put('renewed', key, 'renewed');
    // Repeated, paused and changed, it is the same.
    await world.ask('PUT', '/subscriptions/renewed', { url: elsewhere('renewed'), events: ['task.*'] }, { key });
    await closeTask('76');
    await world.ask('PATCH', '/subscriptions/renewed', { rate: '60/m' }, { key });
    await world.ask('POST', '/subscriptions/renewed/pause', {}, { key });
    await world.ask('POST', '/subscriptions/renewed/resume', {}, { key });
    world.advance(10 * MINUTE);
    await world.pump();
    expect(sentTo('renewed').filter((subject: string) => subject === 'task/75' || subject === 'task/76')).toEqual(
      expect.arrayContaining(['task/75', 'task/76']),
    );
  });

  it('sends what is opened from then on, also after the clock was put back', async () => {
    const key = await makeKeyOf();
    world.advance(30 * MINUTE);
    await put('early', key, 'early');
    world.advance(-30 * MINUTE);
    await closeTask('77');
    world.advance(10 * MINUTE);
    await world.pump();
    expect(sentTo('early')).toEqual(['task/77']);
  });

  it('leaves what another gathered out of the message of the new one, and its digest to it', async () => {
    const [victim, other] = [await makeKeyOf(), await makeKeyOf()];
    const chat = { to: { slack: { webhook: 'https://hooks.slack.com/services/T0/B0/x' } }, url: undefined };
    const digest = { digest: { at: '18:00' }, timeZone: 'UTC', events: ['task.*'] };
    await put('gathered', victim, '', { ...chat, ...digest });
    await closeTask('78');
    await world.ask('DELETE', '/subscriptions/gathered', undefined, { key: victim });
    world.advance(1);
    await put('gathered', other, '', { ...chat, ...digest });
    await closeTask('79');
    const stored = await world.api.subscriptions.get('gathered');
    if (stored === undefined) throw new Error('no subscription');
    const all = await world.api.deliveries.list({ subscription: 'gathered', status: 'waiting', limit: 99 });
    const digests = all.filter(({ standing }) => standing !== undefined);
    expect(digests.map(({ incarnation }) => incarnation)).toEqual([stored.createdAt]);
    const channelFor = () => ({ send: async () => ({ status: 200 }) });
    const ports = { ...world.embedded, channelFor };
    for (const one of all) await deliver(ports, jobFor(one));
    const settled = await world.api.deliveries.list({ subscription: 'gathered', status: 'settled', limit: 99 });
    const sent = await world.api.events.getMany(settled.flatMap(({ events }) => events));
    expect([...new Set(sent.map(({ subject }) => subject))]).toEqual(['task/79']);
  });
});
