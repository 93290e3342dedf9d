/**
 * What a key may not see changes no answer: two installations that differ only in that answer every request of every route with the
 * same status, headers and body. So nothing is counted, named or found out, and what is hidden answers as what does not exist.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { hashToken } from '../../core/model/api-key.ts';
import { DELIVERY_STATUSES, type DeliveryStatus, openDelivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Fields } from '../../core/model/record.ts';
import { initialScanState } from '../../core/model/scan.ts';
import type { Target } from '../../core/model/subscription.ts';
import { HOUR, plus } from '../../core/model/time.ts';
import { stageOnDay } from '../../core/snapshot/stage.ts';
import type { ApiPorts } from '../../manage/api/http/api-ports.ts';
import type { Route } from '../../manage/api/http/route.ts';
import { routes } from '../../manage/api/routes.ts';
import { event, NOON, snapshot, subscription } from '../samples.ts';
import { type Answer, type ApiWorld, askWhilePumping, startApiWorld, startReceiver } from './api-world.ts';
import { KEYS, type TriedKey } from './event-type-matrix.ts';
import { BODIES, QUERIES, TYPES } from './event-type-requests.ts';

const ID = '0123456789abcdef';
const TOKEN = `tdk_${ID}_${'A'.repeat(43)}`;
const NO_LIMIT = '100000/s';
const QUOTAS = { changes: NO_LIMIT, previews: NO_LIMIT, replays: NO_LIMIT, deliveries: NO_LIMIT };
const RECORDS = ['task', 'invoice', 'person', 'project', 'client'];
/** Other types whose events may be hidden. */
const MORE_TYPES = 'task.overdue invoice.overdue person.updated project.updated client.created source.stale'.split(' ');

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const mayRead = ({ events }: TriedKey, type: string) =>
  events === undefined ? !type.startsWith('subscription.') : events.some((glob) => compileGlob(glob)(type));

/** The types that the key may see, and others. */
const typesFor = (key: TriedKey) =>
  [
    TYPES.filter((type) => mayRead(key, type)),
    [...TYPES, ...MORE_TYPES].filter((type) => !mayRead(key, type)),
  ] as const;

/** In place of random bytes: after `reset` both installations get the same. */
function createBytes() {
  let count = 0;
  const next = (length: number) => {
    count += 1;
    return Buffer.alloc(length, count % 256);
  };
  return { next, reset: () => (count = 0) };
}

const sealed = new Map<string, Promise<string>>();

/** Sealed with random bytes: both installations have the same text for the same value. */
const sealOnce =
  ({ secrets }: Pick<ApiPorts, 'secrets'>) =>
  (value: string) => {
    const known = sealed.get(value) ?? secrets.seal(value);
    sealed.set(value, known);
    return known;
  };

/** The ids of other records, which have names. */
const CHANGES = [
  { field: 'projectid', from: '9', to: '1' },
  { field: 'assigneeid', from: ['9'], to: ['1'] },
];

const eventOf = (id: string, type: string, at: string) =>
  event(id, {
    type,
    time: at,
    subject: type === 'subscription.failing' ? 'subscription/hidden' : `${type.split('.')[0]}/1`,
    data: { ...event('x').data, record: recordOf(type.split('.')[0] ?? '', '1'), changes: CHANGES },
  });

/** It names people, a project and a client that are other records, and falls due two days ahead. */
const recordOf = (resource: string, id: string): Fields => ({
  id,
  title: `${resource} ${id}`,
  datedue: '2026-11-16',
  dateclosed: null,
  status: 'Open',
  projectid: '1',
  clientid: '1',
  assigneeid: ['1'],
  ...(resource === 'person' ? { firstname: 'Ann', lastname: 'Lee', email: 'ann@example.com', active: true } : {}),
  ...(resource === 'project' || resource === 'client' ? { name: `Name of ${resource} ${id}` } : {}),
});

