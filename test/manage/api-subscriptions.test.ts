import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, plus, toMillis } from '../../core/model/time.ts';
import { verify as verifyWebhook } from '../../kit/verify.ts';
import { newSigningKey, publicKeyOf } from '../core/delivery/signing/ed-keys.ts';
import { NOON, subscription } from '../samples.ts';
import { type ApiWorld, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;
beforeEach(async () => {
  world = await startApiWorld();
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const verify = (secret: string, index = -1) => {
  const { body = '', headers = {} } = world.receiver.received.at(index) ?? {};
  // The receiver's clock is that of the test.
  const timestamp = String(headers['webhook-timestamp']);
  const wh = new Webhook(secret);
  const id = String(headers['webhook-id']);
  const expected = wh.sign(id, new Date(Number(timestamp) * 1000), body);
  return String(headers['webhook-signature']).split(' ').includes(expected);
};

describe('an endpoint', () => {
  it('is subscribed after it accepted a signed ping, and its secret is shown once', async () => {
    const { token } = await world.makeKey(['subscribe']);
    const { status, body, headers } = await world.ask(
      'POST',
      '/subscriptions',
      { url: world.receiver.url, events: ['task.closed'] },
      { key: token },
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ id: body.name, active: true, state: 'ok', url: world.receiver.url, declared: false });
    expect(body.name).toMatch(/^sub_[0-9a-f]{20}$/);
    expect(body.secret).toMatch(/^whsec_/);
    expect(headers.get('location')).toBe(`/v1/subscriptions/${body.name}`);
    const [ping] = world.receiver.received;
    expect(JSON.parse(ping?.body ?? '')).toMatchObject({ type: 'tidings.ping', subject: `subscription/${body.name}` });
    expect(ping?.headers['tidings-test']).toBe('true');
    expect(verify(body.secret)).toBe(true);
    const again = await world.ask('GET', `/subscriptions/${body.name}`, undefined, { key: token });
    expect(again.status).toBe(200);
    expect(JSON.stringify(again.body)).not.toContain('whsec_');
    expect(again.body).not.toHaveProperty('secret');
  });

  it('is not subscribed if it refuses the ping', async () => {
    world.receiver.status = 401;
    const { token } = await world.makeKey(['subscribe']);
    const request = { name: 'mine', url: world.receiver.url, events: ['task.closed'] };
    const { status, body } = await world.ask('POST', '/subscriptions', request, { key: token });
    expect([status, body.code]).toEqual([422, 'TIDINGS_API_UNVERIFIED']);
    expect(body.errors).toEqual([{ pointer: '/url', detail: '401 from the receiver' }]);
    expect((await world.ask('GET', '/subscriptions/mine')).status).toBe(404);
  });

  it('grants a rate in the CloudEvents handshake', async () => {
    world.receiver.headers = { 'webhook-allowed-origin': 'tidings.example.com', 'webhook-allowed-rate': '120' };
    const request = { url: world.receiver.url, event: 'task.closed', verify: 'cloudevents' };
    const { status, body } = await world.ask('POST', '/subscriptions', request);
    expect([status, body.rate]).toEqual([201, '120/m']);
    const [asked] = world.receiver.received;
    expect([asked?.method, asked?.headers['webhook-request-origin']]).toEqual(['OPTIONS', 'tidings.example.com']);
    world.receiver.headers = {};
    expect((await world.ask('POST', '/subscriptions', request)).status).toBe(422);
  });

  it('gets events, and its failures, attempts and retries can be followed', async () => {
    const made = await world.ask('POST', '/subscriptions', {
      name: 'mine',
      url: world.receiver.url,
      events: ['task.*'],
    });
    await world.record(taskEvent('1'), taskEvent('2'));
    world.receiver.status = 500;
    expect((await world.ask('POST', '/subscriptions/mine/replay', { since: '2d', dryRun: true })).body).toEqual({
      count: 2,
      messages: 2,
      dryRun: true,
    });
    expect(world.receiver.received).toEqual([]);
    const replayed = await world.ask('POST', '/subscriptions/mine/replay', { since: '2d' });
    expect([replayed.status, replayed.body.count]).toEqual([202, 2]);
    await world.pump();
    const { body } = await world.ask('GET', '/subscriptions/mine/deliveries?status=pending');
    expect(body.data).toHaveLength(2);
    const [delivery] = body.data;
    expect(delivery.attempts).toMatchObject([
      { outcome: 'retry', status: 500, requestId: expect.any(String), body: 'seen' },
    ]);
    world.receiver.status = 200;
    world.advance(5 * MINUTE);
    expect((await world.ask('POST', `/deliveries/${delivery.id}/retry`)).status).toBe(202);
    await world.pump();
    const fixed = await world.ask('GET', `/deliveries/${delivery.id}`);
    expect(fixed.body.status).toBe('settled');
    expect(verify(made.body.secret)).toBe(true);
    expect((await world.ask('POST', `/deliveries/${delivery.id}/retry`)).body.code).toBe('TIDINGS_API_FINISHED');
    const explained = await world.ask('GET', `/events/${delivery.events[0]}`);
    expect(explained.body.deliveries.map(({ id }: { id: string }) => id)).toContain(delivery.id);
    expect(explained.body.subscriptions.map((one: { subscription: string }) => one.subscription)).toEqual([
      'declared',
      'mine',
    ]);
  });

  it('is tested through the normal path', async () => {
    await world.ask('POST', '/subscriptions', { name: 'mine', url: world.receiver.url, events: ['task.closed'] });
    const pumping = setInterval(() => void world.pump(), 20);
    const { status, body } = await world.ask('POST', '/subscriptions/mine/test');
    clearInterval(pumping);
    expect([status, body.attempted, body.delivery.status]).toEqual([200, true, 'settled']);
    expect(JSON.parse(world.receiver.received.at(-1)?.body ?? '')).toMatchObject({ test: true, type: 'task.closed' });
    const wrong = await world.ask('POST', '/subscriptions/mine/test', { type: 'invoice.paid' });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/type']);
  });

  it('keeps every secret valid for a day after its rotation', async () => {
    const made = await world.ask('POST', '/subscriptions', { name: 'mine', url: world.receiver.url, events: ['*'] });
    const secrets = [made.body.secret];
    for (let times = 0; times < 2; times++) {
      const { body } = await world.ask('POST', '/subscriptions/mine/rotate');
      expect(body.bothUntil).toBe(plus(NOON, DAY));
      secrets.push(body.secret);
    }
    expect(new Set(secrets).size).toBe(3);
    await world.record(taskEvent('1'));
    await world.ask('POST', '/subscriptions/mine/replay', { event: 'evt_1' });
    await world.pump();
    expect(secrets.map((secret) => verify(secret))).toEqual([true, true, true]);
    world.advance(25 * HOUR);
    await world.ask('POST', '/subscriptions/mine/replay', { event: 'evt_1' });
    await world.pump();
    expect(secrets.map((secret) => verify(secret))).toEqual([false, false, true]);
  });

  it('is not rotated more often than a request has room for signatures', async () => {
    await world.ask('POST', '/subscriptions', { name: 'mine', url: world.receiver.url, events: ['*'] });
    const statuses: number[] = [];
    for (let times = 0; times < 5; times++) {
      statuses.push((await world.ask('POST', '/subscriptions/mine/rotate')).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 409]);
    world.advance(25 * HOUR);
    expect((await world.ask('POST', '/subscriptions/mine/rotate')).status).toBe(200);
  });

  it('with an Ed25519 key keeps this kind when it is rotated, and shows the public key', async () => {
    const key = newSigningKey(Buffer.alloc(32, 9));
    const to = { channel: 'http', settings: { url: world.receiver.url, secret: key } };
    await world.api.subscriptions.save(subscription('mine', { declared: false, events: ['*'], to }));
    const { body } = await world.ask('POST', '/subscriptions/mine/rotate');
    expect(body.secret).toMatch(/^whpk_/);
    const again = await world.ask('POST', '/subscriptions/mine/rotate');
    await world.record(taskEvent('1'));
    await world.ask('POST', '/subscriptions/mine/replay', { event: 'evt_1' });
    await world.pump();
    const { headers = {}, body: sent = '' } = world.receiver.received.at(-1) ?? {};
    expect(String(headers['webhook-signature']).match(/v1a?,/g)).toEqual(['v1a,', 'v1a,', 'v1a,']);
    for (const publicKey of [publicKeyOf(key), body.secret, again.body.secret]) {
      expect(await verifyWebhook({ headers, body: sent, publicKey, now: toMillis(NOON) })).toMatchObject({
        id: 'evt_1',
      });
    }
  });

  it('without the consent of its endpoint needs the scope operate', async () => {
    const body = { url: world.receiver.url, events: ['task.closed'], verify: 'none' };
    const { token: key } = await world.makeKey(['subscribe']);
    expect(await world.ask('POST', '/subscriptions', body, { key })).toMatchObject({
      status: 403,
      body: { code: 'TIDINGS_API_SCOPE', errors: [{ pointer: '/verify' }] },
    });
    expect(world.receiver.received).toEqual([]);
    const { token: operator } = await world.makeKey(['operate']);
    expect((await world.ask('POST', '/subscriptions', body, { key: operator })).status).toBe(201);
  });

  it('is removed by 410 if a REST-hook platform made it, and disabled otherwise', async () => {
    const hook = { name: 'hook', target_url: world.receiver.url, event: 'task.closed' };
    expect((await world.ask('POST', '/subscriptions', hook)).body).toMatchObject({ id: 'hook', active: true });
    await world.ask('POST', '/subscriptions', { name: 'plain', url: world.receiver.url, events: ['task.closed'] });
    await world.record(taskEvent('1'));
    world.receiver.status = 410;
    for (const name of ['hook', 'plain']) {
      await world.ask('POST', `/subscriptions/${name}/replay`, { event: 'evt_1' });
      await world.pump();
    }
    expect((await world.ask('GET', '/subscriptions/hook')).status).toBe(404);
    expect((await world.ask('GET', '/subscriptions/plain')).body).toMatchObject({ active: false, state: 'disabled' });
    const { body } = await world.ask('GET', '/audit');
    expect(body.data).toContainEqual(
      expect.objectContaining({
        action: 'subscription.removed',
        target: 'subscription/hook',
        by: { kind: 'receiver', id: 'hook' },
      }),
    );
  });

  it('gets no new events after it expired, and does not exist any more', async () => {
    const request = { name: 'mine', url: world.receiver.url, events: ['*'], expiresAt: '2026-11-14T14:00:00+01:00' };
    expect((await world.ask('POST', '/subscriptions', request)).body.expiresAt).toBe('2026-11-14T13:00:00.000Z');
    world.advance(2 * HOUR);
    expect((await world.ask('GET', '/subscriptions/mine')).status).toBe(404);
    expect((await world.ask('GET', '/subscriptions')).body.data.map((one: { name: string }) => one.name)).toEqual([
      'declared',
    ]);
    const late = await world.ask('POST', '/subscriptions', request);
    expect(late.body.errors).toEqual([{ pointer: '/expiresAt', detail: 'expected a time in the future' }]);
    const { expiresAt: _, ...again } = request;
    expect((await world.ask('POST', '/subscriptions', again)).status).toBe(201);
  });
});

describe('a subscription', () => {
  it('is declared at start-up as often as the program starts', async () => {
    const declaration = { url: world.receiver.url, events: ['task.closed'] };
    const first = await world.ask('PUT', '/subscriptions/mine', declaration);
    const second = await world.ask('PUT', '/subscriptions/mine', declaration);
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(second.body).not.toHaveProperty('secret');
    const changed = await world.ask('PUT', '/subscriptions/mine', { ...declaration, events: ['task.*'], rate: '30/m' });
    expect(changed.body).toMatchObject({ events: ['task.*'], rate: '30/m' });
    expect(changed.headers.get('etag')).not.toBe(first.headers.get('etag'));
    const { body } = await world.ask('GET', '/audit');
    expect(body.data.map((one: { action: string }) => one.action)).toEqual([
      'subscription.changed',
      'subscription.created',
      'key.created',
    ]);
    expect(body.data[0].details).toEqual({ fields: ['events', 'rate'] });
  });

  it('stays paused or disabled when its program declares it again, unless it says active', async () => {
    const declaration = { url: world.receiver.url, events: ['task.closed'] };
    await world.ask('PUT', '/subscriptions/mine', declaration);
    const declare = async (body: object) => (await world.ask('PUT', '/subscriptions/mine', body)).body.active;
    await world.ask('POST', '/subscriptions/mine/pause');
    expect(await declare(declaration)).toBe(false);
    expect(await declare({ ...declaration, events: ['task.*'] })).toBe(false);
    expect(await declare({ ...declaration, active: true })).toBe(true);
    world.receiver.status = 410;
    await world.record(taskEvent('1'));
    await world.ask('POST', '/subscriptions/mine/replay', { event: taskEvent('1').id });
    await world.pump();
    expect(await declare(declaration)).toBe(false);
    expect(await declare({ ...declaration, active: true })).toBe(true);
  });

  it('is changed in part, and only as it was read', async () => {
    const request = {
      name: 'mine',
      url: world.receiver.url,
      events: ['task.*'],
      rate: '30/m',
      headers: { 'x-key': 'abc' },
    };
    const made = await world.ask('POST', '/subscriptions', request);
    const headers = { 'if-match': made.headers.get('etag') ?? '' };
    const changed = await world.ask('PATCH', '/subscriptions/mine', { event: 'invoice.paid', rate: null }, { headers });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ events: ['invoice.paid'], url: world.receiver.url });
    expect(changed.body).not.toHaveProperty('rate');
    const late = await world.ask('PATCH', '/subscriptions/mine', { events: ['*'] }, { headers });
    expect([late.status, late.body.code]).toEqual([412, 'TIDINGS_API_CHANGED']);
    expect((await world.ask('DELETE', '/subscriptions/mine', undefined, { headers })).status).toBe(412);
    const paused = await world.ask('PATCH', '/subscriptions/mine', { active: false });
    expect(paused.body).toMatchObject({ active: false, state: 'paused' });
    expect(paused.headers.get('etag')).not.toBe(changed.headers.get('etag'));
    // Its header is still sent.
    await world.ask('POST', '/subscriptions/mine/resume');
    await world.record(taskEvent('1'));
    await world.ask('POST', '/subscriptions/mine/replay', { event: 'evt_1' });
    await world.pump();
    expect(world.receiver.received.at(-1)?.headers['x-key']).toBe('abc');
  });

  it('that a person made in Slack keeps its maker, whose words follow the change', async () => {
    const { subscriptions } = world.embedded;
    await world.ask('POST', '/subscriptions', { name: 'made', url: world.receiver.url, query: 'task.overdue' });
    const madeBy = { id: 'UANN', name: 'Ann', query: 'task.overdue', request: 'req_1' };
    await subscriptions.update('made', (stored) => ({ ...stored, owner: 'slack:C1', madeBy }));
    const expiresAt = plus(NOON, DAY);
    await world.ask('PATCH', '/subscriptions/made', { expiresAt });
    expect(await subscriptions.get('made')).toMatchObject({ owner: 'slack:C1', madeBy, expiresAt });
    await world.ask('PATCH', '/subscriptions/made', { query: 'task.overdue task.closed' });
    expect(await subscriptions.get('made')).toMatchObject({
      owner: 'slack:C1',
      madeBy: { id: 'UANN', query: 'task.overdue task.closed' },
      expiresAt,
    });
    // The query language has no word for it.
    const where = { data: { record: { title: [{ suffix: 'x' }] } } };
    expect((await world.ask('PATCH', '/subscriptions/made', { where })).status).toBe(200);
    const changed = await subscriptions.get('made');
    expect(changed).toMatchObject({ owner: 'slack:C1', madeBy: { id: 'UANN', name: 'Ann', request: 'req_1' } });
    expect(changed?.madeBy).not.toHaveProperty('query');
  });

  it('is removed once and for all, whether or not it exists', async () => {
    await world.ask('POST', '/subscriptions', { name: 'mine', url: world.receiver.url, events: ['task.*'] });
    for (let times = 0; times < 2; times++) {
      expect((await world.ask('DELETE', '/subscriptions/mine')).status).toBe(204);
    }
    expect((await world.ask('GET', '/subscriptions/mine')).status).toBe(404);
    expect(
      (await world.ask('GET', `/subscriptions?url=${encodeURIComponent(world.receiver.url)}`)).body.data,
    ).toHaveLength(1);
  });

  it('of the config is read-only, and can be operated', async () => {
    const before = (await world.ask('GET', '/subscriptions/declared')).body;
    expect(before).toMatchObject({ declared: true, owner: null });
    const changes: readonly (readonly [string, string, unknown?])[] = [
      ['PUT', '/subscriptions/declared', { url: world.receiver.url, events: ['*'] }],
      ['PATCH', '/subscriptions/declared', { events: ['*'] }],
      ['DELETE', '/subscriptions/declared'],
      ['POST', '/subscriptions/declared/rotate'],
      ['POST', '/subscriptions', { name: 'declared', url: world.receiver.url, events: ['*'] }],
    ];
    for (const [method, path, body] of changes) {
      const answer = await world.ask(method, path, body);
      expect([method, answer.status, answer.body.code]).toEqual([method, 409, 'TIDINGS_SUBSCRIPTION_DECLARED']);
    }
    expect((await world.ask('POST', '/subscriptions/declared/pause')).body.active).toBe(false);
    expect((await world.ask('POST', '/subscriptions/declared/resume')).body.active).toBe(true);
    expect((await world.ask('GET', '/subscriptions/declared')).body).toEqual(before);
  });

  it('shows what time will bring and an example of its message', async () => {
    const { status, body } = await world.ask('POST', '/subscriptions/declared/preview', {
      until: '2026-11-16T00:00:00Z',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ from: NOON, until: '2026-11-16T00:00:00.000Z', events: [] });
    expect(body.message.body.type).toMatch(/^task\./);
  });
});

