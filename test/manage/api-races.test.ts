/** What happens while a request waits for the endpoint that it names: its key is removed, or others change the same subscription. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initialScanState } from '../../core/model/scan.ts';
import { DAY, MINUTE, plus } from '../../core/model/time.ts';
import { auditedChange } from '../../core/ports/audit-store.ts';
import { cleanUp } from '../../core/subscriptions/clean-up.ts';
import { type ApiWorld, startApiWorld } from './api-world.ts';

let world: ApiWorld;
/** Called when the endpoint is asked, before it agrees. */
let onPing: () => Promise<void> = async () => {};
let pings = 0;
const endpoint = createServer((request, response) => {
  request.resume();
  request.on('end', async () => {
    pings += 1;
    await onPing();
    response.end('ok');
  });
});
let url = '';

beforeAll(async () => {
  world = await startApiWorld();
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await new Promise((resolve) => endpoint.close(resolve));
  await world.stop();
});

/** Once, while the endpoint is asked. */
function meanwhile(act: () => Promise<unknown>): void {
  onPing = async () => {
    onPing = async () => {};
    await act();
  };
}

const names = async () =>
  (await world.ask('GET', '/subscriptions?limit=200')).body.data.map(({ name }: { name: string }) => name);

describe('a key that is removed while its request waits', () => {
  it('makes and changes nothing', async () => {
    const { id, token: key } = await world.makeKey(['subscribe']);
    const { body: made } = await world.ask(
      'POST',
      '/subscriptions',
      { url: `${url}/own`, events: ['task.*'] },
      { key },
    );
    const before = await names();
    meanwhile(() => world.ask('DELETE', `/keys/${id}`));
    const patched = await world.ask('PATCH', `/subscriptions/${made.name}`, { url: `${url}/other` }, { key });
    expect(patched).toMatchObject({ status: 401, body: { code: 'TIDINGS_API_UNAUTHORIZED' } });
    expect((await world.ask('GET', `/subscriptions/${made.name}`)).body.url).toBe(`${url}/own`);
    const other = await world.makeKey(['subscribe']);
    meanwhile(() => world.ask('DELETE', `/keys/${other.id}`));
    const body = { url: `${url}/late`, events: ['*'] };
    expect((await world.ask('POST', '/subscriptions', body, { key: other.token })).status).toBe(401);
    expect(await names()).toEqual(before);
  });

  it('makes nothing that outlives the removal of its subscriptions, also in the moment of the write', async () => {
    let atWrite: () => Promise<unknown> = async () => {};
    const own = await startApiWorld({
      wrap: (api) => ({
        ...api,
        subscriptions: {
          ...api.subscriptions,
          add: async (...args) => {
            await atWrite();
            return api.subscriptions.add(...args);
          },
        },
      }),
    });
    const { id, token: key } = await own.makeKey(['subscribe']);
    atWrite = async () => {
      await own.ask('DELETE', `/keys/${id}`);
      await own.ask('DELETE', `/keys/${id}/subscriptions`);
    };
    const body = { url: `${url}/revoked`, events: ['*'] };
    expect((await own.ask('POST', '/subscriptions', body, { key })).status).toBe(401);
    // The one of the config.
    expect((await own.ask('GET', '/subscriptions')).body.data).toMatchObject([{ name: 'declared' }]);
    expect(own.errors).toEqual([]);
    await own.stop();
  });

  it('has no entry in the audit trail, as no author has who may not act any more', async () => {
    const refuse = async () => {
      throw new Error('removed');
    };
    const author = { kind: 'key', id: 'gone', assertValid: refuse } as const;
    const entry = { action: 'subscription.created', target: 'subscription/x' };
    await expect(auditedChange(world.api, author, entry, async () => 'made')).rejects.toThrow('removed');
    const { body } = await world.ask('GET', '/audit?limit=200');
    expect(body.data.filter(({ by }: { by: { id: string } }) => by.id === 'gone')).toEqual([]);
  });
});

