/** The query language in requests: what it stands for is stored and shown, and its errors say where they are. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_ONLY_KEYS } from '../../manage/api/subscriptions/subscription-input.ts';
import { subscriptionInputSchema, subscriptionPutSchema } from '../../manage/api/subscriptions/subscription-schemas.ts';
import { subscriptionSchema } from '../../runtime/config/subscription-schema.ts';
import { event } from '../samples.ts';
import { type ApiWorld, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await startApiWorld();
  const paid = (id: string, total: number) =>
    event(id, {
      type: 'invoice.paid',
      subject: `invoice/${id}`,
      data: { ...event(id).data, record: { id, total } },
    });
  await world.record(taskEvent('1'), paid('2', 400), paid('3', 600));
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const url = () => world.receiver.url;
const slack = { slack: { webhook: 'https://hooks.slack.com/services/T0/B0/x' } };
const where = { data: { record: { total: [{ numeric: ['>=', 500] }] } } };

describe('a query in a request', () => {
  it('makes the subscription that it stands for', async () => {
    const made = await world.ask('POST', '/subscriptions', { url: url(), query: 'invoice.paid total>=500' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ events: ['invoice.paid'], where });
    expect(made.body).not.toHaveProperty('query');
    const put = { to: slack, query: 'task.overdue daily 08:30 mon-fri quiet weekends' };
    const declared = await world.ask('PUT', '/subscriptions/team', put);
    expect(declared.status).toBe(201);
    expect(declared.body).toMatchObject({
      events: ['task.overdue'],
      digest: { at: '08:30', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
      quiet: { days: ['sat', 'sun'] },
    });
    expect((await world.ask('PUT', '/subscriptions/team', put)).headers.get('etag')).toBe(declared.headers.get('etag'));
  });

  it('replaces all of what an earlier one said', async () => {
    const before = { to: slack, query: 'task.overdue project:One daily 08:30', dayStartsAt: '07:00' };
    await world.ask('PUT', '/subscriptions/changed', before);
    const { status, body } = await world.ask('PATCH', '/subscriptions/changed', { query: 'task.closed' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ events: ['task.closed'], dayStartsAt: '07:00' });
    expect(body).not.toHaveProperty('where');
    expect(body).not.toHaveProperty('digest');
  });

  it('is tried on recorded events, and shown as what it stands for', async () => {
    const query = 'invoice.paid total>=500 daily 09:00';
    const { status, body } = await world.ask('POST', '/filters/test', { query, since: '1d' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ matched: 1, filter: { events: ['invoice.paid'], where, digest: { at: '09:00' } } });
    const plain = await world.ask('POST', '/filters/test', { events: ['invoice.*'], since: '1d' });
    expect(plain.body).toMatchObject({ matched: 2, filter: { events: ['invoice.*'] } });
  });

  it.each(['/subscriptions', '/filters/test'])(
    'gets an error with a position for each wrong word: POST %s',
    async (path) => {
      const receiver = path === '/subscriptions' ? { url: url() } : {};
      const query = 'task.overdue projct:x  due:soon';
      const { status, headers, body } = await world.ask('POST', path, { ...receiver, query });
      expect([status, headers.get('content-type'), body.code]).toEqual([
        422,
        'application/problem+json',
        'TIDINGS_API_INVALID',
      ]);
      expect(body.errors).toEqual([
        {
          pointer: '/query',
          position: 13,
          word: 'projct:x',
          detail: expect.stringContaining("did you mean 'project'?"),
        },
        { pointer: '/query', position: 23, word: 'due:soon', detail: expect.stringContaining('expected a date') },
      ]);
    },
  );

  it('is refused beside the keys that it stands for, and where the channel cannot do what it says', async () => {
    const pointersOf = async (body: object) =>
      (await world.ask('POST', '/subscriptions', body)).body.errors.map(({ pointer }: { pointer: string }) => pointer);
    const both = { url: url(), query: 'task.closed', events: ['task.*'], where: {} };
    expect(await pointersOf(both)).toEqual(['/events', '/where']);
    expect(await pointersOf({ url: url(), query: 'task.overdue daily 08:30' })).toEqual(['/query']);
    expect(await pointersOf({ url: url(), query: 5, rate: 'fast' })).toEqual(['/query', '/rate']);
  });

  it('names event types that the key may see', async () => {
    const { token: key } = await world.makeKey(['subscribe'], ['invoice.*']);
    const ask = (query: string) => world.ask('POST', '/subscriptions', { url: url(), query }, { key });
    expect((await ask('invoice.paid')).status).toBe(201);
    expect((await ask('task.closed')).body.errors).toEqual([
      { pointer: '/query', position: 0, word: 'task.closed', detail: expect.not.stringContaining('task.created') },
    ]);
    const all = await ask('*');
    expect([all.status, all.body.errors[0].pointer]).toEqual([403, '/query']);
  });
});

describe('the keys of the config', () => {
  it('are all accepted, except those that only the operator may use', async () => {
    const keys = Object.keys(subscriptionSchema.shape).sort();
    for (const { shape } of [subscriptionInputSchema, subscriptionPutSchema]) {
      const known = [...Object.keys(shape), ...CONFIG_ONLY_KEYS];
      expect(keys.filter((key) => !known.includes(key))).toEqual([]);
    }
    const theft = { name: 'thief', url: url(), events: ['task.*'], renamedFrom: 'declared' };
    const { status, body } = await world.ask('POST', '/subscriptions', theft);
    expect([status, body.errors[0].pointer]).toEqual([422, '/renamedFrom']);
  });

  it('stay when others are changed', async () => {
    const http = { url: url(), contentType: 'application/cloudevents+json' };
    const made = await world.ask('PUT', '/subscriptions/kept', { to: { http }, events: ['task.*'] });
    expect(made.status).toBe(201);
    const { status, body } = await world.ask('PATCH', '/subscriptions/kept', { rate: '1/s' });
    expect(status).toBe(200);
    expect(body.to.http).toMatchObject({ contentType: 'application/cloudevents+json' });
  });
});
