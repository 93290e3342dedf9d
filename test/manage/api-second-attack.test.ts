/** What a second attacker tried with keys of less than admin: secrets of others, removed keys, hidden names, counts. */

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { observe } from '../../core/delivery/receivers/health.ts';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { type Delivery, openDelivery } from '../../core/model/delivery.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, MINUTE, plus } from '../../core/model/time.ts';
import { subscriptionsToYaml } from '../../manage/api/subscriptions/subscriptions-yaml.ts';
import { event, snapshot, subscription } from '../samples.ts';
import { type ApiWorld, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  const after = { status: ['Acquired'] };
  world = await startApiWorld({
    config: { customEvents: [{ type: 'task.acquisition', when: { after }, meaning: 'A company was bought.' }] },
  });
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const elsewhere = (name: string) => world.receiver.url.replace('/hook', `/${name}`);

/** Of another key, with credentials of its receiver. */
async function makeVictim() {
  const { token } = await world.makeKey(['subscribe']);
  const body = {
    url: world.receiver.url,
    events: ['task.closed'],
    auth: { bearer: 'BEARER-OF-THE-VICTIM' },
    headers: { 'x-api-key': 'KEY-OF-THE-VICTIM' },
  };
  const { status, body: made } = await world.ask('POST', '/subscriptions', body, { key: token });
  expect(status).toBe(201);
  return { key: token, path: `/subscriptions/${made.name}`, secret: String(made.secret) };
}

describe('the secrets of a subscription', () => {
  it.each([[undefined], [['task.*']]])(
    'are not sent to another URL by an operator with the event types %j',
    async (globs) => {
      const victim = await makeVictim();
      const operator = (await world.makeKey(['operate'], globs)).token;
      for (const key of [operator, victim.key]) {
        const url = elsewhere('attacker');
        for (const body of [
          { url },
          { url, verify: 'ping' },
          { targetUrl: url },
          { url, headers: { 'x-other': 'mine' } },
        ]) {
          const { status, body: problem } = await world.ask('PATCH', victim.path, body, { key });
          expect([body, status, problem.errors.at(-1)]).toEqual([
            body,
            422,
            { pointer: '/auth', detail: 'expected auth again: stored secrets are not sent to another URL' },
          ]);
        }
      }
      const sent = world.receiver.received.filter(({ path }) => path === '/attacker');
      expect(sent).toEqual([]);
      // Given again or removed, and at the same URL, everything can be changed.
      const again = {
        url: elsewhere('moved'),
        auth: { bearer: 'BEARER-OF-THE-VICTIM' },
        headers: { 'x-api-key': 'new' },
      };
      const results = [
        await world.ask('PATCH', victim.path, { url: world.receiver.url, rate: '30/m' }, { key: victim.key }),
        await world.ask('PATCH', victim.path, again, { key: victim.key }),
        await world.ask(
          'PATCH',
          victim.path,
          { url: elsewhere('open'), auth: null, headers: null },
          { key: victim.key },
        ),
      ];
      expect(results.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(world.receiver.received.at(-1)?.path).toBe('/open');
      expect(world.receiver.received.at(-1)?.headers).not.toHaveProperty('authorization');
    },
  );

  it('are not named by a request: the mark of a new signing secret is a text like any other', async () => {
    const victim = await makeVictim();
    const { token: key } = await world.makeKey(['operate']);
    const text = 'derived:00000000:new:0';
    const headers = { 'x-leak': text, 'x-given': 'given:0' };
    const url = elsewhere('placeholder');
    const body = { url, events: ['task.closed'], headers, auth: { bearer: text }, verify: 'ping' };
    expect((await world.ask('PATCH', victim.path, body, { key })).status).toBe(200);
    expect((await world.ask('PUT', victim.path, body, { key })).status).toBe(200);
    expect((await world.ask('POST', '/subscriptions', body, { key })).status).toBe(201);
    const sent = world.receiver.received.filter(({ path }) => path === '/placeholder');
    expect(sent).toHaveLength(2);
    for (const one of sent) expect(one.headers).toMatchObject({ ...headers, authorization: `Bearer ${text}` });
  });
});

describe('texts of a key that name a variable', () => {
  it('are in no export: a config would put the value of the variable in their place', async () => {
    const { id, token: key } = await world.makeKey(['subscribe'], ['task.*']);
    const { token: all } = await world.makeKey(['subscribe']);
    const make = async (name: string, more: object, own = key) => {
      const body = { name, url: elsewhere('export'), events: ['task.closed'], verify: 'ping', ...more };
      return String((await world.ask('POST', '/subscriptions', body, { key: own })).body.name);
    };
    const forged = await make('forged', { template: { body: { a: '${SLACK_BOT_TOKEN}' } } });
    const filtered = await make('filtered', { where: { data: { record: { title: ['${A\n}'] } } } });
    const plain = await make('plain', { events: ['*'] }, all);
    const stored = async (...names: string[]) =>
      Promise.all(names.map(async (name) => (await world.api.subscriptions.get(name)) as Subscription));
    const text = subscriptionsToYaml(await stored(forged, plain, filtered));
    expect(text).toContain(
      `# '${forged}' is left out: in a config its text \${SLACK_BOT_TOKEN} would stand for a variable\n`,
    );
    expect(text).toContain(`# '${filtered}' is left out: in a config its text \${A } would stand for a variable\n`);
    expect(text).toContain('# it got subscription.* events about subscriptions of this key only\n');
    expect(text).not.toContain(id);
    const { subscriptions } = parse(text) as { readonly subscriptions: readonly { readonly name: string }[] };
    expect(subscriptions.map(({ name }) => name)).toEqual([plain]);
    expect(parse(subscriptionsToYaml(await stored(forged)))).toEqual({ subscriptions: [] });
  });
});

describe('an Idempotency-Key that is used again after a day', () => {
  const headers = { 'idempotency-key': 'of-a-script' };

  it('does not bring a removed key back, nor give another authority to one that exists', async () => {
    const first = await world.ask('POST', '/keys', { name: 'first', scopes: ['read'] }, { headers });
    const again = await world.ask('POST', '/keys', { name: 'first', scopes: ['read'] }, { headers });
    expect(again.body.token).toBe(first.body.token);
    await world.ask('DELETE', `/keys/${first.body.id}`);
    world.advance(DAY + 1);
    const second = await world.ask('POST', '/keys', { name: 'second', scopes: ['read'] }, { headers });
    expect([second.status, second.body.id === first.body.id]).toEqual([201, false]);
    world.advance(DAY + 1);
    const third = await world.ask('POST', '/keys', { name: 'third', scopes: ['admin'] }, { headers });
    expect(third.status).toBe(201);
    const seen = async (key: string) => (await world.ask('GET', '/keys', undefined, { key })).status;
    expect([await seen(first.body.token), await seen(second.body.token), await seen(third.body.token)]).toEqual([
      401, 403, 200,
    ]);
  });

  it('rotates again, sends again, and makes another subscription', async () => {
    await world.ask('PUT', '/subscriptions/again', { url: world.receiver.url, events: ['task.closed'] });
    await world.record(taskEvent('again'));
    const run = async () => {
      const rotated = await world.ask('POST', '/subscriptions/again/rotate', undefined, { headers });
      const replay = { event: 'evt_again' };
      const ofReplay = { headers: { 'idempotency-key': 'of-a-replay' } };
      expect((await world.ask('POST', '/subscriptions/again/replay', replay, ofReplay)).body.count).toBe(1);
      const body = { url: world.receiver.url, events: ['task.closed'] };
      const made = await world.ask('POST', '/subscriptions', body, { headers: { 'idempotency-key': 'of-a-maker' } });
      const before = world.receiver.received.length;
      await world.pump();
      return [rotated.body.secret, made.body.name, world.receiver.received.length - before];
    };
    const [secret, name, sent] = await run();
    expect(sent).toBe(1);
    expect(await run()).toEqual([secret, name, 0]);
    world.advance(DAY + 1);
    const [nextSecret, nextName, sentAgain] = await run();
    expect([nextSecret === secret, nextName === name, sentAgain]).toEqual([false, false, 1]);
  });
});

describe('what a key with event types learns', () => {
  it('is nothing of custom event types beyond it, not even that they exist', async () => {
    const { token: key } = await world.makeKey(['read', 'subscribe'], ['invoice.*']);
    const shapeOf = async (type: string, path: string, body: object) => {
      const answer = await world.ask('POST', path, body, { key });
      return JSON.stringify([answer.status, answer.body]).replaceAll(type, 'TYPE');
    };
    for (const [known, unknown] of [
      ['task.acquisition', 'task.acquisitiom'],
      ['task.acqui*', 'task.acqux*'],
    ] as const) {
      const answers = async (type: string) => [
        await shapeOf(type, '/subscriptions', { url: world.receiver.url, events: [type] }),
        await shapeOf(type, '/subscriptions', { url: world.receiver.url, query: type }),
        await shapeOf(type, '/filters/test', { events: [type] }),
        await shapeOf(type, '/filters/test', { query: type }),
      ];
      const of = await answers(unknown);
      expect(await answers(known)).toEqual(of);
      expect(of.join()).not.toContain('acquisition');
    }
    const all = await world.ask('POST', '/filters/test', { events: ['task.acquisition'] });
    expect(all.status).toBe(200);
  });

  it('is no record of another resource, whatever the path names', async () => {
    const stored = snapshot('1', {
      key: { source: 'main', resource: 'task', id: '1' },
      record: { id: '1', title: 'MARK_of_task' },
    });
    await world.api.snapshots.commit([{ snapshot: stored, expected: 0 }]);
    const { token: key } = await world.makeKey(['read'], ['m*', 'invoice.*']);
    for (const path of ['task/1', 'main%2Ftask/1', 'invoice/main%2Ftask%2F1', 'main/task%2F1', 'task/1?source=main']) {
      const { status, body } = await world.ask('GET', `/records/${path}`, undefined, { key });
      expect([path, status, JSON.stringify(body).includes('MARK_of_task')]).toEqual([path, 404, false]);
    }
    expect((await world.ask('GET', '/records/task/1')).status).toBe(200);
  });
});

describe('the name of a subscription of a key that sees only its own', () => {
  const formerName = (id: string, name: string) =>
    `${name}-${createHash('sha256').update(`key ${id} ${name}`).digest('hex').slice(0, 8)}`;
  const put = (name: string, key: string) =>
    world.ask('PUT', `/subscriptions/${name}`, { url: elsewhere('names'), events: ['task.closed'] }, { key });

  it('cannot be taken in advance by one who knows the key and the name', async () => {
    const { id, token } = await world.makeKey(['subscribe'], ['task.*']);
    const squatter = (await world.makeKey(['read', 'subscribe'])).token;
    expect((await put(formerName(id, 'billing'), squatter)).status).toBe(201);
    const first = await put('billing', token);
    expect([first.status, first.body.name]).toEqual([201, expect.stringMatching(/^billing-[0-9a-f]{8}$/)]);
    const second = await put('billing', token);
    expect([second.status, second.body.name]).toEqual([200, first.body.name]);
    // One that was seen, and is free again.
    await world.ask('DELETE', '/subscriptions/billing', undefined, { key: token });
    expect((await put(first.body.name, squatter)).status).toBe(201);
    const third = await put('billing', token);
    expect([third.status, third.body.name]).toEqual([201, expect.stringMatching(/^billing-[0-9a-f]{8}$/)]);
    await world.ask('DELETE', `/subscriptions/${first.body.name}`);
    const fourth = await put('billing', token);
    expect([fourth.status, fourth.body.name]).toEqual([200, third.body.name]);
    // Each key and each name has a suffix of its own.
    const other = (await world.makeKey(['subscribe'], ['task.*'])).token;
    expect((await put('billing', other)).body.name).not.toBe(first.body.name);
  });

  it('gives the endpoint that a program declares to no subscription of another key', async () => {
    const { token: other } = await world.makeKey(['read', 'subscribe']);
    const { token: program } = await world.makeKey(['operate']);
    const { token: successor } = await world.makeKey(['operate']);
    const declare = (name: string, key: string, headers = {}) => {
      const body = { url: elsewhere('program'), events: ['task.closed'], headers: { authorization: 'Bearer program' } };
      return world.ask('PUT', `/subscriptions/${name}`, body, { key, headers });
    };
    expect((await put('squatted', other)).status).toBe(201);
    const refused = await declare('squatted', program);
    expect(refused).toMatchObject({ status: 409, body: { code: 'TIDINGS_API_NAME_TAKEN' } });
    expect((await world.ask('GET', '/subscriptions/squatted')).body.url).toBe(elsewhere('names'));
    // A request that knows the other one changes it.
    expect((await declare('squatted', program, { 'if-match': '*' })).status).toBe(200);
    // The next key of a program finds the subscription of the one before.
    expect((await declare('declared-by-program', program)).status).toBe(201);
    expect((await declare('declared-by-program', successor)).status).toBe(200);
  });

  it('stands for its own also if another makes one with the plain name that the key may operate', async () => {
    const { id, token: key } = await world.makeKey(['operate'], ['task.*']);
    const other = await world.makeKey(['read', 'subscribe']);
    const own = (await put('deploys', key)).body.name;
    expect(own).toMatch(/^deploys-[0-9a-f]{8}$/);
    expect((await put('deploys', other.token)).body.name).toBe('deploys');
    const repeated = await put('deploys', key);
    expect([repeated.status, repeated.body.name, repeated.body.owner]).toEqual([200, own, id]);
    expect((await world.ask('GET', '/subscriptions/deploys', undefined, { key })).body.name).toBe(own);
    await world.ask('DELETE', '/subscriptions/deploys', undefined, { key });
    expect((await world.ask('GET', '/subscriptions/deploys', undefined, { key })).body.owner).toBe(other.id);
  });

  it('stands for its own with a suffix of an earlier version also if the operator has one with the plain name', async () => {
    const { id, token: key } = await world.makeKey(['operate'], ['task.*']);
    const to = { channel: 'http', settings: { url: elsewhere('names'), secret: '${OPS}' } };
    const own = subscription(formerName(id, 'orders'), { declared: false, owner: id, events: ['task.closed'], to });
    await world.api.subscriptions.save(own);
    expect((await put('orders', world.admin)).body.name).toBe('orders');
    expect((await put('orders', key)).body.name).toBe(own.name);
    expect((await world.ask('GET', '/subscriptions/orders', undefined, { key })).body.name).toBe(own.name);
  });

  it.each(['by an earlier version', 'with another master secret'])('is found if its suffix was made %s', async (by) => {
    const { id, token: key } = await world.makeKey(['subscribe'], ['task.*']);
    const name = by === 'by an earlier version' ? formerName(id, 'stock') : 'stock-0badf00d';
    const to = { channel: 'http', settings: { url: elsewhere('names'), secret: '${OPS}' } };
    await world.api.subscriptions.save(subscription(name, { declared: false, owner: id, events: ['task.closed'], to }));
    for (const given of ['stock', name]) {
      const found = await world.ask('GET', `/subscriptions/${given}`, undefined, { key });
      expect([given, found.status, found.body.name]).toEqual([given, 200, name]);
      const repeated = await put(given, key);
      expect([given, repeated.status, repeated.body.name]).toEqual([given, 200, name]);
    }
    // Not that of another key.
    const other = (await world.makeKey(['subscribe'], ['task.*'])).token;
    expect((await world.ask('GET', '/subscriptions/stock', undefined, { key: other })).status).toBe(404);
    await world.ask('DELETE', '/subscriptions/stock', undefined, { key });
    expect(await world.api.subscriptions.get(name)).toBeUndefined();
  });
});

describe('a source', () => {
  it('shows its errors and its account to keys that may see its events', async () => {
    const record = { id: 'main', name: 'main', state: 'failing', reason: '500 for a task of Project X' };
    const stored = snapshot('main', { key: { source: 'main', resource: 'source', id: 'main' }, record });
    await world.api.snapshots.commit([{ snapshot: stored, expected: 0 }]);
    const reasons = async (...events: string[]) => {
      const { token: key } = await world.makeKey(['read'], events);
      const [list, one] = [
        await world.ask('GET', '/sources', undefined, { key }),
        await world.ask('GET', '/sources/main', undefined, { key }),
      ];
      return [list.body.data[0], one.body].map(({ state, reason }) => [state, reason]);
    };
    expect(await reasons('invoice.*')).toEqual(Array(2).fill(['failing', null]));
    expect(await reasons('invoice.*', 'source.*')).toEqual(Array(2).fill(['failing', record.reason]));
  });
});

describe('a cursor', () => {
  /** The cursors of all pages with one item each, and the ids of the items. */
  async function readAll(path: string, key: string) {
    const cursors: string[] = [];
    const ids: string[] = [];
    for (let after = ''; cursors.length < 50; ) {
      const { status, body } = await world.ask('GET', `${path}?limit=1${after}`, undefined, { key });
      expect(status).toBe(200);
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.next !== null) cursors.push(String(body.next));
      if (body.next === null || body.more === false) return { cursors, ids };
      after = `&after=${body.next}`;
    }
    throw new Error('the list does not end');
  }

  it('shows a key that does not see all neither positions nor times, and takes none that it did not get', async () => {
    const paid = ['paid1', 'paid2', 'paid3'].map((id) => event(id, { type: 'invoice.paid', time: world.clock.now() }));
    for (const one of paid) await world.record(one, taskEvent(`beside-${one.id}`));
    const { token: reader } = await world.makeKey(['read'], ['invoice.*']);
    const { token: owner } = await world.makeKey(['subscribe']);
    const made = await world.ask(
      'POST',
      '/subscriptions',
      { url: world.receiver.url, events: ['task.*'] },
      { key: owner },
    );
    const path = `/subscriptions/${made.body.name}`;
    await world.ask('POST', `${path}/replay`, { since: '30d' }, { key: owner });
    for (const [list, key] of [
      ['/events', reader],
      [`${path}/deliveries`, owner],
    ] as const) {
      const { cursors, ids } = await readAll(list, key);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThanOrEqual(3);
      expect(new Set(cursors).size).toBe(cursors.length);
      for (const cursor of cursors) {
        expect(Buffer.from(cursor, 'base64url').toString()).not.toMatch(/listEvents|listSubscriptionDeliveries/);
        expect((await world.ask('GET', `${list}?after=${cursor}`)).status).toBe(400);
        const forged = `${cursor.slice(0, -8)}AAAAAAAA`;
        expect((await world.ask('GET', `${list}?after=${forged}`, undefined, { key })).status).toBe(400);
      }
      const { cursors: open } = await readAll(list, world.admin);
      for (const after of open) {
        expect((await world.ask('GET', `${list}?after=${after}`, undefined, { key })).status).toBe(400);
      }
      const [other] = (await readAll(list, key)).cursors;
      const wrong = list === '/events' ? `${path}/deliveries` : '/events';
      const rightKey = list === '/events' ? owner : reader;
      expect((await world.ask('GET', `${wrong}?after=${other}`, undefined, { key: rightKey })).status).toBe(400);
    }
  });

  it('belongs to the key that got it, and stays valid if an earlier version made it', async () => {
    for (const id of ['due1', 'due2']) await world.record(event(id, { type: 'invoice.paid', time: world.clock.now() }));
    const [{ token: one }, { token: other }] = [
      await world.makeKey(['read'], ['invoice.*']),
      await world.makeKey(['read'], ['invoice.*']),
    ];
    const page = (key: string, after: string) => world.ask('GET', `/events?limit=1&after=${after}`, undefined, { key });
    const [first = ''] = (await readAll('/events', one)).cursors;
    expect([(await page(one, first)).status, (await page(other, first)).status]).toEqual([200, 400]);
    const old = (await world.api.secrets.seal('listEvents 1'.padEnd(64))).replaceAll(':', '_');
    expect((await page(one, old)).status).toBe(200);
  });
});

// Last: it advances the clock past the events of all others.
describe('an event that is older than the retention', () => {
  it('is neither retried nor replayed, which would keep it', async () => {
    const { token: key } = await world.makeKey(['operate']);
    await world.ask('PUT', '/subscriptions/old', { url: world.receiver.url, events: ['task.closed'] }, { key });
    const old = taskEvent('old');
    const failed = {
      ...openDelivery(old, 'old', old.time),
      status: 'failed' as const,
      dueAt: null,
      settledAt: old.time,
    };
    await world.api.events.record([{ event: old, deliveries: [failed] }]);
    const ask = async () => {
      const retried = await world.ask('POST', '/deliveries/retry', { subscription: 'old', dryRun: true }, { key });
      const since = { since: '2026-01-01T00:00:00Z', dryRun: true };
      const replayed = await world.ask('POST', '/subscriptions/old/replay', since, { key });
      const alone = await world.ask('POST', '/subscriptions/old/replay', { event: old.id, dryRun: true }, { key });
      return [retried.body.count, replayed.body.count > 0, alone.status];
    };
    expect(await ask()).toEqual([1, true, 202]);
    world.advance(world.api.config.retention + 1);
    expect(await ask()).toEqual([0, false, 404]);
  });
});

describe('a fault of the installation', () => {
  it('is shown to a key by its code only, in attempts, waits and reasons', async () => {
    const { token: key } = await world.makeKey(['subscribe']);
    const { token: reader } = await world.makeKey(['read']);
    const body = { url: elsewhere('fault'), events: ['task.closed'], verify: 'ping' };
    const { name } = (await world.ask('POST', '/subscriptions', body, { key })).body;
    const message = "'secret:tidings' could not be read: assumed-role/Deliver is not authorized";
    const attempt = {
      number: 1,
      at: world.clock.now(),
      ms: 1,
      outcome: 'retry',
      code: 'TIDINGS_SECRET_UNAVAILABLE',
    } as const;
    const opened = openDelivery(taskEvent('fault'), name, world.clock.now(), plus(world.clock.now(), DAY));
    const delivery: Delivery = { ...opened, status: 'pending', attempts: [{ ...attempt, message, ownFault: 1 }] };
    await world.api.events.record([{ event: taskEvent('fault'), deliveries: [delivery] }]);
    const fault = {
      outcome: 'gave-up',
      at: world.clock.now(),
      endedAt: world.clock.now(),
      delivery: delivery.id,
    } as const;
    const observation = { ...fault, reason: message, isOwnFault: true, ownFaultCode: attempt.code };
    await changeHealth(world.api, name, 'delivery', (health) => observe(health, observation));
    const seenBy = async (as: string) => {
      const [one, many, own] = [
        await world.ask('GET', `/deliveries/${delivery.id}`, undefined, { key: as }),
        await world.ask('GET', `/subscriptions/${name}/deliveries`, undefined, { key: as }),
        await world.ask('GET', `/subscriptions/${name}`, undefined, { key: as }),
      ];
      return [one.body, many.body, own.body].map((shown) => JSON.stringify(shown));
    };
    for (const shown of await seenBy(key)) {
      expect(shown).toContain('TIDINGS_SECRET_UNAVAILABLE');
      expect(shown).not.toContain('secret:tidings');
    }
    for (const shown of await seenBy(reader)) expect(shown).toContain('secret:tidings');
  });

  it('is in no answer to a change whose ping could not be sent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-fault-'));
    const file = join(folder, 'master');
    await writeFile(file, 'the master secret of the installation');
    const own = await startApiWorld({
      config: { manage: { url: 'https://tidings.example.com', secret: `file:${file}` } },
    });
    try {
      const { token: key } = await own.makeKey(['subscribe']);
      const body = { url: own.receiver.url, events: ['task.closed'], verify: 'ping' };
      const { name } = (await own.ask('POST', '/subscriptions', body, { key })).body;
      // The value is read again after five minutes.
      own.advance(6 * MINUTE);
      await rm(file);
      const url = `${own.receiver.url}/other`;
      const answer = await own.ask('PATCH', `/subscriptions/${name}`, { url, verify: 'ping' }, { key });
      expect(answer.status).toBe(500);
      expect(JSON.stringify(answer.body)).not.toContain(folder);
      expect(own.errors.map(String).join()).toContain(folder);
    } finally {
      own.errors.splice(0);
      await own.stop();
      await rm(folder, { recursive: true });
    }
  });
});