/** Its own, one that writes to people, one that an operator gave more event types, and those of others, which may not be seen. */
const OWN = ['mine', 'people', 'wide'];
const HIDDEN = ['a-hidden', 'hidden'];
const OTHER_KEY = 'fedcba9876543210';

/** @param hasMore whether it also has what the key may not see */
async function startInstallation(key: TriedKey, hasMore: boolean): Promise<ApiWorld> {
  const { events, scopes } = key;
  const [visible, hidden] = typesFor(key);
  const customTypes = ['task.secret_deal', 'invoice.secret_deal'].filter((type) => !mayRead(key, type)).slice(0, 1);
  const after = { title: ['secret'] };
  const bytes = createBytes();
  const world = await startApiWorld({
    config: {
      source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'UTC' },
      manage: { url: 'https://x.example.com', secret: '${MASTER}', api: { rate: NO_LIMIT, quotas: QUOTAS } },
      customEvents: hasMore ? customTypes.map((type) => ({ type, meaning: 'A secret deal.', when: { after } })) : [],
    },
    wrap: (api) => ({ ...api, randomBytes: bytes.next, secrets: { ...api.secrets, seal: sealOnce(api) } }),
  });
  const { apiKeys, subscriptions, snapshots, scanStates } = world.api;
  const limits = events === undefined ? {} : { events };
  await apiKeys.save({
    id: ID,
    name: 'k',
    hash: hashToken(TOKEN),
    scopes,
    ...limits,
    createdAt: NOON,
    createdBy: 'ann',
  });

  const to = { channel: 'http', settings: { url: receiver.url, secret: '${OPS}' } };
  const subscribe = (name: string, globs: readonly string[], owner: string, receiverOf: Target = to) => {
    const ofOwnerOnly = events === undefined && owner === ID ? { ofOwnerOnly: true as const } : {};
    const made = { declared: false, events: globs, owner, createdAt: NOON, ...ofOwnerOnly, to: receiverOf };
    return subscriptions.save(subscription(name, made));
  };
  const commit = async (resource: string, id: string) => {
    const record = recordOf(resource, id);
    const stage = stageOnDay(resource, record, '2026-11-14', world.embedded.config.rules);
    const more = { key: { source: 'main', resource, id }, stage, nextMoment: '2026-11-16T00:00:00.000Z' };
    const before = Object.fromEntries(CHANGES.map(({ field, from }) => [field, from]));
    for (const [version, fields] of [before, {}].entries()) {
      const next = snapshot(id, { ...more, record: { ...record, ...fields }, version: version + 1 });
      await snapshots.commit([{ snapshot: next, expected: version }]);
    }
  };
  const open = async (one: TidingsEvent, names: readonly string[], statuses: readonly DeliveryStatus[]) => {
    for (const name of names) {
      for (const status of statuses) {
        const dueAt = status === 'pending' || status === 'waiting' ? plus(NOON, 8 * HOUR) : null;
        const about = { id: `dlv_${name}_${one.id}_${status}`, ...(name === 'people' ? { person: 'main/1' } : {}) };
        const delivery = { ...openDelivery(one, name, one.time), ...about, status, dueAt };
        await world.api.events.record([{ event: one, deliveries: [delivery] }]);
      }
    }
  };

  await subscribe('mine', events ?? ['*'], ID);
  await subscribe('wide', ['*'], ID);
  await subscribe('people', events ?? ['*'], ID, { channel: 'email', settings: { to: 'assignees' } });
  const readable = RECORDS.filter((resource) => mayRead(key, `${resource}.*`));
  for (const resource of readable) await commit(resource, '1');
  // What is hidden was recorded before each event that is visible, and after the last one.
  for (let turn = 0; turn <= visible.length; turn += 1) {
    world.advance(1000);
    const [type, at] = [visible[turn], world.clock.now()];
    for (const other of hasMore ? hidden : []) {
      const one = eventOf(`hidden_${turn}_${other}`, other, at);
      await world.record(one);
      // A key without event types sees all deliveries of its own.
      await open(one, events === undefined ? HIDDEN : ['wide', ...HIDDEN], DELIVERY_STATUSES);
    }
    if (type === undefined) continue;
    const one = eventOf(`visible_${turn}`, type, at);
    await world.record(one);
    await open(one, OWN, ['settled', 'failed', 'pending']);
    if (hasMore) await open(one, HIDDEN, DELIVERY_STATUSES);
  }
  const reason = hasMore && !mayRead(key, 'source.*') ? 'hidden' : 'another one';
  const health = { id: 'main', name: 'main', state: 'unreachable', reason };
  const source = { key: { source: 'main', resource: 'source', id: 'main' }, record: health };
  await snapshots.commit([{ snapshot: snapshot('main', source), expected: 0 }]);
  const isMore = hasMore && !mayRead(key, 'person.*');
  const [muted, fullReason] = isMore ? [['ann@example.com'], 'hidden'] : [[], 'another one'];
  const failed = { state: 'failing', reason: 'a message to one person failed', fullReason, muted } as const;
  await changeHealth(world.api, 'people', 'person', (before) => ({ ...before, ...failed }));
  if (hasMore) {
    // With the scope operate it sees those whose event types are all within its own.
    await subscribe('a-hidden', [...(events ?? ['*']), hidden[0] ?? '*'], OTHER_KEY);
    await subscribe('hidden', ['*'], OTHER_KEY);
    await world.ask('POST', '/subscriptions/hidden/pause', {});
    for (const resource of RECORDS.filter((one) => !readable.includes(one))) {
      for (const id of ['1', '9']) await commit(resource, id);
      const lastError = { code: 'TIDINGS_SOURCE_HTTP', message: 'hidden' };
      await scanStates.save({ ...initialScanState('main', resource), version: 1, count: 123, failures: 7, lastError });
    }
    await world.makeKey(['read']);
  }
  bytes.reset();
  return world;
}

