/** What readers ask the management API for: events by text and source, their number by hour, the forecast, what waits. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, plus } from '../../core/model/time.ts';
import { stageOnDay } from '../../core/snapshot/stage.ts';
import { countEvents } from '../../manage/api/events.ts';
import { delivery, event, NOON, snapshot, subscription } from '../samples.ts';
import { type ApiWorld, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;

function titled(id: string, title: string, change = {}) {
  const one = taskEvent(id);
  return { ...one, ...change, data: { ...one.data, record: { id, title, client: 'Café Lumière' } } };
}

beforeAll(async () => {
  world = await startApiWorld({
    config: {
      sources: [
        { name: 'main', baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'Europe/Berlin' },
        { name: 'second', baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}' },
      ],
      source: undefined,
    },
  });
  await world.record(
    titled('1', 'Proofread the newsletter'),
    titled('2', 'Write the newsletter', { source: '/sources/second' }),
    titled('3', 'Café menu', { time: plus(NOON, -3 * HOUR) }),
  );
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const idsOf = ({ body }: { readonly body: { readonly data: readonly { readonly id: string }[] } }) =>
  body.data.map(({ id }) => id);

describe('GET /events', () => {
  it.each([
    ['text=newsletter', ['evt_1', 'evt_2']],
    ['text=NEWSLETTER%20proofread', ['evt_1']],
    ['text=cafe%20menu', ['evt_3']],
    ['text=lumi%C3%A8re', ['evt_1', 'evt_2', 'evt_3']],
    ['text=task/2', ['evt_2']],
    ['text=evt_3', ['evt_3']],
    ['source=second', ['evt_2']],
    ['source=main&text=newsletter', ['evt_1']],
    ['text=nothing-like-it', []],
  ])('finds %s', async (query, ids) => {
    expect(idsOf(await world.ask('GET', `/events?${query}`))).toEqual(ids);
  });

  it('pages through what it finds', async () => {
    const first = await world.ask('GET', '/events?text=newsletter&order=newest&limit=1');
    expect(idsOf(first)).toEqual(['evt_2']);
    const next = await world.ask('GET', `/events?text=newsletter&order=newest&limit=1&after=${first.body.next}`);
    expect(idsOf(next)).toEqual(['evt_1']);
  });

  it('refuses a text that is too long', async () => {
    expect((await world.ask('GET', `/events?text=${'x'.repeat(201)}`)).status).toBe(400);
  });
});

describe('GET /events/counts', () => {
  it('leaves out hours before those that have as many events as are counted', async () => {
    const { api } = world;
    const asked: number[] = [];
    const countByHour: typeof api.events.countByHour = async (since, limit) => {
      asked.push(limit);
      return api.events.countByHour(since, 1);
    };
    const caller = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
    const counted = await countEvents({ ...api, events: { ...api.events, countByHour } }, caller, 4);
    // Two events of the newest hour are more than one.
    expect(counted).toEqual({ data: [], truncated: true });
    expect(asked).toEqual([100_000]);
    const two: typeof api.events.countByHour = (since) => api.events.countByHour(since, 2);
    const { data, truncated } = await countEvents({ ...api, events: { ...api.events, countByHour: two } }, caller, 4);
    expect(data.map(({ count }) => count)).toEqual([0, 0, 2]);
    expect(truncated).toBe(true);
  });

  it('counts each hour up to now, also those without events', async () => {
    const { body } = await world.ask('GET', '/events/counts?hours=4');
    expect(body.data).toEqual([
      { hour: plus(NOON, -3 * HOUR), count: 1 },
      { hour: plus(NOON, -2 * HOUR), count: 0 },
      { hour: plus(NOON, -HOUR), count: 0 },
      { hour: NOON, count: 2 },
    ]);
    expect((await world.ask('GET', '/events/counts')).body.data).toHaveLength(24);
    for (const hours of ['0', '169', 'x']) {
      expect((await world.ask('GET', `/events/counts?hours=${hours}`)).status).toBe(400);
    }
  });

  it('is refused to a key with event types, which would learn about others', async () => {
    const { token } = await world.makeKey(['read'], ['invoice.*']);
    expect((await world.ask('GET', '/events/counts', undefined, { key: token })).status).toBe(403);
  });
});

describe('GET /forecast', () => {
  it('lists what time will bring and who gets it', async () => {
    const due = '2026-11-15';
    const record = { id: '7', title: 'Send the offer', datedue: due, dateclosed: null };
    const stage = stageOnDay('task', record, '2026-11-14', world.embedded.config.rules);
    const one = snapshot('7', { record, stage, nextMoment: '2026-11-15T23:00:00.000Z' });
    await world.embedded.snapshots.commit([{ snapshot: one, expected: 0 }]);
    // A name that every object has.
    await world.embedded.subscriptions.save(subscription('constructor', { declared: false }));
    const { body } = await world.ask('GET', '/forecast?until=2d');
    const sentAt = '2026-11-15T23:00:00.000Z';
    const forecast = expect.objectContaining({ at: sentAt, subscription: 'constructor' });
    expect(body.messages).toContainEqual(forecast);
    expect(body.data).toContainEqual(
      expect.objectContaining({
        at: '2026-11-15T23:00:00.000Z',
        type: 'task.overdue',
        source: 'main',
        subject: 'task/7',
        line: expect.stringContaining('Send the offer'),
        subscriptions: ['constructor', 'declared'].map((name) => ({ name, sentAt })),
      }),
    );
    const { token } = await world.makeKey(['read'], ['invoice.*']);
    expect((await world.ask('GET', '/forecast?until=2d', undefined, { key: token })).body).toMatchObject({ count: 0 });
    expect((await world.ask('GET', '/forecast?until=2001-01-01T00:00:00Z')).status).toBe(400);
    expect((await world.ask('GET', '/forecast?until=soon')).status).toBe(400);
  });
});

describe('GET /deliveries/waiting', () => {
  it('counts what waits for an attempt, and what is retried', async () => {
    expect((await world.ask('GET', '/deliveries/waiting')).body).toEqual({ count: 0, more: false, data: [] });
    const attempt = { number: 1, at: NOON, ms: 3, outcome: 'retry' } as const;
    await world.embedded.events.record([
      {
        event: event('8'),
        deliveries: [
          delivery('8', 'declared', { dueAt: plus(NOON, HOUR) }),
          delivery('8', 'other', { attempts: [attempt], dueAt: plus(NOON, 2 * HOUR) }),
        ],
      },
    ]);
    const { body } = await world.ask('GET', '/deliveries/waiting');
    expect(body).toMatchObject({ count: 2, more: false });
    expect(body.data).toContainEqual({
      subscription: 'declared',
      count: 1,
      retrying: 0,
      nextAt: plus(NOON, HOUR),
      nextDelivery: expect.stringMatching(/^dlv_/),
    });
    expect(body.data).toContainEqual(expect.objectContaining({ subscription: 'other', retrying: 1 }));
    const { token } = await world.makeKey(['read'], ['task.*']);
    expect((await world.ask('GET', '/deliveries/waiting', undefined, { key: token })).status).toBe(403);
  });
});

describe('the messages ahead', () => {
  const open = async (type: string, id: string, fields: Record<string, unknown>) => {
    const record = { id, title: `No. ${id}`, dateclosed: null, assigneeid: [], ...fields };
    const stage = stageOnDay(type, record, '2026-11-14', world.embedded.config.rules);
    const one = snapshot(id, { key: { source: 'main', resource: type, id }, record, stage });
    await world.embedded.snapshots.commit([{ snapshot: one, expected: 0 }]);
  };
  const digest = (events: readonly string[]) => ({
    events,
    digest: { at: '08:30' },
    to: { slack: { webhook: 'https://hooks.example.com/x' } },
  });

  it('has each digest with its time and its number, for whoever may see it', async () => {
    await open('task', '31', { datedue: '2026-11-02' });
    await open('task', '32', { datedue: '2026-11-03' });
    await world.ask('POST', '/subscriptions', { name: 'tasks', ...digest(['task.overdue']) });
    const expected = {
      subscription: 'tasks',
      at: '2026-11-15T07:30:00.000Z',
      zone: 'Europe/Berlin',
      kind: 'digest',
      title: '2 tasks overdue',
      count: 2,
      types: ['task.overdue'],
      people: null,
      isHeld: false,
    };
    const { body } = await world.ask('GET', '/forecast');
    expect(body.messages).toEqual([expected]);
    expect((await world.ask('POST', '/subscriptions/tasks/preview', {})).body.messages).toEqual([expected]);
    const { token } = await world.makeKey(['read'], ['invoice.*']);
    expect((await world.ask('GET', '/forecast', undefined, { key: token })).body.messages).toEqual([]);
    const three = (await world.ask('GET', '/forecast?until=3d')).body.messages;
    expect(three.filter(({ subscription }: { subscription: string }) => subscription === 'tasks')).toHaveLength(3);
    await world.ask('POST', '/subscriptions/tasks/pause');
    expect((await world.ask('GET', '/forecast')).body.messages).toEqual([{ ...expected, isHeld: true }]);
    await world.ask('DELETE', '/subscriptions/tasks');
  });

  it('counts the people of a personal digest', async () => {
    await open('task', '41', { datedue: '2026-11-02', assigneeid: ['5', '6'] });
    await open('task', '42', { datedue: '2026-11-02', assigneeid: ['6'] });
    const to = { slack: { token: '${TOKEN}', to: 'assignees' } };
    const made = await world.ask('POST', '/subscriptions', { name: 'mine', ...digest(['task.overdue']), to });
    expect(made.status).toBe(201);
    const { messages } = (await world.ask('GET', '/forecast')).body;
    expect(messages).toMatchObject([{ subscription: 'mine', people: 2 }]);
    await world.ask('DELETE', '/subscriptions/mine');
  });
});

it('gives a reader who has got nothing yet a cursor, with which it gets what comes', async () => {
  const own = await startApiWorld();
  const { token: key } = await own.makeKey(['read'], ['milestone.*']);
  const { body: empty } = await own.ask('GET', '/events', undefined, { key });
  expect(empty).toMatchObject({ data: [], next: expect.stringMatching(/^sealed_/), more: false });
  const all = await own.ask('GET', '/events?subject=task/404');
  expect(all.body).toMatchObject({ data: [], next: expect.any(String), more: false });
  const time = own.clock.now();
  await own.record(event('milestone', { type: 'milestone.created', subject: 'milestone/1', time }));
  const later = await own.ask('GET', `/events?after=${empty.next}`, undefined, { key });
  expect(idsOf(later)).toEqual(['evt_milestone']);
  expect((await own.ask('GET', `/events?order=newest&after=${empty.next}`, undefined, { key })).status).toBe(400);
  await own.stop();
});
