/** What a key may use: the limits are in GET /v1/me, and in the error of a request that exceeds one. */

import { afterEach, describe, expect, it } from 'vitest';
import { openDelivery } from '../../core/model/delivery.ts';
import { HOUR, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import { NOON, subscription } from '../samples.ts';
import { type ApiWorld, askWhilePumping, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;

async function start(quotas?: Readonly<Record<string, unknown>>): Promise<void> {
  const api = quotas === undefined ? {} : { quotas };
  const manage = { url: 'https://tidings.example.com', secret: '${MASTER}', api };
  world = await startApiWorld({ config: { manage } });
}

afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const body = (more: object = {}) => ({ url: world.receiver.url, events: ['task.closed'], ...more });
const subscribe = (key: string, name?: string, more: object = {}) =>
  world.ask('POST', '/subscriptions', body({ ...(name === undefined ? {} : { name }), ...more }), { key });
const quotasOf = async (key: string) => (await world.ask('GET', '/me', undefined, { key })).body.quotas;

describe('GET /v1/me', () => {
  it('shows the key, the default limits and what it uses', async () => {
    await start();
    const { id, token } = await world.makeKey(['subscribe'], ['task.*']);
    await subscribe(token, 'a');
    await world.ask('POST', '/filters/test', { events: ['task.*'] }, { key: token });
    const { status, body: me } = await world.ask('GET', '/me', undefined, { key: token });
    expect(status).toBe(200);
    expect(me).toEqual({
      kind: 'key',
      id,
      name: 'subscribe',
      scopes: ['subscribe'],
      events: ['task.*'],
      quotas: {
        requests: { limit: 600, per: '1m', burst: 100, used: 3 },
        changes: { limit: 3000, per: '1h', burst: 3000, used: 1 },
        previews: { limit: 60, per: '1m', burst: 60, used: 1 },
        replays: { limit: 60, per: '1h', burst: 60, used: 0 },
        deliveries: { limit: 20_000, per: '1h', burst: 20_000, used: 0 },
        units: null,
        subscriptions: { limit: 1000, used: 1 },
        bytes: { limit: 2_000_000, used: expect.any(Number) },
        comparisons: { limit: 20_000, used: 0 },
        longRequests: null,
      },
    });
    expect(me.quotas.bytes.used).toBeGreaterThan(100);
  });
});

describe('a key with as many subscriptions as it may have', () => {
  it('cannot make another, gets the limit, and can after it removed one', async () => {
    await start({ subscriptions: 2 });
    const [{ token }, { token: other }] = [await world.makeKey(['subscribe']), await world.makeKey(['subscribe'])];
    expect((await subscribe(token, 'a')).status).toBe(201);
    const { body: second } = await subscribe(token, 'b');
    const refused = await subscribe(token, 'c');
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: 'TIDINGS_API_QUOTA',
      detail: expect.stringMatching(
        /^this key may have 2 subscriptions: remove one \(.*\), or ask the operator for more \(manage.api.quotas\)$/,
      ),
    });
    expect((await quotasOf(token)).subscriptions).toEqual({ limit: 2, used: 2 });
    expect((await subscribe(other, 'c')).status).toBe(201);
    expect((await world.ask('PUT', '/subscriptions/a', body(), { key: token })).status).toBe(200);
    expect((await world.ask('DELETE', `/subscriptions/${second.name}`, undefined, { key: token })).status).toBe(204);
    expect((await subscribe(token, 'c')).status).toBe(201);
    expect((await world.ask('PUT', '/subscriptions/d', body(), { key: token })).status).toBe(403);
  });

  it('cannot make more by letting them expire: they are stored for a week', async () => {
    await start({ subscriptions: 2 });
    const { token } = await world.makeKey(['subscribe']);
    const soon = { expiresAt: plus(world.clock.now(), MINUTE) };
    const { body: first } = await subscribe(token, 'a', soon);
    await subscribe(token, 'b', soon);
    world.advance(10 * MINUTE);
    expect((await world.ask('GET', '/subscriptions', undefined, { key: token })).body.data).toEqual([]);
    expect((await subscribe(token, 'c')).status).toBe(403);
    // One of the same name takes its place, and the other may be removed.
    expect((await subscribe(token, 'b')).status).toBe(201);
    expect((await subscribe(token, 'c')).status).toBe(403);
    expect((await world.ask('DELETE', `/subscriptions/${first.name}`, undefined, { key: token })).status).toBe(204);
    expect((await subscribe(token, 'c')).status).toBe(201);
  });

  it('gets exactly as many with concurrent requests', async () => {
    await start({ subscriptions: 3 });
    const { token } = await world.makeKey(['subscribe']);
    const answers = await Promise.all(Array.from({ length: 12 }, () => subscribe(token)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(9);
    expect((await quotasOf(token)).subscriptions.used).toBe(3);
  });

  it('is not charged for what could not be made', async () => {
    await start({ subscriptions: 1 });
    const { token } = await world.makeKey(['subscribe']);
    world.receiver.status = 500;
    for (let count = 0; count < 3; count++) expect((await subscribe(token)).status).toBe(422);
    world.receiver.status = 200;
    expect((await subscribe(token)).status).toBe(201);
  });

  it('is counted again after some time: subscriptions also end by themselves', async () => {
    await start({ subscriptions: 1 });
    const { token } = await world.makeKey(['subscribe']);
    const { body: made } = await subscribe(token, 'a');
    await world.api.subscriptions.remove(made.name);
    expect((await subscribe(token, 'b')).status).toBe(403);
    world.advance(2 * MINUTE);
    expect((await subscribe(token, 'b')).status).toBe(201);
  });

  it('counts subscriptions that were made before there were quotas', async () => {
    await start({ subscriptions: 2 });
    const { id, token } = await world.makeKey(['subscribe']);
    for (const name of ['old-1', 'old-2'])
      await world.api.subscriptions.save(subscription(name, { declared: false, owner: id }));
    expect((await subscribe(token)).status).toBe(403);
  });
});

describe('a key whose subscriptions take as many bytes as they may', () => {
  it('cannot make or grow one, and can shrink one', async () => {
    await start({ bytes: 3000 });
    const { token } = await world.makeKey(['subscribe']);
    const where = (length: number) => ({ data: { record: { title: ['x'.repeat(length)] } } });
    const { body: made } = await subscribe(token, 'a', { where: where(2000) });
    const refused = await subscribe(token, 'b', { where: where(2000) });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: 'TIDINGS_API_QUOTA',
      detail: expect.stringMatching(/3000 bytes, and would take \d{4}/),
    });
    const patch = (length: number) =>
      world.ask('PATCH', `/subscriptions/${made.name}`, { where: where(length) }, { key: token });
    expect((await patch(4000)).status).toBe(403);
    expect((await patch(100)).status).toBe(200);
    expect((await subscribe(token, 'b', { where: where(1000) })).status).toBe(201);
  });
});

