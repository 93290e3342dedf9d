/** A key with event types in the embedded mode: the matrix of all routes, and what such a key may do. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TidingsEvent } from '../../core/model/event.ts';
import { initialScanState } from '../../core/model/scan.ts';
import { DAY, plus } from '../../core/model/time.ts';
import type { EventPage } from '../../core/ports/event-store.ts';
import { stageOnDay } from '../../core/snapshot/stage.ts';
import { snapshot } from '../samples.ts';
import { type ApiWorld, askWhilePumping, startApiWorld } from './api-world.ts';
import { arrange, describeEventTypeMatrix, KEYS, type MatrixWorld, recordMarked } from './event-type-matrix.ts';
import { TYPES } from './event-type-requests.ts';

/** One key makes all subscriptions of the matrix. */
const quotas = {
  subscriptions: 100_000,
  bytes: 100_000_000,
  changes: '100000/s',
  previews: '100000/s',
  replays: '100000/s',
};

const start = () =>
  startApiWorld({
    config: {
      source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'UTC' },
      manage: { url: 'https://tidings.example.com', secret: '${MASTER}', api: { rate: '100000/s', quotas } },
    },
  });

const matrixOf = (world: ApiWorld): MatrixWorld => ({
  receiver: world.receiver,
  stores: world.api,
  now: world.clock.now,
  makeKey: world.makeKey,
  ask: (method, path, body, { key, isSettled = false } = {}) => {
    // An entry of the audit trail is looked up among those of its instant.
    world.advance(1);
    const options = key === undefined ? {} : { key };
    return isSettled && method !== 'GET'
      ? askWhilePumping(world, method, path, body, options)
      : world.ask(method, path, body, options);
  },
  settle: world.pump,
  stop: async () => {
    expect(world.errors).toEqual([]);
    await world.stop();
  },
});

describe('a key with event types, on every route', () => {
  describeEventTypeMatrix(async () => matrixOf(await start()), { keys: KEYS });
});

