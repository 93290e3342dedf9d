/**
 * A key with event types, on every route: whatever it asks, no response and no message to its address contains data of
 * another type, and no subscription or delivery beyond its types changes. Each event type has a marker text of its own.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileGlob } from '../../core/filters/match.ts';
import type { Scope } from '../../core/model/api-key.ts';
import { openDelivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { routes } from '../../manage/api/routes.ts';
import { event, NOON, SECRET, snapshot, subscription } from '../samples.ts';
import { type ApiWorld, startApiWorld } from './api-world.ts';

const KEYS: readonly { readonly scopes: readonly Scope[]; readonly events: readonly string[] }[] = [
  { scopes: ['read'], events: ['invoice.*'] },
  { scopes: ['subscribe'], events: ['invoice.*'] },
  { scopes: ['operate'], events: ['invoice.*'] },
  { scopes: ['read', 'subscribe'], events: ['task.closed'] },
  { scopes: ['operate'], events: ['task.closed'] },
];

const TYPES = ['task.closed', 'task.updated', 'invoice.paid', 'invoice.updated'];

/** `MARK_task_closed`: in the data of every event of this type. */
const markOf = (type: string) => `MARK_${type.replace('.', '_')}`;
/** In the current record of a resource. */
const recordMarkOf = (resource: string) => `MARK_${resource}_record`;

/** The marker texts that a key with these event types must never get. */
function forbiddenMarks(globs: readonly string[]): readonly string[] {
  const isWithin = (type: string) => globs.some((glob) => compileGlob(glob)(type));
  return [
    ...TYPES.filter((type) => !isWithin(type)).map(markOf),
    ...['task', 'invoice'].filter((resource) => !isWithin(`${resource}.*`)).map(recordMarkOf),
  ];
}

/** What the path names, and how it relates to the key. */
interface Subject {
  readonly label: string;
  readonly own: boolean;
  readonly events: readonly string[];
  /** Types of its deliveries, waiting and failed. */
  readonly deliveries: readonly string[];
}

function subjectsFor(globs: readonly string[]): readonly Subject[] {
  const outside = TYPES.filter((type) => !globs.some((glob) => compileGlob(glob)(type)));
  const inside = TYPES.filter((type) => !outside.includes(type));
  const events = [...globs];
  return [true, false].flatMap((own): Subject[] => [
    { label: 'within', own, events, deliveries: inside },
    // It had other event types before: what waits is beyond the key.
    { label: 'narrowed', own, events, deliveries: outside },
    // An operator gave it more event types.
    { label: 'beyond', own, events: ['*'], deliveries: TYPES },
  ]);
}

type Bodies = (name: string, outside: string, attacker: string) => readonly unknown[];
const none: Bodies = () => [undefined];
const asNew: Bodies = (_, __, url) => [
  { url, events: ['invoice.*'] },
  { url, events: ['task.closed'] },
  { url, events: ['*'] },
  { url, events: ['task.updated'], where: { type: [{ wildcard: '*' }] } },
  { url, query: 'task.updated' },
];

/** The requests that are tried on each route. A route without an entry fails the first test. */
const BODIES: Readonly<Record<string, Bodies>> = {
  listEventTypes: none,
  listEvents: none,
  countEvents: none,
  forecastEvents: none,
  countWaiting: none,
  getEvent: none,
  getRecord: none,
  testFilter: () => [{ events: ['*'] }, { events: ['task.*'] }, { query: 'task.updated' }, { event: 'invoice.paid' }],
  listSubscriptions: none,
  createSubscription: asNew,
  putSubscription: asNew,
  getSubscription: none,
  patchSubscription: (_, __, url) => [
    { url },
    { rate: '30/m' },
    { events: ['invoice.paid'], url },
    { events: ['*'], url },
    { active: true, url },
  ],
  deleteSubscription: none,
  testSubscription: () => [{}, ...TYPES.map((type) => ({ type }))],
  pauseSubscription: none,
  resumeSubscription: none,
  rotateSubscription: none,
  replaySubscription: (_, id) => [{ since: '2d' }, { since: '2d', type: '*' }, { event: id }],
  previewSubscription: () => [{}, { until: '400d' }],
  listSubscriptionDeliveries: none,
  listDeliveries: none,
  retryDeliveries: (name) => ['failed', 'held', 'pending'].map((status) => ({ subscription: name, status })),
  getDelivery: none,
  retryDelivery: none,
  listSources: none,
  getSource: none,
  scanSource: none,
  listKeys: none,
  getMe: none,
  createKey: () => [{ name: 'more', scopes: ['read'] }],
  deleteKey: none,
  listAudit: none,
};

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  listEvents: ['', '?type=*', '?type=task.updated', '?text=mark', '?order=newest', '?subject=task/1', '?limit=1'],
  forecastEvents: ['', '?until=400d'],
};