describe('a key whose filters are as costly as they may be', () => {
  const title = (...alternatives: readonly unknown[]) => ({ where: { data: { record: { title: alternatives } } } });
  const like = (index: number) => ({ wildcard: `*end ${index}*start*` });

  it('cannot add a wildcard, gets the limit, and can after it has removed one or uses exact values', async () => {
    await start({ comparisons: 150 });
    const [{ token }, { token: other }] = [await world.makeKey(['subscribe']), await world.makeKey(['subscribe'])];
    const { body: made } = await subscribe(token, 'a', title(like(1), like(2), 'exact'));
    expect((await quotasOf(token)).comparisons).toEqual({ limit: 150, used: 103 });
    const refused = await subscribe(token, 'b', title(like(3)));
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: 'TIDINGS_API_QUOTA',
      detail: expect.stringMatching(/with 150 conditions, and would with 156, a wildcard counting as 50/),
    });
    expect((await subscribe(other, 'b', title(like(3)))).status).toBe(201);
    expect((await subscribe(token, 'b', title('exact'))).status).toBe(201);
    const patch = (more: object) => world.ask('PATCH', `/subscriptions/${made.name}`, more, { key: token });
    expect((await patch(title(like(1), like(2), like(3)))).status).toBe(403);
    expect((await patch(title(like(1)))).status).toBe(200);
    expect((await subscribe(token, 'c', title(like(3)))).status).toBe(201);
    expect((await quotasOf(token)).comparisons.used).toBe(53 + 3 + 53);
    await world.ask('DELETE', `/subscriptions/${made.name}`, undefined, { key: token });
    expect((await quotasOf(token)).comparisons.used).toBe(56);
    expect((await subscribe(token, 'd', title(like(3)))).status).toBe(201);
  });

  it('gets exactly as many with concurrent requests', async () => {
    await start({ comparisons: 160 });
    const { token } = await world.makeKey(['subscribe']);
    const answers = await Promise.all(Array.from({ length: 9 }, () => subscribe(token, undefined, title(like(1)))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(6);
    expect((await quotasOf(token)).comparisons.used).toBe(159);
  });

  it('cannot have more by removing what has expired: its filters count no more', async () => {
    await start({ comparisons: 160 });
    const { id, token } = await world.makeKey(['subscribe']);
    const soon = { expiresAt: plus(world.clock.now(), MINUTE) };
    const { body: first } = await subscribe(token, 'a', { ...title(like(1)), ...soon });
    await subscribe(token, 'b', { ...title(like(2)), ...soon });
    await subscribe(token, 'c', title(like(3)));
    world.advance(10 * MINUTE);
    expect((await quotasOf(token)).comparisons.used).toBe(53);
    await world.ask('DELETE', `/subscriptions/${first.name}`, undefined, { key: token });
    // One of the same name takes the place of the other.
    expect((await subscribe(token, 'b', title(like(4)))).status).toBe(201);
    expect(await world.api.keyUsage.get(id)).toMatchObject({ subscriptions: 2, comparisons: 106 });
  });

  it('gets back what an expired one is still counted for', async () => {
    await start({ comparisons: 60 });
    const { token } = await world.makeKey(['subscribe']);
    const short = () => ({ ...title(like(1)), expiresAt: plus(world.clock.now(), 10_000) });
    const { body: first } = await subscribe(token, 'a', short());
    world.advance(20_000);
    await world.ask('DELETE', `/subscriptions/${first.name}`, undefined, { key: token });
    expect((await subscribe(token, 'b', short())).status).toBe(201);
    world.advance(20_000);
    // It takes the place of the expired one.
    expect((await subscribe(token, 'b', short())).status).toBe(201);
    expect((await subscribe(token, 'c', title(like(2)))).status).toBe(403);
  });

  it('is counted again if an earlier version has counted the rest', async () => {
    await start({ comparisons: 110 });
    const { id, token } = await world.makeKey(['subscribe']);
    const { body: made } = await subscribe(token, 'a', title(like(1), like(2)));
    const { comparisons: _, ...counted } = (await world.api.keyUsage.get(id)) ?? {
      subscriptions: 0,
      bytes: 0,
      changedAt: '',
    };
    expect(await world.api.keyUsage.replace(id, await world.api.keyUsage.get(id), counted)).toBe(true);
    expect((await subscribe(token, 'b', title(like(3)))).status).toBe(403);
    await world.ask('DELETE', `/subscriptions/${made.name}`, undefined, { key: token });
    expect(await world.api.keyUsage.get(id)).not.toHaveProperty('comparisons');
    expect((await subscribe(token, 'b', title(like(3)))).status).toBe(201);
    expect(await world.api.keyUsage.get(id)).toMatchObject({ subscriptions: 1, comparisons: 53 });
  });

  it('cannot make an event take long to match: alternatives of $or count each', async () => {
    await start();
    const { token } = await world.makeKey(['subscribe']);
    const filter = (index: number) => ({
      where: {
        data: { record: { title: Array.from({ length: 20 }, (_, n) => like(index * 100 + n)) } },
        $or: Array.from({ length: 15 }, (_, n) => ({ subject: [`task/${n}`] })),
      },
    });
    const statuses = [];
    for (let index = 0; index < 3; index++)
      statuses.push((await subscribe(token, `many-${index}`, filter(index))).status);
    expect(statuses).toEqual([201, 403, 403]);
    // Nor a filter test: as many wildcards and branches as a filter may have took seconds for one event.
    const costly = {
      data: { record: { title: Array.from({ length: 100 }, (_, n) => like(n)) } },
      $or: Array.from({ length: 100 }, (_, n) => ({ subject: [`task/${n}`] })),
    };
    const test = (where: object) => world.ask('POST', '/filters/test', { events: ['task.*'], where }, { key: token });
    expect(await test(costly)).toMatchObject({ status: 403, body: { code: 'TIDINGS_API_QUOTA' } });
    expect((await test(filter(0).where)).status).toBe(200);
    const { used } = (await quotasOf(token)).comparisons;
    expect(used).toBe(15 * (3 + 20 * 50 + 1));
  });
});