describe('a key with event types', () => {
  let world: ApiWorld;
  let matrix: MatrixWorld;
  let recorded: readonly TidingsEvent[];
  beforeAll(async () => {
    world = await start();
    matrix = matrixOf(world);
    recorded = await recordMarked(matrix);
  });
  afterAll(() => matrix.stop());

  it('is not made with the scope admin, and an older one of this kind only operates', async () => {
    const body = { name: 'x', scopes: ['admin'], events: ['invoice.*'] };
    expect(await world.ask('POST', '/keys', body)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/events' }] },
    });
    const { id, token } = await world.makeKey(['admin']);
    const stored = await world.api.apiKeys.get(id);
    if (stored === undefined) throw new Error('no key');
    await world.api.apiKeys.save({ ...stored, events: ['invoice.*'] });
    expect((await world.ask('GET', '/keys', undefined, { key: token })).status).toBe(403);
    const more = { name: 'more', scopes: ['admin'] };
    expect((await world.ask('POST', '/keys', more, { key: token })).status).toBe(403);
    expect((await world.ask('GET', '/subscriptions', undefined, { key: token })).status).toBe(200);
  });

  it.each(['a\u0007b', 'line\nbreak', 'a\u202eb', '\u2067x'])(
    'has no name with hidden characters: %j',
    async (name) => {
      expect(await world.ask('POST', '/keys', { name, scopes: ['read'] })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/name', detail: expect.stringContaining('U+') }] },
      });
    },
  );

  it('operates what is within its event types', async () => {
    const { id, token } = await world.makeKey(['operate'], ['invoice.*']);
    const [own, foreign] = await Promise.all(
      [true, false].map((isOwn) =>
        arrange(
          matrix,
          recorded,
          { label: 'within', own: isOwn, events: ['invoice.paid'], deliveries: ['invoice.paid'] },
          id,
        ),
      ),
    );
    for (const one of [own, foreign]) {
      const path = `/subscriptions/${one?.name}`;
      const page = await world.ask('GET', `${path}/deliveries`, undefined, { key: token });
      expect(page.body.data.map(({ status }: { status: string }) => status).sort()).toEqual([
        'failed',
        'held',
        'pending',
        'waiting',
      ]);
      expect((await world.ask('PATCH', path, { rate: '30/m' }, { key: token })).body.rate).toBe('30/m');
      expect((await world.ask('POST', `${path}/resume`, undefined, { key: token })).status).toBe(200);
      const retried = await world.ask('POST', '/deliveries/retry', { subscription: one?.name }, { key: token });
      expect(retried.body.count).toBe(1);
    }
  });

  it('has no server of its own asked for the mail addresses of people', async () => {
    const { token: key } = await world.makeKey(['operate'], ['task.*']);
    const { token: seesPeople } = await world.makeKey(['operate'], ['task.*', 'person.*']);
    const slack = (settings: object) => ({
      events: ['task.*'],
      to: { slack: { token: 'xoxb-1', ...settings } },
    });
    const api = 'https://slack.example.com/';
    const add = (settings: object, token = key) => world.ask('POST', '/subscriptions', slack(settings), { key: token });
    expect(await add({ to: 'assignees', api })).toMatchObject({
      status: 403,
      body: { code: 'TIDINGS_API_EVENTS', errors: [{ pointer: '/to/slack/api' }] },
    });
    expect((await add({ to: 'assignees' })).status).toBe(201);
    // Not in two steps either.
    const { body: made } = await add({ channel: '#tasks', api });
    const patch = (name: string, body: object) => world.ask('PATCH', `/subscriptions/${name}`, body, { key });
    expect((await patch(made.name, { to: slack({ to: 'assignees', api }).to })).status).toBe(403);
    // One with such an address that another has made can still be changed.
    const { body: other } = await add({ to: 'assignees', api }, seesPeople);
    const { body: foreign } = await add({ to: 'assignees', api }, world.admin);
    expect(other.to.slack.api).toBe(api);
    expect((await patch(foreign.name, { rate: '30/m' })).body.rate).toBe('30/m');
  });

  it('names nobody by mail address in mentions, and can change a subscription that does', async () => {
    const { token: key } = await world.makeKey(['operate'], ['task.*']);
    const { token: seesPeople } = await world.makeKey(['operate'], ['task.*', 'person.*']);
    const add = (token: string, ...people: readonly string[]) => {
      const mentions = Object.fromEntries(people.map((name) => [name, 'ann']));
      const mattermost = { webhook: 'https://chat.example.com/hooks/x', mentions };
      return world.ask('POST', '/subscriptions', { events: ['task.*'], to: { mattermost } }, { key: token });
    };
    expect(await add(key, 'ann.lee@example.com')).toMatchObject({
      status: 403,
      body: { code: 'TIDINGS_API_EVENTS', errors: [{ pointer: '/to/mattermost/mentions' }] },
    });
    expect((await add(key, 'Ann Lee')).status).toBe(201);
    const { body: made } = await add(seesPeople, 'ann.lee@example.com');
    const patch = (body: object) => world.ask('PATCH', `/subscriptions/${made.name}`, body, { key });
    expect((await patch({ rate: '30/m' })).status).toBe(200);
    const guess = {
      to: { mattermost: { webhook: 'https://chat.example.com/hooks/x', mentions: { 'bob@example.com': 'b' } } },
    };
    expect((await patch(guess)).body.code).toBe('TIDINGS_API_EVENTS');
  });

  it('pauses no subscription of others with unsent deliveries beyond it', async () => {
    const { id, token } = await world.makeKey(['operate'], ['invoice.*']);
    const arranged = await Promise.all(
      [true, false].map((own) =>
        arrange(
          matrix,
          recorded,
          { label: 'narrowed', own, events: ['invoice.paid'], deliveries: ['task.closed'] },
          id,
        ),
      ),
    );
    const paused: number[] = [];
    for (const { name } of arranged) {
      await world.ask('POST', `/subscriptions/${name}/resume`);
      paused.push((await world.ask('POST', `/subscriptions/${name}/pause`, undefined, { key: token })).status);
    }
    expect(paused).toEqual([200, 403]);
  });

  it.each([true, false])('retries no delivery of a subscription with others beyond it: own %s', async (own) => {
    const { id, token } = await world.makeKey(['operate'], ['invoice.*']);
    const mixed = { label: 'mixed', own, events: ['invoice.paid'], deliveries: ['invoice.paid', 'task.closed'] };
    const { name, made } = await arrange(matrix, recorded, mixed, id);
    const failed = made.find(({ id: delivery }) => delivery.startsWith('dlv_failed_invoice'));
    const retry = () => world.ask('POST', `/deliveries/${failed?.id}/retry`, undefined, { key: token });
    expect(await retry()).toMatchObject({ status: 403, body: { code: 'TIDINGS_API_EVENTS' } });
    const unsent = made.filter(({ status, events: [event] }) => status !== 'failed' && event === 'evt_task_closed');
    expect(unsent).toHaveLength(3);
    for (const delivery of unsent)
      await world.api.deliveries.update(delivery, {
        ...delivery,
        status: 'failed',
        dueAt: null,
        settledAt: world.clock.now(),
      });
    expect((await retry()).status).toBe(202);
    await world.api.subscriptions.remove(name);
  });

  it('has no other events read when it tests a filter', async () => {
    const { token } = await world.makeKey(['read'], ['task.closed']);
    const read = new Set<string>();
    const list = vi.spyOn(world.api.events, 'list');
    const where = { data: { record: { title: [{ wildcard: '*MARK*' }] } } };
    const { body } = await world.ask('POST', '/filters/test', { events: ['*'], where }, { key: token });
    for (const { value } of list.mock.settledResults)
      for (const { type } of (value as EventPage).events) read.add(type);
    list.mockRestore();
    expect(body.byType).toEqual({ 'task.closed': 1 });
    expect([...read]).toEqual(['task.closed']);
  });

  it('has no records of other resources read for a forecast', async () => {
    const { id, token } = await world.makeKey(['operate'], ['task.*']);
    const { name } = await arrange(
      matrix,
      recorded,
      { label: 'within', own: true, events: ['task.*'], deliveries: [] },
      id,
    );
    const read = vi.spyOn(world.api.snapshots, 'getMany');
    await world.ask('GET', '/forecast?until=30d', undefined, { key: token });
    await world.ask('POST', `/subscriptions/${name}/preview`, { until: '30d' }, { key: token });
    const resources = read.mock.calls.map(([, resource]) => resource);
    read.mockRestore();
    expect(new Set(resources)).toEqual(new Set(['task']));
  });

  it('sees the messages ahead without what they have beyond it', async () => {
    const { id, token } = await world.makeKey(['operate'], ['task.overdue']);
    const beyond = { label: 'beyond', own: true, events: ['task.*'], deliveries: [] };
    const { name } = await arrange(matrix, recorded, beyond, id);
    // Both at the same midnight.
    for (const [number, datedue] of [
      ['71', world.clock.now().slice(0, 10)],
      ['72', plus(world.clock.now(), 2 * DAY).slice(0, 10)],
    ] as const) {
      const record = { id: number, title: `Task ${number}`, datedue, dateclosed: null, status: 'Open' };
      const stage = stageOnDay('task', record, world.clock.now().slice(0, 10), world.embedded.config.rules);
      const nextMoment = plus(`${world.clock.now().slice(0, 10)}T00:00:00.000Z`, DAY);
      const stored = snapshot(number, { record, stage, nextMoment });
      await world.api.snapshots.commit([{ snapshot: stored, expected: 0 }]);
    }
    const aheadFor = async (key?: string) => {
      const path = '/forecast?until=30h';
      const { messages } = (await world.ask('GET', path, undefined, key === undefined ? {} : { key })).body;
      return messages
        .filter(({ subscription }: { subscription: string }) => subscription === name)
        .map(({ types }: { types: string[] }) => types);
    };
    expect(await aheadFor()).toEqual([['task.due_soon', 'task.overdue']]);
    expect(await aheadFor(token)).toEqual([['task.overdue']]);
  });

  it('sees no errors of a source, and no numbers of other resources', async () => {
    const lastError = {
      code: 'TIDINGS_SOURCE_STATUS',
      message: '500 from https://work.example.com/api',
      at: world.clock.now(),
    };
    const quota = { limit: 5000, used: 4321, remaining: 679, resetsAt: null, readAt: world.clock.now() };
    await world.api.scanStates.save({ ...initialScanState('main', 'task'), version: 1, lastError, quota });
    const shown = async (key?: string) => {
      const { body } = await world.ask('GET', '/sources', undefined, key === undefined ? {} : { key });
      const [{ requestsADay, quota, resources }] = body.data;
      const of = (resource: string) => resources.find((one: { resource: string }) => one.resource === resource);
      return { requestsADay, quota, task: of('task'), invoice: of('invoice') };
    };
    const { token } = await world.makeKey(['read'], ['task.*']);
    const [all, limited] = [await shown(), await shown(token)];
    expect(all.task.lastError).toMatchObject({ message: lastError.message });
    expect(limited.task).toEqual({ ...all.task, lastError: null });
    expect(limited.invoice).toBeUndefined();
    expect([all.quota, limited.quota]).toEqual([expect.objectContaining({ remaining: 679 }), null]);
    expect(limited.requestsADay).toBe(all.task.requestsADay);
    expect(all.requestsADay).toBeGreaterThan(limited.requestsADay);
  });

  it('may stop its own subscription that was given more event types, and not go on', async () => {
    const { id, token } = await world.makeKey(['subscribe'], ['invoice.*']);
    const { name } = await arrange(
      matrix,
      recorded,
      { label: 'beyond', own: true, events: ['*'], deliveries: TYPES },
      id,
    );
    const status = async (method: string, path: string) =>
      (await world.ask(method, `/subscriptions/${name}${path}`, undefined, { key: token })).status;
    expect([await status('POST', '/resume'), await status('POST', '/pause'), await status('DELETE', '')]).toEqual([
      403, 200, 204,
    ]);
  });
});