let world: ApiWorld;
let recorded: readonly TidingsEvent[];

beforeAll(async () => {
  world = await startApiWorld({
    config: { source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'UTC' } },
  });
  recorded = TYPES.map((type) =>
    event(type.replace('.', '_'), {
      type,
      subject: `${type.split('.')[0]}/1`,
      data: { ...event('x').data, record: { id: '1', title: markOf(type) } },
    }),
  );
  await world.record(...recorded);
  for (const resource of ['task', 'invoice']) {
    const title = recordMarkOf(resource);
    // A moment ahead, so that the forecast has something to show.
    const record = { id: '1', title, datedue: '2026-11-16', statusname: 'Open', status: 'Open', dateclosed: null };
    const nextMoment = '2026-11-16T00:00:00.000Z';
    const stored = snapshot('1', { key: { source: 'main', resource, id: '1' }, record, nextMoment });
    await world.api.snapshots.commit([{ snapshot: stored, expected: 0 }]);
  }
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

let number = 0;

/** A subscription with a delivery of each type and status, whose receiver got nothing yet. */
async function arrange({ own, events, deliveries }: Subject, owner: string) {
  number += 1;
  const suffix = number;
  const name = `sub-${suffix}`;
  const url = world.receiver.url.replace('/hook', `/victim-${suffix}`);
  const to = { channel: 'http', settings: { url, secret: SECRET } };
  const stored = subscription(name, { declared: false, owner: own ? owner : 'another', events, to });
  await world.api.subscriptions.save(stored);
  await world.ask('POST', `/subscriptions/${name}/pause`);
  const ofType = recorded.filter(({ type }) => deliveries.includes(type));
  const made = ofType.flatMap((one) =>
    (['held', 'failed'] as const).map((status) => ({
      ...openDelivery(one, name, NOON),
      id: `dlv_${status}_${one.type.replace('.', '_')}_${suffix}`,
      status,
      dueAt: null,
    })),
  );
  for (const one of ofType) {
    await world.api.events.record([{ event: one, deliveries: made.filter(({ events: [id] }) => id === one.id) }]);
  }
  return { name, stored, made };
}

/** Sends the request while the pipeline runs, so that tests and retries come to their end. */
async function askWhilePumping(...request: Parameters<ApiWorld['ask']>) {
  let isDone = false;
  const pumping = (async () => {
    while (!isDone) {
      await world.pump();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await world.pump();
  })();
  const answer = await world.ask(...request);
  isDone = true;
  await pumping;
  return answer;
}

describe('a key with event types', () => {
  it('would find the marker texts if it had none', async () => {
    const pages = await Promise.all(
      ['/events', '/records/task/1', '/records/invoice/1', '/forecast?until=30d'].map((path) => world.ask('GET', path)),
    );
    const text = JSON.stringify(pages);
    const all = [...TYPES.map(markOf), ...['task', 'invoice'].map(recordMarkOf)];
    expect(all.filter((mark) => !text.includes(mark))).toEqual([]);
    expect(JSON.stringify(pages[3])).toContain(recordMarkOf('task'));
  });

  it('is tried on every route', () => {
    expect(Object.keys(BODIES).sort()).toEqual(routes.map(({ operation }) => operation).sort());
  });

  describe.each(KEYS.map((key) => [`${key.scopes.join(' ')} ${key.events.join(' ')}`, key] as const))(
    '%s',
    (_, key) => {
      it.each(routes.map((route) => [route.operation, route] as const))('%s', async (operation, { method, path }) => {
        const { id: owner, token } = await world.makeKey(key.scopes, key.events);
        const marks = forbiddenMarks(key.events);
        const attackerPath = `/attacker-${owner}`;
        const isOfSubject = /\{name\}|deliveries/.test(path) && !path.startsWith('/sources');
        const [outside] = recorded.filter(({ data }) => marks.includes(String(data.record.title)));
        for (const subject of isOfSubject ? subjectsFor(key.events) : subjectsFor(key.events).slice(0, 1)) {
          const attacker = world.receiver.url.replace('/hook', attackerPath);
          const count = BODIES[operation]?.('', '', '').length ?? 0;
          for (let index = 0; index < count; index += 1) {
            const { name, stored, made } = await arrange(subject, owner);
            const body = BODIES[operation]?.(name, outside?.id ?? '', attacker)[index];
            const ids = path.startsWith('/deliveries') ? made.map(({ id }) => id) : recorded.map(({ id }) => id);
            const targets = path.includes('{id}') ? ids : [''];
            for (const id of path.startsWith('/records') ? ['1'] : targets) {
              for (const query of QUERIES[operation] ?? ['']) {
                for (const resource of path.includes('{resource}') ? ['task', 'invoice'] : ['']) {
                  const values: Readonly<Record<string, string>> = {
                    name: path.startsWith('/sources') ? 'main' : name,
                    id,
                    resource,
                  };
                  const url = path.replaceAll(/\{(\w+)\}/g, (__, part: string) => values[part] ?? '');
                  const answer = await askWhilePumping(method.toUpperCase(), `${url}${query}`, body, { key: token });
                  const text = JSON.stringify(answer.body ?? '');
                  const what = `${method} ${url}${query} ${JSON.stringify(body)} of ${subject.own ? 'own' : 'foreign'} ${subject.label}`;
                  expect([what, marks.filter((mark) => text.includes(mark))]).toEqual([what, []]);
                  const sent = world.receiver.received.filter(({ path: at }) => at === attackerPath);
                  expect([what, sent.flatMap((one) => marks.filter((mark) => one.body.includes(mark)))]).toEqual([
                    what,
                    [],
                  ]);
                }
              }
            }
            await expectUntouched(stored, made, subject, { operation, marks });
          }
        }
      });
    },
  );

  /** What is beyond the key stays as it is; its own subscriptions it may stop. */
  async function expectUntouched(
    stored: Subscription,
    made: readonly { readonly id: string; readonly status: string; readonly events: readonly string[] }[],
    { label, own }: Subject,
    { operation, marks }: { readonly operation: string; readonly marks: readonly string[] },
  ) {
    if (own && operation === 'deleteSubscription') return;
    const beyond = new Set(recorded.flatMap(({ id, data }) => (marks.includes(String(data.record.title)) ? [id] : [])));
    for (const { id, status, events } of made) {
      if (!events.some((one) => beyond.has(one))) continue;
      // An operator may remove a subscription of others to its own types, whatever waits.
      if (operation === 'deleteSubscription' && label === 'narrowed') continue;
      expect([operation, label, id, (await world.api.deliveries.get(id))?.status]).toEqual([
        operation,
        label,
        id,
        status,
      ]);
    }
    if (label === 'beyond') expect(await world.api.subscriptions.get(stored.name)).toEqual(stored);
  }

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
        arrange({ label: 'within', own: isOwn, events: ['invoice.paid'], deliveries: ['invoice.paid'] }, id),
      ),
    );
    for (const one of [own, foreign]) {
      const path = `/subscriptions/${one?.name}`;
      const page = await world.ask('GET', `${path}/deliveries`, undefined, { key: token });
      expect(page.body.data.map(({ status }: { status: string }) => status).sort()).toEqual(['failed', 'held']);
      expect((await world.ask('PATCH', path, { rate: '30/m' }, { key: token })).body.rate).toBe('30/m');
      expect((await world.ask('POST', `${path}/resume`, undefined, { key: token })).status).toBe(200);
      const retried = await world.ask('POST', '/deliveries/retry', { subscription: one?.name }, { key: token });
      expect(retried.body.count).toBe(1);
    }
  });

  it('may stop its own subscription that was given more event types, and not go on', async () => {
    const { id, token } = await world.makeKey(['subscribe'], ['invoice.*']);
    const { name } = await arrange({ label: 'beyond', own: true, events: ['*'], deliveries: TYPES }, id);
    const status = async (method: string, path: string) =>
      (await world.ask(method, `/subscriptions/${name}${path}`, undefined, { key: token })).status;
    expect([await status('POST', '/resume'), await status('POST', '/pause'), await status('DELETE', '')]).toEqual([
      403, 200, 204,
    ]);
  });
});