describe('a key that changes subscriptions of others', () => {
  it('gives them no filter that costs more than all of its own may', async () => {
    await start({ comparisons: 150 });
    const [{ token: owner }, { token: operator }] = [
      await world.makeKey(['subscribe']),
      await world.makeKey(['operate']),
    ];
    const title = (count: number) => ({
      where: { data: { record: { title: Array.from({ length: count }, (_, n) => ({ wildcard: `*a${n}*` })) } } },
    });
    const { body: own } = await subscribe(owner, 'own');
    await world.api.subscriptions.save(subscription('by-command', { declared: false }));
    for (const name of [own.name, 'by-command']) {
      const patch = (body: object) => world.ask('PATCH', `/subscriptions/${name}`, body, { key: operator });
      const refused = await patch(title(3));
      expect(refused).toMatchObject({ status: 403, body: { code: 'TIDINGS_API_QUOTA' } });
      expect((await patch(title(2))).status).toBe(200);
      expect((await patch({ rate: '30/m' })).status).toBe(200);
    }
    // What an operator stored may cost more, and be changed into something cheaper.
    await world.api.subscriptions.save(subscription('costly', { declared: false, ...title(9) }));
    const patch = (body: object) => world.ask('PATCH', '/subscriptions/costly', body, { key: operator });
    expect((await patch(title(10))).status).toBe(403);
    expect((await patch(title(8))).status).toBe(200);
  });
});

