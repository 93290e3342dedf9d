/** Every route × every scope × own, foreign and declared subscriptions, against a table that is written by hand. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES, type Scope } from '../../core/model/api-key.ts';
import { routes } from '../../manage/api/routes.ts';
import { delivery, event, subscription } from '../samples.ts';
import { type ApiWorld, startApiWorld } from './api-world.ts';

type Whose = 'own' | 'foreign' | 'declared';
const WHOSE: readonly Whose[] = ['own', 'foreign', 'declared'];

/** What the route acts on, and the scopes that may use it at all. */
interface Expected {
  readonly of: 'nothing' | 'subscription' | 'delivery';
  readonly scopes: readonly Scope[];
  /** `reads`: those who see it may. `operates`: its owner and operators may. `changes`: the same, but not one of the config. */
  readonly kind: 'reads' | 'operates' | 'changes';
  readonly body?: (name: string) => unknown;
}

const READERS: readonly Scope[] = ['read', 'operate', 'admin'];
const ALL: readonly Scope[] = ['read', 'subscribe', 'operate', 'admin'];
const CHANGERS: readonly Scope[] = ['subscribe', 'operate', 'admin'];
const ADMIN: readonly Scope[] = ['admin'];
const URL = 'http://127.0.0.1:1/never-called';
const made = { events: ['task.closed'], url: URL };

const EXPECTED: Readonly<Record<string, Expected>> = {
  listEventTypes: { of: 'nothing', scopes: ALL, kind: 'reads' },
  listEvents: { of: 'nothing', scopes: READERS, kind: 'reads' },
  countEvents: { of: 'nothing', scopes: READERS, kind: 'reads' },
  forecastEvents: { of: 'nothing', scopes: READERS, kind: 'reads' },
  countWaiting: { of: 'nothing', scopes: READERS, kind: 'reads' },
  getEvent: { of: 'nothing', scopes: READERS, kind: 'reads' },
  getRecord: { of: 'nothing', scopes: READERS, kind: 'reads' },
  listFilterFields: { of: 'nothing', scopes: ALL, kind: 'reads' },
  testFilter: { of: 'nothing', scopes: ALL, kind: 'reads', body: () => ({ events: ['task.*'] }) },
  listSubscriptions: { of: 'nothing', scopes: ALL, kind: 'reads' },
  createSubscription: { of: 'nothing', scopes: CHANGERS, kind: 'changes', body: () => made },
  putSubscription: { of: 'subscription', scopes: CHANGERS, kind: 'changes', body: () => made },
  getSubscription: { of: 'subscription', scopes: ALL, kind: 'reads' },
  patchSubscription: { of: 'subscription', scopes: CHANGERS, kind: 'changes', body: () => ({ rate: '30/m' }) },
  deleteSubscription: { of: 'subscription', scopes: CHANGERS, kind: 'changes' },
  testSubscription: { of: 'subscription', scopes: CHANGERS, kind: 'operates', body: () => ({ type: 'nothing.*' }) },
  pauseSubscription: { of: 'subscription', scopes: CHANGERS, kind: 'operates' },
  resumeSubscription: { of: 'subscription', scopes: CHANGERS, kind: 'operates' },
  resubscribeReader: {
    of: 'subscription',
    scopes: CHANGERS,
    kind: 'operates',
    body: () => ({ address: 'ann@example.com' }),
  },
  rotateSubscription: { of: 'subscription', scopes: CHANGERS, kind: 'changes' },
  replaySubscription: {
    of: 'subscription',
    scopes: CHANGERS,
    kind: 'operates',
    body: () => ({ since: '1h', dryRun: true }),
  },
  previewSubscription: { of: 'subscription', scopes: ALL, kind: 'reads', body: () => ({}) },
  listSubscriptionDeliveries: { of: 'subscription', scopes: ALL, kind: 'reads' },
  listDeliveries: { of: 'nothing', scopes: READERS, kind: 'reads' },
  retryDeliveries: {
    of: 'subscription',
    scopes: CHANGERS,
    kind: 'operates',
    body: (name) => ({ subscription: name, dryRun: true }),
  },
  getDelivery: { of: 'delivery', scopes: ALL, kind: 'reads' },
  retryDelivery: { of: 'delivery', scopes: CHANGERS, kind: 'operates' },
  listSources: { of: 'nothing', scopes: READERS, kind: 'reads' },
  getSource: { of: 'nothing', scopes: READERS, kind: 'reads' },
  scanSource: { of: 'nothing', scopes: ['operate', 'admin'], kind: 'changes' },
  createSource: {
    of: 'nothing',
    scopes: ADMIN,
    kind: 'changes',
    body: () => ({ name: 'main', baseUrl: 'https://work.example.com', token: 'x' }),
  },
  getSourceSettings: { of: 'nothing', scopes: ADMIN, kind: 'reads' },
  patchSource: { of: 'nothing', scopes: ADMIN, kind: 'changes', body: () => ({ attribution: true }) },
  deleteSource: { of: 'nothing', scopes: ADMIN, kind: 'changes' },
  listKeys: { of: 'nothing', scopes: ADMIN, kind: 'reads' },
  createKey: { of: 'nothing', scopes: ADMIN, kind: 'changes', body: () => ({ name: 'x', scopes: ['read'] }) },
  deleteKey: { of: 'nothing', scopes: ADMIN, kind: 'changes' },
  deleteKeySubscriptions: { of: 'nothing', scopes: ADMIN, kind: 'changes' },
  getMe: { of: 'nothing', scopes: ALL, kind: 'reads' },
  listAudit: { of: 'nothing', scopes: ADMIN, kind: 'reads' },
};

