/** A store fails at each call of a request in turn, before or after its effect: no change lacks its audit entry, and the repeated request acts once. */

import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../core/model/audit.ts';
import { RetryLater } from '../../core/model/errors.ts';
import type { ApiPorts } from '../../manage/api/http/api-ports.ts';
import { delivery, event, subscription } from '../samples.ts';
import { type Answer, type ApiWorld, startApiWorld } from './api-world.ts';

const PORTS = [
  'subscriptions',
  'apiKeys',
  'audit',
  'snapshots',
  'deliveries',
  'events',
  'queue',
  'scanStates',
  'idempotency',
] as const;

interface Fault {
  /** The call that fails, from 1. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** Counts the calls of all stores while it is armed, and lets one fail. */
function faultyPorts() {
  const state = { calls: 0, isArmed: false, fault: undefined as Fault | undefined };
  const fail = () => new RetryLater('TIDINGS_STORE_FAILED', 'the store cannot be reached');
  const wrapPort = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, key, receiver) {
        const method: unknown = Reflect.get(target, key, receiver);
        if (typeof method !== 'function') return method;
        return async (...argv: unknown[]) => {
          if (!state.isArmed) return Reflect.apply(method, target, argv);
          state.calls += 1;
          const { fault } = state;
          const isFailing = fault?.at === state.calls;
          if (isFailing && fault.when === 'before') throw fail();
          const result: unknown = await Reflect.apply(method, target, argv);
          if (isFailing) throw fail();
          return result;
        };
      },
    });
  const wrap = (api: ApiPorts): ApiPorts => ({
    ...api,
    ...Object.fromEntries(PORTS.map((name) => [name, wrapPort(api[name])])),
  });
  return { state, wrap };
}

interface Case {
  readonly method: string;
  readonly path: string;
  readonly body?: (world: ApiWorld) => unknown;
  readonly target: string | RegExp;
  /** What the request changes, in a form that can be compared. */
  readonly read: (world: ApiWorld) => Promise<unknown>;
  /** That the response and the state fit, and the change was made once. */
  readonly check: (world: ApiWorld, answer: Answer, before: unknown) => Promise<void>;
}

const subscriptionOf = (name: string) => (world: ApiWorld) => world.api.subscriptions.get(name);
const keysOf = async (world: ApiWorld) => (await world.api.apiKeys.list()).map(({ id }) => id);
const replaysOf = async (world: ApiWorld) =>
  (await world.api.deliveries.page({ limit: 200 })).deliveries
    .filter(({ mark }) => mark === 'replay')
    .map(({ id }) => id);
const stateOf = (name: string) => async (world: ApiWorld) =>
  (await world.ask('GET', `/subscriptions/${name}`)).body.state as unknown;