describe('a subscription of more bytes than one may have', () => {
  const titles = (length: number) => Array.from({ length }, (_, n) => `${n}${'x'.repeat(10_000)}`);
  const filter = (length: number) => ({ data: { record: { title: titles(length) } } });
  const template = { body: { text: '€'.repeat(50_000) } };

  it('is refused, whoever makes it, and before its endpoint is asked', async () => {
    await start();
    const { token } = await world.makeKey(['subscribe']);
    for (const key of [token, world.admin]) {
      const name = key === token ? 'of-key' : 'of-admin';
      expect((await subscribe(key, name, { where: filter(25) })).status).toBe(201);
      const asked = world.receiver.received.length;
      const url = `${world.receiver.url}/other`;
      const grown = await world.ask('PATCH', `/subscriptions/${name}`, { url, template }, { key });
      expect(grown).toMatchObject({ status: 413, body: { code: 'TIDINGS_API_TOO_LARGE' } });
      expect(grown.body.detail).toMatch(/^expected a subscription of at most 300 KB, got 39\d KB: shorten/);
      expect(world.receiver.received).toHaveLength(asked);
      expect((await world.ask('PATCH', `/subscriptions/${name}`, { where: null, template }, { key })).status).toBe(200);
    }
  });

  it('can be changed if it is stored already, and does not grow', async () => {
    await start();
    const events = ['task.closed', 'task.reopened', 'task.overdue'];
    await world.api.subscriptions.save(subscription('old', { declared: false, events, where: filter(35) }));
    expect((await world.ask('PATCH', '/subscriptions/old', { template })).status).toBe(413);
    expect((await world.ask('PATCH', '/subscriptions/old', { events: ['task.closed'] })).status).toBe(200);
  });
});