describe('a change that waits for its endpoint', () => {
  const patch = (name: string, body: object) => world.ask('PATCH', `/subscriptions/${name}`, body);

  it('does not undo what others change meanwhile', async () => {
    await world.ask('PUT', '/subscriptions/shared', { url: `${url}/a`, events: ['task.*'] });
    meanwhile(async () => {
      await patch('shared', { events: ['invoice.*'], rate: '10/m' });
      await world.ask('POST', '/subscriptions/shared/rotate');
    });
    pings = 0;
    expect((await patch('shared', { url: `${url}/b`, verify: 'ping' })).status).toBe(200);
    const { body } = await world.ask('GET', '/subscriptions/shared');
    expect(body).toMatchObject({ url: `${url}/b`, events: ['invoice.*'], rate: '10/m' });
    expect(body.bothSecretsUntil).not.toBeNull();
    expect(pings).toBe(2);
  });

  it('is refused if the endpoint took long, and does not ask it again', async () => {
    await world.ask('PUT', '/subscriptions/slow', { url: `${url}/a`, events: ['task.*'] });
    meanwhile(async () => {
      world.advance(6000);
      await patch('slow', { rate: '10/m' });
    });
    pings = 0;
    const late = await patch('slow', { url: `${url}/b`, verify: 'ping' });
    expect(late).toMatchObject({ status: 409, body: { code: 'TIDINGS_API_CHANGED' } });
    expect((await world.ask('GET', '/subscriptions/slow')).body).toMatchObject({ url: `${url}/a`, rate: '10/m' });
    expect(pings).toBe(1);
  });

  it('does not bring a subscription back that expires meanwhile, and that its filter counts no more for', async () => {
    const { id, token: key } = await world.makeKey(['subscribe']);
    const where = { data: { record: { title: [{ wildcard: '*a*' }] } } };
    const expiresAt = plus(world.clock.now(), 2 * MINUTE);
    const body = { name: 'ends', url: `${url}/a`, events: ['task.*'], where, expiresAt };
    await world.ask('POST', '/subscriptions', body, { key });
    meanwhile(async () => {
      world.advance(3 * MINUTE);
      expect((await world.ask('GET', '/me', undefined, { key })).body.quotas.comparisons.used).toBe(0);
    });
    const later = { url: `${url}/b`, expiresAt: plus(world.clock.now(), DAY) };
    expect((await world.ask('PATCH', '/subscriptions/ends', later, { key })).status).toBe(404);
    expect((await world.ask('GET', '/subscriptions/ends', undefined, { key })).status).toBe(404);
    expect(await world.api.keyUsage.get(id)).toMatchObject({ subscriptions: 1, comparisons: 0 });
  });

  it('keeps all of many changes at once', async () => {
    await world.ask('PUT', '/subscriptions/many', { url: `${url}/a`, events: ['task.*'] });
    const changes = [{ rate: '10/m' }, { concurrency: 3 }, { format: 'thin' }, { events: ['task.closed'] }];
    const answers = await Promise.all(changes.map((body) => patch('many', body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await world.ask('GET', '/subscriptions/many');
    expect(body).toMatchObject({
      rate: '10/m',
      concurrency: 3,
      events: ['task.closed'],
      to: { http: { format: 'thin' } },
    });
  });
});

describe('a subscription that several instances of a program declare at the same time', () => {
  it('is made once, and none of them is refused', async () => {
    const { token: key } = await world.makeKey(['subscribe']);
    const declare = () =>
      world.ask('PUT', '/subscriptions/shared', { url: `${url}/shared`, events: ['task.*'] }, { key });
    const answers = await Promise.all(Array.from({ length: 8 }, declare));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 7 }, () => 200), 201]);
    expect(answers.filter(({ body }) => typeof body.secret === 'string')).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.name)).size).toBe(1);
  });
});

describe('a key with event types that brings scans forward', () => {
  it('uses what the regular scans leave of the daily quota', async () => {
    const { token: key } = await world.makeKey(['operate'], ['invoice.*']);
    const scan = (options?: { readonly key: string }) => world.ask('POST', '/sources/main/scan', undefined, options);
    expect((await scan({ key })).status).toBe(202);
    const now = world.clock.now();
    const quota = { limit: 6000, used: 4700, resetsAt: plus(now, DAY), readAt: now };
    const state = { ...initialScanState('main', 'task'), version: 1, baselinedAt: now, lastGoodScanAt: now };
    expect(await world.api.scanStates.save({ ...state, quota })).toBe(true);
    const refused = await scan({ key });
    expect(refused).toMatchObject({ status: 429, body: { code: 'TIDINGS_API_QUOTA' } });
    expect(refused.headers.get('retry-after')).toBe('3600');
    // The operator decides about it.
    expect((await scan()).status).toBe(202);
  });
});

describe('a subscription that expired long ago', () => {
  it('stays if its program declares it again while expired ones are removed', async () => {
    const { token: key } = await world.makeKey(['subscribe']);
    const put = (name: string, more: object = {}) =>
      world.ask('PUT', `/subscriptions/${name}`, { url: `${url}/own`, events: ['task.*'], ...more }, { key });
    const soon = { expiresAt: plus(world.clock.now(), MINUTE) };
    const [first, second] = [await put('first', soon), await put('second', soon)];
    world.advance(30 * DAY);
    const { subscriptions } = world.embedded;
    const remove: typeof subscriptions.remove = async (name, assertRemovable) => {
      if (name === first.body.name) expect((await put('second')).status).toBe(201);
      return subscriptions.remove(name, assertRemovable);
    };
    await cleanUp({ ...world.embedded, subscriptions: { ...subscriptions, remove } }, 90 * DAY);
    expect((await names()).filter((name: string) => /^(first|second)-/.test(name))).toEqual([second.body.name]);
  });

  it('is removed with others while other work goes on, and its health ends with it', async () => {
    const { token: key } = await world.makeKey(['subscribe']);
    const expiresAt = plus(world.clock.now(), MINUTE);
    const made = await Promise.all(
      ['a', 'b', 'c'].map((name) => {
        const body = { url: `${url}/own`, events: ['task.*'], active: false, expiresAt };
        return world.ask('PUT', `/subscriptions/gone-${name}`, body, { key });
      }),
    );
    world.advance(30 * DAY);
    let turns = 0;
    await cleanUp({ ...world.embedded, pace: async () => void turns++ }, 90 * DAY);
    expect(turns).toBeGreaterThanOrEqual(3);
    const rows = await world.api.snapshots.getMany(
      '_tidings',
      'subscription',
      made.map(({ body }) => body.name),
    );
    expect([...rows.values()].map((row) => row.expiresAt)).toEqual(made.map(() => plus(world.clock.now(), 2 * DAY)));
  });
});