describe('a wrong request', () => {
  it('gets the messages of the config, with a pointer for each field', async () => {
    const { status, headers, body } = await world.ask('POST', '/subscriptions', {
      targetUrl: 'ftp://example.com',
      events: ['task.clsed'],
      where: { data: { record: { total: 5 } } },
      rate: 'fast',
      evnts: 1,
      verify: 'maybe',
      expiresAt: 'soon',
    });
    expect(status).toBe(422);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ title: 'Invalid request', status: 422, code: 'TIDINGS_API_INVALID' });
    const pointers = body.errors.map((error: { pointer: string }) => error.pointer);
    for (const pointer of ['/targetUrl', '/events/0', '/rate', '/verify', '/expiresAt'])
      expect(pointers).toContain(pointer);
    expect(body.errors).toContainEqual({
      pointer: '/events/0',
      detail: "expected an event type, or a pattern that matches one (the nearest is 'task.closed'), got 'task.clsed'",
    });
    expect(body.errors).toContainEqual({ pointer: '/evnts', detail: "unknown key 'evnts', did you mean 'events'?" });
  });

  it('learns the keys of a request, not of the config, for a key that is like none', async () => {
    const { status, body } = await world.ask('POST', '/subscriptions', {
      events: ['task.closed'],
      callback: 'https://example.com/hook',
    });
    expect(status).toBe(422);
    const [error] = body.errors;
    expect(error.pointer).toBe('/callback');
    expect(error.detail).toMatch(/^unknown key 'callback', expected one of name, url, to, events, query, where, /);
    expect(error.detail).not.toContain('renamedFrom');
  });

  it('cannot name a secret or a file of the operator', async () => {
    const attacks = [
      { url: `${world.receiver.url}/\${TOKEN}`, events: ['*'] },
      { to: { http: { url: world.receiver.url, secret: '${OPS}' } }, events: ['*'] },
      { to: { http: { url: world.receiver.url, secret: 'derived:00000000:new:0' } }, events: ['*'] },
    ];
    for (const attack of attacks) expect((await world.ask('POST', '/subscriptions', attack)).status).toBe(422);
    const headers = { 'x-env': '${TOKEN}', 'x-file': 'file:/etc/hostname', 'x-kept': 'kept:master', 'x-ssm': 'ssm:/a' };
    const made = await world.ask('POST', '/subscriptions', {
      name: 'mine',
      url: world.receiver.url,
      events: ['*'],
      headers,
    });
    expect(made.status).toBe(201);
    await world.record(taskEvent('1'));
    await world.ask('POST', '/subscriptions/mine/replay', { event: 'evt_1' });
    await world.pump();
    expect(world.receiver.received.at(-1)?.headers).toMatchObject(headers);
    expect(JSON.stringify(made.body)).not.toContain('/etc/hostname');
  });

  it('cannot name a private address, before anything is sent', async () => {
    for (const url of [
      'http://10.0.0.1/hook',
      'https://169.254.169.254/latest',
      'http://[::1]/x',
      'http://192.168.0.1:8080',
    ]) {
      const { status, body } = await world.ask('POST', '/subscriptions', { url, events: ['*'], verify: 'ping' });
      expect([url, status, body.errors?.[0]?.pointer]).toEqual([url, 422, '/url']);
    }
  });

  it('cannot store a secret in the ledger that works', async () => {
    const made = await world.ask(
      'POST',
      '/subscriptions',
      {
        name: 'mine',
        url: world.receiver.url,
        events: ['*'],
        auth: { bearer: 'a-bearer-token' },
      },
      { headers: { 'idempotency-key': 'once' } },
    );
    const stored = JSON.stringify([
      await world.embedded.subscriptions.get('mine'),
      await world.embedded.idempotency.begin(
        'x',
        { fingerprint: '', startedAt: NOON },
        { staleBefore: NOON, expiresAt: NOON },
      ),
      (await world.embedded.audit.page({ limit: 100 })).entries,
    ]);
    expect(stored).not.toContain('a-bearer-token');
    expect(stored).not.toContain(made.body.secret);
    expect(stored).toMatch(/derived:[0-9a-f]{8}:[0-9a-f]{18}:1/);
  });
});