describe('a subscription with headers', () => {
  it('has at most 16,000 characters of them: each attempt opens, sends and searches them', async () => {
    await start();
    const { token } = await world.makeKey(['subscribe']);
    const headers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'v'.repeat(2000)]));
    const refused = await subscribe(token, 'a', { headers: headers(9) });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      {
        pointer: expect.stringMatching(/headers\/x-8$/),
        detail: 'expected headers and other secret values of at most 16000 characters in all',
      },
    ]);
    expect((await subscribe(token, 'a', { headers: headers(8) })).status).toBe(201);
  });
});

describe('a key that has changed as much as it may', () => {
  const entriesOf = async (id: string) =>
    (await world.api.audit.page({ limit: 1000 })).entries.filter(({ by }) => by.id === id);

  it('has to wait, so that its audit entries are few, and can still read', async () => {
    await start({ changes: '5/h' });
    const { id, token: key } = await world.makeKey(['subscribe']);
    await subscribe(key, 'a');
    const pause = (verb: string) => world.ask('POST', `/subscriptions/a/${verb}`, undefined, { key });
    for (let count = 0; count < 2; count++)
      expect([(await pause('pause')).status, (await pause('resume')).status]).toEqual([200, 200]);
    const refused = await pause('pause');
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      code: 'TIDINGS_API_QUOTA',
      detail: expect.stringMatching(/^this key may make 5\/h changes: wait \d+ s$/),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const [method, path, change] of [
      ['POST', '/subscriptions', body({ name: 'b' })],
      ['PUT', '/subscriptions/b', body()],
      ['PATCH', '/subscriptions/a', { rate: '7/m' }],
      ['DELETE', '/subscriptions/a', undefined],
      ['POST', '/subscriptions/a/rotate', undefined],
      ['POST', '/subscriptions/a/test', undefined],
    ] as const)
      expect([path, (await world.ask(method, path, change, { key })).status]).toEqual([path, 429]);
    expect(await entriesOf(id)).toHaveLength(5);
    expect((await world.ask('GET', '/subscriptions/a', undefined, { key })).body.active).toBe(true);
    expect((await quotasOf(key)).changes).toEqual({ limit: 5, per: '1h', burst: 5, used: 5 });
    // Not counted: it is as the request says.
    expect((await world.ask('PUT', '/subscriptions/a', body(), { key })).status).toBe(200);
    // Others, and people, are not affected.
    expect((await world.ask('POST', '/subscriptions/declared/pause')).status).toBe(200);
    world.advance(HOUR / 5);
    expect((await pause('pause')).status).toBe(200);
    expect((await pause('resume')).status).toBe(429);
  });

  it('is not refused in the middle of a request', async () => {
    await start({ changes: '2/h' });
    const { id, token: key } = await world.makeKey(['subscribe']);
    await subscribe(key, 'a');
    const both = await world.ask('PATCH', '/subscriptions/a', { rate: '7/m', active: false }, { key });
    expect(both).toMatchObject({ status: 200, body: { rate: '7/m', active: false } });
    expect((await entriesOf(id)).map(({ action }) => action)).toEqual([
      'subscription.paused',
      'subscription.changed',
      'subscription.created',
    ]);
    expect((await world.ask('PATCH', '/subscriptions/a', { rate: '8/m', active: true }, { key })).status).toBe(429);
    expect((await world.ask('GET', '/subscriptions/a', undefined, { key })).body).toMatchObject({
      rate: '7/m',
      active: false,
    });
  });
});