const CASES: Readonly<Record<string, Case>> = {
  'a subscription with a name': {
    method: 'POST',
    path: '/subscriptions',
    body: ({ receiver }) => ({ name: 'new', url: receiver.url, events: ['task.*'], active: false }),
    target: 'subscription/new',
    read: subscriptionOf('new'),
    check: async (world, { status, body }) => {
      expect([status, body.name]).toEqual([201, 'new']);
      expect(body.secret).toMatch(/^whsec_/);
      expect((await world.ask('GET', '/subscriptions/new')).body).toMatchObject({ active: false, state: 'paused' });
    },
  },
  'a subscription without a name': {
    method: 'POST',
    path: '/subscriptions',
    body: ({ receiver }) => ({ url: receiver.url, events: ['invoice.*'] }),
    target: /^subscription\/sub_/,
    read: async (world) => (await world.api.subscriptions.list()).map(({ name }) => name),
    check: async (world, { status }, before) => {
      expect(status).toBe(201);
      expect(await world.api.subscriptions.list()).toHaveLength((before as readonly string[]).length + 1);
    },
  },
  'a key': {
    method: 'POST',
    path: '/keys',
    body: () => ({ name: 'new', scopes: ['read'] }),
    target: /^key\//,
    read: keysOf,
    check: async (world, { status, body }, before) => {
      expect(status).toBe(201);
      expect(await keysOf(world)).toHaveLength((before as readonly string[]).length + 1);
      expect((await world.ask('GET', '/events', undefined, { key: body.token })).status).toBe(200);
    },
  },
  'a rotation': {
    method: 'POST',
    path: '/subscriptions/mine/rotate',
    target: 'subscription/mine',
    read: async (world) => (await subscriptionOf('mine')(world))?.rotation ?? null,
    check: async (world, { status, body }) => {
      expect(status).toBe(200);
      const { rotation, to } = (await subscriptionOf('mine')(world)) ?? subscription('mine');
      expect(await world.api.secrets.resolve(rotation?.secret ?? '')).toBe(body.secret);
      // The secret that the receiver has still signs.
      expect(rotation?.previous).toBe(Reflect.get(to.settings, 'secret'));
    },
  },
  'a replay': {
    method: 'POST',
    path: '/subscriptions/mine/replay',
    body: () => ({ since: '1d' }),
    target: 'subscription/mine',
    read: replaysOf,
    check: async (world, { status, body }) => {
      expect([status, body.count]).toEqual([202, 2]);
      expect(await replaysOf(world)).toHaveLength(2);
    },
  },
  'a pause': {
    method: 'POST',
    path: '/subscriptions/mine/pause',
    target: 'subscription/mine',
    read: stateOf('mine'),
    check: async (world, { status }) => {
      expect([status, await stateOf('mine')(world)]).toEqual([200, 'paused']);
    },
  },
  'a retry': {
    method: 'POST',
    path: `/deliveries/${delivery('1', 'mine').id}/retry`,
    target: /^delivery\//,
    read: async (world) => (await world.api.deliveries.get(delivery('1', 'mine').id))?.status,
    check: async (_world, { status, body }) => {
      expect([status, body.status]).toEqual([202, 'pending']);
    },
  },
  'a scan': {
    method: 'POST',
    path: '/sources/main/scan',
    target: 'source/main',
    read: (world) => world.api.scanStates.ofSource('main', true).then(({ requestedAt }) => requestedAt),
    check: async (_world, { status }) => {
      expect(status).toBe(202);
    },
  },
  'a change': {
    method: 'PATCH',
    path: '/subscriptions/mine',
    body: () => ({ rate: '5/s' }),
    target: 'subscription/mine',
    read: subscriptionOf('mine'),
    check: async (_world, { status, body }) => {
      expect([status, body.rate]).toEqual([200, '5/s']);
    },
  },
  'a removal': {
    method: 'DELETE',
    path: '/subscriptions/mine',
    target: 'subscription/mine',
    read: subscriptionOf('mine'),
    check: async (world, { status }) => {
      expect([status, await subscriptionOf('mine')(world)]).toEqual([204, undefined]);
    },
  },
};

/** Runs the case with this fault, and repeats its request after the stale time. Returns whether the fault occurred. */
async function runWith(one: Case, fault: Fault): Promise<boolean> {
  const { state, wrap } = faultyPorts();
  const world = await startApiWorld({ wrap });
  try {
    await world.ask('PUT', '/subscriptions/mine', { url: world.receiver.url, events: ['task.*'] });
    const failed = delivery('1', 'mine', { status: 'failed', dueAt: null });
    await world.api.events.record([
      { event: event('1'), deliveries: [failed] },
      { event: event('2'), deliveries: [] },
    ]);
    const before = await one.read(world);
    const known = await entriesOf(world);
    const headers = { 'idempotency-key': 'once' };
    const ask = () => world.ask(one.method, one.path, one.body?.(world), { headers });
    Object.assign(state, { isArmed: true, calls: 0, fault });
    const first = await ask();
    state.isArmed = false;
    const hasFailed = state.calls >= fault.at;
    expect(first.status === 503 || first.status < 300).toBe(true);
    const added = (await entriesOf(world)).filter(({ id }) => !known.some((entry) => entry.id === id));
    if (JSON.stringify(await one.read(world)) !== JSON.stringify(before)) {
      expect(added.filter(({ outcome }) => outcome !== 'refused').map(({ target }) => target)).toEqual(
        expect.arrayContaining([expect.stringMatching(one.target)]),
      );
    }
    world.advance(2 * 60_000);
    await one.check(world, first.status < 300 ? first : await ask(), before);
    world.errors.length = 0;
    return hasFailed;
  } finally {
    await world.stop();
  }
}

async function entriesOf({ api }: ApiWorld): Promise<readonly AuditEntry[]> {
  return (await api.audit.page({ limit: 200 })).entries;
}

describe('a request whose store fails', () => {
  it.each(Object.keys(CASES))('leaves %s with its entry, and makes it once when it is repeated', async (name) => {
    const one = CASES[name] as Case;
    let at = 1;
    for (; await runWith(one, { at, when: 'before' }); at++) await runWith(one, { at, when: 'after' });
    // Every request reads and writes something.
    expect(at).toBeGreaterThan(3);
  });
});