let world: ApiWorld;
beforeAll(async () => {
  world = await startApiWorld();
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

/** 2xx, 409 or 422: the request reached the route. What its body asks for is of no interest here. */
const isServed = (status: number) => (status >= 200 && status < 300) || status === 409 || status === 422;

function expectedStatus(
  operation: string,
  { of, scopes, kind }: Expected,
  scope: Scope,
  whose: Whose,
): number | 'served' {
  if (!scopes.includes(scope)) return 403;
  if (of === 'nothing') return 'served';
  const isOperator = scope === 'operate' || scope === 'admin';
  const isSeen = isOperator || scope === 'read' || whose === 'own';
  if (!isSeen) {
    if (operation === 'deleteSubscription') return 204;
    // It has a name of its own under the same name.
    return operation === 'putSubscription' ? 'served' : 404;
  }
  if (kind === 'changes' && whose === 'declared') return 409;
  return 'served';
}

describe('authorisation', () => {
  it('has an expectation for every route', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(routes.map(({ operation }) => operation).sort());
  });

  describe.each(SCOPES)('a key with the scope %s', (scope) => {
    it.each(routes.map((route) => [route.operation, route] as const))('%s', async (operation, { method, path }) => {
      const expected = EXPECTED[operation];
      if (expected === undefined) throw new Error('no expectation');
      for (const whose of WHOSE) {
        const { id, token } = await world.makeKey([scope]);
        const name = whose === 'declared' ? 'declared' : `${whose}-${operation}-${scope}`;
        const stored = subscription(name, { declared: false, owner: whose === 'own' ? id : 'another' });
        if (whose !== 'declared') await world.api.subscriptions.save(stored);
        const about = event(`${operation}-${scope}-${whose}`);
        const open = delivery(`${operation}-${scope}-${whose}`, name, { status: 'failed', dueAt: null });
        await world.api.events.record([{ event: about, deliveries: [open] }]);
        const other = await world.makeKey(['read']);
        const values: Readonly<Record<string, string>> = {
          name: path.startsWith('/sources') ? 'main' : name,
          resource: 'task',
          id: path.startsWith('/deliveries') ? open.id : path.startsWith('/keys') ? other.id : about.id,
        };
        const url = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ''));
        const before = await world.api.subscriptions.get(name);
        const { status } = await world.ask(method.toUpperCase(), url, expected.body?.(name), { key: token });
        const wanted = expectedStatus(operation, expected, scope, whose);
        // There is no such record: a caller with the scope gets 404 too.
        const isFound = operation === 'getRecord' && status === 404;
        const result =
          isServed(status) && wanted === 'served' ? 'served' : isFound && wanted === 'served' ? 'served' : status;
        expect([operation, scope, whose, result]).toEqual([operation, scope, whose, wanted]);
        const isHidden = scope === 'subscribe' && whose !== 'own';
        if (wanted !== 'served' || isHidden) expect(await world.api.subscriptions.get(name)).toEqual(before);
      }
    });
  });

  it('leaves out of lists what a key may not see', async () => {
    const [{ id, token }, limited] = [await world.makeKey(['subscribe']), await world.makeKey(['read'], ['invoice.*'])];
    await world.api.subscriptions.save(subscription('mine', { declared: false, owner: id }));
    const names = async (key: string) =>
      (await world.ask('GET', '/subscriptions?limit=200', undefined, { key })).body.data.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names(token)).toEqual(['mine']);
    expect(await names(limited.token)).toEqual([]);
    const events = await world.ask('GET', '/events?type=*', undefined, { key: limited.token });
    expect(events.body.data).toEqual([]);
    const types = await world.ask('GET', '/event-types', undefined, { key: limited.token });
    expect(new Set(types.body.data.map(({ resource }: { resource: string }) => resource))).toEqual(
      new Set(['invoice']),
    );
    await world.record(event('hidden'));
    expect((await world.ask('GET', '/events/evt_hidden', undefined, { key: limited.token })).status).toBe(404);
    expect((await world.ask('GET', '/records/task/1', undefined, { key: limited.token })).status).toBe(404);
    expect((await world.ask('GET', '/deliveries', undefined, { key: limited.token })).status).toBe(403);
  });

  it('does not show by any response that another key uses a name', async () => {
    const [a, b] = [(await world.makeKey(['subscribe'])).token, (await world.makeKey(['subscribe'])).token];
    const shape = async (key: string, name: string) => {
      const body = { name, url: world.receiver.url, events: ['task.*'] };
      const { name: _, ...rest } = body;
      const answers = [
        await world.ask('GET', `/subscriptions/${name}`, undefined, { key }),
        await world.ask('POST', '/subscriptions', body, { key }),
        await world.ask('POST', '/subscriptions', body, { key }),
        await world.ask('PUT', `/subscriptions/${name}`, rest, { key }),
        await world.ask('PUT', `/subscriptions/${name}`, body, { key }),
        await world.ask('PATCH', `/subscriptions/${name}`, { rate: '1/s' }, { key }),
        await world.ask('GET', `/subscriptions/${name}/deliveries`, undefined, { key }),
        await world.ask('POST', '/deliveries/retry', { subscription: name, dryRun: true }, { key }),
        await world.ask('DELETE', `/subscriptions/${name}`, undefined, { key }),
        await world.ask('GET', `/subscriptions/${name}`, undefined, { key }),
      ];
      return answers.map(({ status, body: got }) => [status, got?.code, got?.name?.replace(/-[0-9a-f]{8}$/, '-…')]);
    };
    const free = await shape(a, 'free');
    const last = [404, 'TIDINGS_API_NOT_FOUND', undefined];
    expect(free.map(([status]) => status)).toEqual([404, 201, 409, 200, 200, 200, 200, 202, 204, 404]);
    expect(free.at(-1)).toEqual(last);
    const taken = { url: world.receiver.url, events: ['task.*'] };
    expect((await world.ask('PUT', '/subscriptions/taken', taken, { key: b })).status).toBe(201);
    expect((await world.ask('PUT', '/subscriptions/operators', taken)).status).toBe(201);
    for (const name of ['taken', 'operators', 'declared']) {
      const answers = await shape(a, name);
      expect(answers).toEqual(free.map(([status, code, shown]) => [status, code, shown?.replace('free', name)]));
    }
    expect((await world.ask('GET', '/subscriptions/taken', undefined, { key: b })).status).toBe(200);
    expect((await world.ask('GET', '/subscriptions/operators')).status).toBe(200);
    const long = 'n'.repeat(64);
    const made = await world.ask('PUT', `/subscriptions/${long}`, taken, { key: a });
    expect([made.status, made.body.name.length]).toEqual([201, 64]);
    // Both of its names work.
    expect((await world.ask('GET', `/subscriptions/${made.body.name}`, undefined, { key: a })).status).toBe(200);
    expect((await world.ask('GET', `/subscriptions/${long}`, undefined, { key: a })).body).toEqual(
      (await world.ask('GET', `/subscriptions/${made.body.id}`, undefined, { key: a })).body,
    );
  });

  it('keeps a key within its event types, whatever the pattern', async () => {
    const { token } = await world.makeKey(['subscribe'], ['task.c*', 'invoice.paid']);
    const statuses: [string, number][] = [];
    for (const glob of [
      'task.closed',
      'task.c*',
      'invoice.paid',
      'task.*',
      '*',
      '*.closed',
      'invoice.*',
      'task.due_changed',
    ]) {
      statuses.push([
        glob,
        (await world.ask('POST', '/subscriptions', { url: world.receiver.url, events: [glob] }, { key: token })).status,
      ]);
    }
    expect(statuses).toEqual([
      ['task.closed', 201],
      ['task.c*', 201],
      ['invoice.paid', 201],
      ['task.*', 403],
      ['*', 403],
      ['*.closed', 403],
      ['invoice.*', 403],
      ['task.due_changed', expect.toSatisfy((status: number) => status === 403 || status === 422)],
    ]);
    const mail = { to: { email: { to: ['a@example.com'] } }, events: ['task.closed'] };
    expect((await world.ask('POST', '/subscriptions', mail, { key: token })).status).toBeGreaterThanOrEqual(400);
  });
});