describe('a key that has made as many previews or replays as it may', () => {
  it.each([
    ['previews', '/filters/test', { events: ['task.*'] }, { previews: '2/m' }, '2/m'],
    ['replays', '/subscriptions/a/replay', { since: '1h', dryRun: true }, { replays: '2/h' }, '2/h'],
  ] as const)('has to wait: %s', async (quota, path, request, quotas, limit) => {
    await start(quotas);
    await world.record(taskEvent('evt_1'));
    const { token } = await world.makeKey(['subscribe']);
    await subscribe(token, 'a');
    const ask = () => world.ask('POST', path, request, { key: token });
    expect([(await ask()).status, (await ask()).status]).toEqual(quota === 'previews' ? [200, 200] : [202, 202]);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      code: 'TIDINGS_API_QUOTA',
      detail: expect.stringContaining(`${limit} ${quota}`),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await quotasOf(token))[quota].used).toBe(2);
    world.advance(quota === 'previews' ? MINUTE : HOUR);
    expect((await ask()).status).toBeLessThan(300);
  });
});

describe('a key whose replays, retries and tests have made as many deliveries as they may', () => {
  const usedBy = async (key: string) => (await quotasOf(key)).deliveries.used;

  it('has to wait, and cannot replay more than that at once', async () => {
    await start({ deliveries: '30/h' });
    await world.record(...Array.from({ length: 20 }, (_, index) => taskEvent(`${index}`)));
    const { token: key } = await world.makeKey(['subscribe']);
    await subscribe(key, 'a');
    const replay = (more: object) => world.ask('POST', '/subscriptions/a/replay', more, { key });
    expect((await replay({ since: '1h', dryRun: true })).body.messages).toBe(20);
    expect(await usedBy(key)).toBe(0);
    expect((await replay({ since: '1h' })).status).toBe(202);
    expect(await usedBy(key)).toBe(20);
    const refused = await replay({ since: '1h' });
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      code: 'TIDINGS_API_QUOTA',
      detail: expect.stringContaining('30/h deliveries by replays, retries, resumes and tests: wait '),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
    world.advance(SECOND);
    expect((await replay({ event: 'evt_1' })).status).toBe(202);
    world.advance(HOUR);
    expect((await replay({ since: '2h' })).status).toBe(202);
    await world.record(...Array.from({ length: 11 }, (_, index) => taskEvent(`more-${index}`)));
    world.advance(HOUR);
    const never = await replay({ since: '3h' });
    expect(never).toMatchObject({ status: 403, body: { code: 'TIDINGS_API_QUOTA' } });
    expect(never.body.detail).toMatch(/30 deliveries at once, and the replay would make 31: replay a shorter period/);
    expect((await world.api.deliveries.list({ limit: 100 })).length).toBe(41);
  });

  it('is counted for tests with their event, retries and resumes', async () => {
    await start({ deliveries: '100/h' });
    const { token: key } = await world.makeKey(['subscribe']);
    await subscribe(key, 'a');
    const post = (path: string, more?: object) => askWhilePumping(world, 'POST', path, more, { key });
    const large = taskEvent('large');
    await world.record({
      ...large,
      data: { ...large.data, record: { ...large.data.record, description: 'x'.repeat(50_000) } },
    });
    expect((await post('/subscriptions/a/test')).status).toBe(200);
    expect(await usedBy(key)).toBe(12);
    world.receiver.status = 500;
    await post('/subscriptions/a/replay', { event: 'evt_large' });
    expect(await usedBy(key)).toBe(13);
    const [{ id }] = (await world.ask('GET', '/subscriptions/a/deliveries?status=pending', undefined, { key })).body
      .data;
    world.advance(SECOND);
    expect((await post(`/deliveries/${id}/retry`)).status).toBe(202);
    expect(await usedBy(key)).toBe(14);
    await world.ask('POST', '/subscriptions/a/resume', undefined, { key });
    await world.ask('PATCH', '/subscriptions/a', { active: false }, { key });
    await world.ask('PATCH', '/subscriptions/a', { active: true }, { key });
    expect(await usedBy(key)).toBe(34);
    for (let count = 0; count < 6; count++) await world.ask('POST', '/subscriptions/a/resume', undefined, { key });
    const refused = await world.ask('POST', '/subscriptions/a/resume', undefined, { key });
    expect(refused).toMatchObject({ status: 429, body: { code: 'TIDINGS_API_QUOTA' } });
    await world.ask('PATCH', '/subscriptions/a', { active: false }, { key });
    // Refused as a whole.
    const changed = await world.ask('PATCH', '/subscriptions/a', { active: true, rate: '7/m' }, { key });
    expect(changed.status).toBe(429);
    const { body: unchanged } = await world.ask('GET', '/subscriptions/a', undefined, { key });
    expect([unchanged.active, unchanged.rate]).toEqual([false, undefined]);
    // Others, and people, are not affected.
    expect((await world.ask('POST', '/subscriptions/declared/resume')).status).toBe(200);
  });

  it('retries no more than it may in one call', async () => {
    await start({ deliveries: '250/h' });
    const { token: key } = await world.makeKey(['subscribe']);
    const { name } = (await subscribe(key, 'a')).body;
    const failed = Array.from({ length: 400 }, (_, index) => taskEvent(`failed-${index}`));
    await world.api.events.record(
      failed.map((one) => ({
        event: one,
        deliveries: [{ ...openDelivery(one, name, NOON), status: 'failed', dueAt: null, settledAt: NOON }],
      })),
    );
    const retry = (more: object = {}) =>
      world.ask('POST', '/deliveries/retry', { subscription: 'a', ...more }, { key });
    const { body: first } = await retry();
    expect(first.count).toBeGreaterThanOrEqual(250);
    expect(first.count).toBeLessThan(400);
    expect((await retry({ position: first.next })).status).toBe(429);
    world.advance(HOUR);
    expect((await retry({ position: first.next })).body).toMatchObject({ count: 400 - first.count, next: null });
  });

  it('gets exactly as many with concurrent requests', async () => {
    await start({ deliveries: '40/h' });
    await world.record(...Array.from({ length: 10 }, (_, index) => taskEvent(`${index}`)));
    const { token: key } = await world.makeKey(['subscribe']);
    await subscribe(key, 'a');
    const replay = () => world.ask('POST', '/subscriptions/a/replay', { since: '1h' }, { key });
    const answers = await Promise.all(Array.from({ length: 8 }, replay));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 429, 429, 429, 429]);
  });
});