interface Request {
  readonly route: Route;
  readonly path: string;
  readonly body: unknown;
}

/** Values of the parameters of a path: what is visible, what is hidden, and what neither installation has. */
function valuesFor({ path, method }: Route, key: TriedKey): Readonly<Record<string, readonly string[]>> {
  const [, [hidden = '']] = typesFor(key);
  const events = ['evt_visible_0', `evt_hidden_0_${hidden}`, 'evt_nope'];
  const statuses = ['failed', 'pending', 'held'];
  const ids: Readonly<Record<string, readonly string[]>> = {
    events,
    records: ['1', '9'],
    keys: [ID, OTHER_KEY],
    deliveries: [
      'dlv_mine_evt_visible_0_failed',
      ...['wide', 'hidden'].flatMap((name) => statuses.map((status) => `dlv_${name}_${events[1]}_${status}`)),
    ].filter((id) => key.events !== undefined || !id.includes('wide')),
  };
  return {
    // Nothing sends mail here.
    name: path.startsWith('/sources')
      ? ['main', 'nope']
      : [...HIDDEN, 'nope', ...OWN.filter((name) => method === 'get' || name !== 'people')],
    resource: [...RECORDS, 'main%2Ftask'],
    id: ids[path.split('/')[1] ?? ''] ?? [],
  };
}

function fill(path: string, values: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  return name === undefined
    ? [path]
    : (values[name] ?? []).flatMap((value) => fill(path.replace(`{${name}}`, value), values));
}

/** What reads comes first, and what removes last. */
const ORDER = ['get', 'post', 'put', 'patch', 'delete'];