describe('a request that one quota refuses', () => {
  const usedBy = async (key: string) => {
    const { previews, replays, deliveries } = await quotasOf(key);
    return { previews: previews.used, replays: replays.used, deliveries: deliveries.used };
  };

  /** As many as the key may have. */
  const useUp = async (key: string, changes: number) => {
    for (let count = 1; count < changes; count++)
      expect((await world.ask('PATCH', '/subscriptions/a', { rate: `${count}/m` }, { key })).status).toBe(200);
  };

  it.each([
    ['POST', '/subscriptions/a/resume', undefined],
    ['PATCH', '/subscriptions/a', { active: true, rate: '9/m' }],
    ['POST', '/subscriptions/a/test', undefined],
    ['POST', '/subscriptions/a/replay', { since: '1h' }],
    ['POST', '/deliveries/retry', { subscription: 'a' }],
    ['POST', '/deliveries/DELIVERY/retry', undefined],
  ] as const)('costs nothing of the others: changes, %s %s', async (method, path, request) => {
    await start({ changes: '4/h' });
    const { token: key } = await world.makeKey(['subscribe']);
    const { name } = (await subscribe(key, 'a')).body;
    await world.ask('PATCH', '/subscriptions/a', { active: false }, { key });
    const one = taskEvent('failed');
    const failed = { ...openDelivery(one, name, NOON), status: 'failed', dueAt: null, settledAt: NOON } as const;
    await world.api.events.record([{ event: one, deliveries: [failed] }]);
    await useUp(key, 3);
    const before = await usedBy(key);
    const headers: Record<string, string> = method === 'POST' ? { 'idempotency-key': 'once' } : {};
    const ask = () => askWhilePumping(world, method, path.replace('DELIVERY', failed.id), request, { key, headers });
    const refused = await ask();
    expect(refused).toMatchObject({ status: 429, body: { code: 'TIDINGS_API_QUOTA' } });
    expect(refused.body.detail).toMatch(/^this key may make 4\/h changes: wait/);
    expect(await usedBy(key)).toEqual(before);
    expect(
      await world.api.requestLimiter.used(`${await idOf(key)} kept`, { burst: 10_000, interval: SECOND }, NOON),
    ).toBe(0);
    world.advance(HOUR / 4);
    expect((await ask()).status).toBeLessThan(300);
    expect((await usedBy(key)).deliveries).toBeGreaterThan(before.deliveries);
  });

  const idOf = async (key: string) => (await world.ask('GET', '/me', undefined, { key })).body.id;

  it('costs nothing of the others: deliveries', async () => {
    await start({ deliveries: '2/h' });
    await world.record(taskEvent('1'), taskEvent('2'));
    const { id, token: key } = await world.makeKey(['subscribe']);
    await subscribe(key, 'a');
    const post = (path: string, request?: object) => world.ask('POST', path, request, { key });
    expect((await post('/subscriptions/a/replay', { since: '1h' })).status).toBe(202);
    const before = { ...(await usedBy(key)), changes: (await quotasOf(key)).changes.used };
    expect((await post('/subscriptions/a/replay', { since: '1h' })).status).toBe(429);
    expect((await post('/subscriptions/a/test')).status).toBe(429);
    expect((await post('/subscriptions/a/resume')).status).toBe(429);
    expect({ ...(await usedBy(key)), changes: (await quotasOf(key)).changes.used }).toEqual(before);
    const { entries } = await world.api.audit.page({ limit: 100 });
    expect(entries.filter(({ by }) => by.id === id)).toHaveLength(2);
  });
});

describe('a key with quotas of its own', () => {
  const makeKey = async (quotas: object) =>
    (await world.ask('POST', '/keys', { name: 'own quotas', scopes: ['subscribe'], quotas })).body;

  it('has these instead of those of the config, and shows them', async () => {
    await start({ subscriptions: 1, bytes: 100_000 });
    const own = { subscriptions: 2, comparisons: 7, requests: '60/m', previews: '1/h', deliveries: '5/h' };
    const key = await makeKey(own);
    expect(key.quotas).toEqual(own);
    const listed: readonly { readonly id: string }[] = (await world.ask('GET', '/keys')).body.data;
    expect(listed.find(({ id }) => id === key.id)).toMatchObject({ quotas: key.quotas });
    expect(await quotasOf(key.token)).toMatchObject({
      requests: { limit: 60, per: '1m' },
      previews: { limit: 1, per: '1h' },
      replays: { limit: 60, per: '1h' },
      subscriptions: { limit: 2 },
      deliveries: { limit: 5, per: '1h', burst: 5 },
      bytes: { limit: 100_000 },
      comparisons: { limit: 7 },
    });
    expect((await subscribe(key.token, 'a')).status).toBe(201);
    expect((await subscribe(key.token, 'b')).status).toBe(201);
    const third = await subscribe(key.token, 'c');
    expect([third.status, third.body.detail]).toEqual([403, expect.stringContaining('may have 2 subscriptions')]);
    const test = () => world.ask('POST', '/filters/test', { events: ['task.*'] }, { key: key.token });
    expect((await test()).status).toBe(200);
    expect(await test()).toMatchObject({ status: 429, body: { code: 'TIDINGS_API_QUOTA' } });
    const { token: other } = await world.makeKey(['subscribe']);
    expect(await quotasOf(other)).toMatchObject({ subscriptions: { limit: 1 }, requests: { limit: 600 } });
  });

  it('is limited by its own rate', async () => {
    await start();
    const { token } = await makeKey({ requests: '2/h' });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await world.ask('GET', '/me', undefined, { key: token })).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('is refused with values that are none', async () => {
    await start();
    const wrong = [{ subscriptions: 0 }, { bytes: 1.5 }, { requests: 'many' }, { replays: '0/s' }, { visits: 1 }];
    for (const quotas of wrong) {
      const refused = await world.ask('POST', '/keys', { name: 'x', scopes: ['read'], quotas });
      expect([quotas, refused.status, refused.body.errors[0].pointer]).toEqual([
        quotas,
        422,
        expect.stringMatching(/^\/quotas/),
      ]);
    }
  });
});