function requestsFor(key: TriedKey): readonly Request[] {
  const inOrder = routes.toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method));
  return inOrder.flatMap((route) => {
    const { operation, query } = route;
    const shape = (query as unknown as z.ZodObject | undefined)?.shape ?? {};
    const queries = new Set(['', ...(QUERIES[operation] ?? []), ...('limit' in shape ? ['?limit=1'] : [])]);
    return fill(route.path, valuesFor(route, key)).flatMap((path) => {
      const name = /^\/subscriptions\/([\w-]+)/.exec(path)?.[1] ?? 'hidden';
      const bodies = BODIES[operation]?.(name, 'evt_hidden_0_task.closed', receiver.url) ?? [];
      const named = operation === 'createSubscription' ? bodies.map((body) => ({ ...Object(body), name })) : [];
      return [...queries].flatMap((end) =>
        [...bodies, ...named].map((body) => ({ route, path: `${path}${end}`, body })),
      );
    });
  });
}

/** The answer without what may differ: the text of an encrypted cursor, and how many requests the receiver got before. */
function shownOf({ status, headers, body }: Answer): string {
  const text = JSON.stringify([status, Object.fromEntries(headers), body]);
  return text
    .replaceAll(/sealed_[\w-]+/g, ({ length }) => `cursor of ${length} characters`)
    .replaceAll(/req-\d+/g, 'req');
}

/** Around the first difference. */
function difference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(0, at - 150), at + 150);
  return `\n  without: …${around(a)}…\n  with:    …${around(b)}…`;
}

/** The answer, and the pages after it. */
async function send(world: ApiWorld, key: string, request: Request): Promise<string> {
  const { route, path, body } = request;
  const shown: string[] = [];
  for (let [at, page]: [string | undefined, number] = [path, 1]; at !== undefined && page <= MAX_PAGES; page += 1) {
    world.advance(1);
    const call = [route.method.toUpperCase(), at, body, { key }] as const;
    const answer: Answer =
      route.operation === 'testSubscription' ? await askWhilePumping(world, ...call) : await world.ask(...call);
    shown.push(shownOf(answer));
    const { next } = Object(answer.body) as { readonly next?: unknown };
    at = route.method === 'get' && typeof next === 'string' ? withCursor(path, next) : undefined;
  }
  return shown.join('\n');
}

const MAX_PAGES = 3;

const withCursor = (path: string, next: string) =>
  `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(next)}`;

describe('an installation that has more than a key may see', () => {
  it.each(KEYS.map((key) => [[...key.scopes, ...(key.events ?? ['of all'])].join(' '), key] as const))(
    'answers the key %s as one that has only what it may see',
    async (_, key) => {
      const [less, more] = [await startInstallation(key, false), await startInstallation(key, true)];
      const differences: string[] = [];
      for (const request of requestsFor(key)) {
        const { route, path, body } = request;
        const [a, b] = [await send(less, TOKEN, request), await send(more, TOKEN, request)];
        if (a !== b) differences.push(`${route.method} ${path} ${JSON.stringify(body) ?? ''}${difference(a, b)}`);
      }
      expect(differences.join('\n')).toBe('');
      expect([less.errors, more.errors]).toEqual([[], []]);
      await Promise.all([less.stop(), more.stop()]);
    },
  );

  it('answers those who see all differently, on each route that reads', async () => {
    const key: TriedKey = { scopes: ['operate'], events: ['task.closed'] };
    const [less, more] = [await startInstallation(key, false), await startInstallation(key, true)];
    const requests = requestsFor(key);
    expect(new Set(requests.map(({ route }) => route))).toEqual(new Set(routes));
    const alike = new Set(routes.filter(({ method }) => method === 'get').map(({ operation }) => operation));
    for (const request of requests.filter(({ route }) => alike.has(route.operation))) {
      const [a, b] = [await send(less, less.admin, request), await send(more, more.admin, request)];
      if (a !== b) alike.delete(request.route.operation);
    }
    // Those of a declared source are not shown.
    expect([...alike]).toEqual(['getSourceSettings']);
    await Promise.all([less.stop(), more.stop()]);
  });
});
