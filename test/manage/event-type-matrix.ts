/**
 * A key with event types, on every route: whatever it asks, no response and no message to its address contains data of
 * another type, and no subscription or delivery beyond its types changes. Each event type has a marker text of its own. The
 * same for the embedded mode and for the functions in AWS.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileGlob } from '../../core/filters/match.ts';
import type { Scope } from '../../core/model/api-key.ts';
import { type Delivery, openDelivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, type Instant, plus } from '../../core/model/time.ts';
import type { ApiPorts } from '../../manage/api/http/api-ports.ts';
import { routes } from '../../manage/api/routes.ts';
import { event, snapshot } from '../samples.ts';
import { BODIES, QUERIES, RESOURCES, TYPES } from './event-type-requests.ts';

/** What the matrix needs of an installation. */
export interface MatrixWorld {
  readonly receiver: { readonly url: string; readonly received: readonly { readonly path: string }[] };
  readonly stores: Pick<ApiPorts, 'subscriptions' | 'deliveries' | 'events'> & {
    readonly snapshots: Pick<ApiPorts['snapshots'], 'commit'>;
  };
  now(): Instant;
  makeKey(
    scopes: readonly Scope[],
    events?: readonly string[],
  ): Promise<{ readonly id: string; readonly token: string }>;
  /** Makes a request, by default with the scope admin. With `isSettled` all that it causes to be sent is sent. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    options?: { readonly key?: string; readonly isSettled?: boolean },
    // biome-ignore lint/suspicious/noExplicitAny: the body of any route
  ): Promise<{ readonly status: number; readonly body: any }>;
  /** Sends all that is due. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export interface TriedKey {
  readonly scopes: readonly Scope[];
  /** @default - all, but for a key that only subscribes none about subscriptions of others */
  readonly events?: readonly string[];
}

export const KEYS: readonly TriedKey[] = [
  // The second pattern covers the name of the source.
  { scopes: ['read'], events: ['invoice.*', 'm*'] },
  { scopes: ['subscribe'] },
  { scopes: ['subscribe'], events: ['invoice.*'] },
  { scopes: ['operate'], events: ['invoice.*'] },
  { scopes: ['read', 'subscribe'], events: ['task.closed'] },
  { scopes: ['operate'], events: ['task.closed'] },
];

/** `MARK_task_closed`: in the data of every event of this type. */
const markOf = (type: string) => `MARK_${type.replace('.', '_')}`;
/** In the current record of a resource. */
const recordMarkOf = (resource: string) => `MARK_${resource}_record`;

/** The secrets of each subscription of the test, which no response and no receiver but its own may get. */
const SECRETS = { header: 'MARK_secret_header', bearer: 'MARK_secret_bearer' };

/** The marker texts that a key must never get. */
function forbiddenMarks({ events: globs }: TriedKey): readonly string[] {
  if (globs === undefined) return [markOf('subscription.failing')];
  const isWithin = (type: string) => globs.some((glob) => compileGlob(glob)(type));
  return [
    ...TYPES.filter((type) => !isWithin(type)).map(markOf),
    ...['task', 'invoice'].filter((resource) => !isWithin(`${resource}.*`)).map(recordMarkOf),
  ];
}

/** What the path names, and how it relates to the key. */
export interface Subject {
  readonly label: string;
  readonly own: boolean;
  readonly events: readonly string[];
  /** Types of its deliveries, sent later, held and failed. */
  readonly deliveries: readonly string[];
}

function subjectsFor({ events: globs }: TriedKey): readonly Subject[] {
  if (globs === undefined) {
    return [true, false].map((own) => ({ label: 'within', own, events: ['*'], deliveries: ['task.closed'] }));
  }
  const outside = TYPES.filter((type) => !globs.some((glob) => compileGlob(glob)(type)));
  const inside = TYPES.filter((type) => !outside.includes(type));
  const events = [...globs];
  return [true, false].flatMap((own): Subject[] => [
    { label: 'within', own, events, deliveries: inside },
    // It had other event types before: what waits is beyond the key.
    { label: 'narrowed', own, events, deliveries: outside },
    { label: 'mixed', own, events, deliveries: TYPES },
    // An operator gave it more event types.
    { label: 'beyond', own, events: ['*'], deliveries: TYPES },
  ]);
}

/** Records an event of each type, and a record of each resource with a moment ahead. */
export async function recordMarked({ stores, now }: MatrixWorld): Promise<readonly TidingsEvent[]> {
  const recorded = TYPES.map((type) =>
    event(type.replace('.', '_'), {
      type,
      time: now(),
      subject: `${type.split('.')[0]}/1`,
      data: { ...event('x').data, record: { id: '1', title: markOf(type) } },
    }),
  );
  for (const one of recorded) await stores.events.record([{ event: one, deliveries: [] }]);
  for (const resource of ['task', 'invoice']) {
    const title = recordMarkOf(resource);
    const datedue = plus(now(), 2 * DAY).slice(0, 10);
    const record = { id: '1', title, datedue, statusname: 'Open', status: 'Open', dateclosed: null };
    const nextMoment = `${datedue}T00:00:00.000Z`;
    const stored = snapshot('1', { key: { source: 'main', resource, id: '1' }, record, nextMoment });
    await stores.snapshots.commit([{ snapshot: stored, expected: 0 }]);
  }
  return recorded;
}

let number = 0;

/** A paused subscription with a delivery of each type and status, whose receiver got nothing yet. */
export async function arrange(
  { ask, stores, receiver, now }: MatrixWorld,
  recorded: readonly TidingsEvent[],
  { own, events, deliveries }: Subject,
  owner: string,
) {
  number += 1;
  const suffix = number;
  const name = `sub-${suffix}`;
  const url = receiver.url.replace('/hook', `/victim-${suffix}`);
  const auth = { bearer: SECRETS.bearer };
  const headers = { 'x-api-key': SECRETS.header };
  const { status, body } = await ask('POST', '/subscriptions', { name, url, events, headers, auth, active: false });
  const saved = await stores.subscriptions.get(name);
  if (saved === undefined) throw new Error(`${name} was not made: ${status} ${JSON.stringify(body)}`);
  const stored: Subscription = { ...saved, owner: own ? owner : 'another' };
  await stores.subscriptions.save(stored);
  const ofType = recorded.filter(({ type }) => deliveries.includes(type));
  const made: readonly Delivery[] = ofType.flatMap((one) =>
    (['waiting', 'pending', 'held', 'failed'] as const).map((status) => ({
      ...openDelivery(one, name, now()),
      id: `dlv_${status}_${one.type.replace('.', '_')}_${suffix}`,
      status,
      dueAt: status === 'held' || status === 'failed' ? null : plus(now(), DAY),
    })),
  );
  const announcements = ofType.map((one) => ({
    event: one,
    deliveries: made.filter(({ events: [id] }) => id === one.id),
  }));
  await stores.events.record(announcements);
  return { name, stored, made, secret: String(body.secret) };
}

interface MatrixOptions {
  readonly keys: readonly TriedKey[];
  /** Which subjects are tried on a route. @default - all */
  readonly isTried?: (subject: Subject, operation: string) => boolean;
}

export function describeEventTypeMatrix(
  start: () => Promise<MatrixWorld>,
  { keys, isTried = () => true }: MatrixOptions,
): void {
  let world: MatrixWorld;
  let recorded: readonly TidingsEvent[];

  beforeAll(async () => {
    world = await start();
    recorded = await recordMarked(world);
    // Lists have subscriptions and deliveries of others, whatever was tried before.
    for (const key of keys)
      for (const subject of subjectsFor(key)) await arrange(world, recorded, { ...subject, own: false }, '');
  }, 120_000);
  afterAll(async () => {
    await world.stop();
  });

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

  describe.each(keys.map((key) => [[...key.scopes, ...(key.events ?? ['of all'])].join(' '), key] as const))(
    '%s',
    (_, key) => {
      it.each(routes.map((route) => [route.operation, route] as const))('%s', async (operation, { method, path }) => {
        const { id: owner, token } = await world.makeKey(key.scopes, key.events);
        const marks = forbiddenMarks(key);
        const attackerPath = `/attacker-${owner}`;
        const isOfSubject = /\{name\}|deliveries/.test(path) && !path.startsWith('/sources');
        const expectNoLeak = (what: string, hidden: readonly string[]) => {
          const sent = JSON.stringify(world.receiver.received.filter(({ path: at }) => at === attackerPath));
          expect([what, hidden.filter((mark) => sent.includes(mark))]).toEqual([what, []]);
        };
        const [outside] = recorded.filter(({ data }) => marks.includes(String(data.record.title)));
        const subjects = isOfSubject
          ? subjectsFor(key).filter((one) => isTried(one, operation))
          : subjectsFor(key).slice(0, 1);
        for (const subject of subjects) {
          const attacker = world.receiver.url.replace('/hook', attackerPath);
          const count = BODIES[operation]?.('', '', '').length ?? 0;
          for (let index = 0; index < count; index += 1) {
            const { name, stored, made, secret } = await arrange(world, recorded, subject, owner);
            const hidden = [...marks, secret, ...Object.values(SECRETS)];
            const body = BODIES[operation]?.(name, outside?.id ?? '', attacker)[index];
            const ids = path.startsWith('/deliveries') ? made.map(({ id }) => id) : recorded.map(({ id }) => id);
            const targets = path.includes('{id}') ? ids : [''];
            for (const id of path.startsWith('/records') ? ['1'] : targets) {
              for (const query of QUERIES[operation] ?? ['']) {
                for (const resource of path.includes('{resource}') ? RESOURCES : ['']) {
                  const values: Readonly<Record<string, string>> = {
                    name: path.startsWith('/sources') ? 'main' : name,
                    id,
                    resource,
                  };
                  const url = path.replaceAll(/\{(\w+)\}/g, (__, part: string) => values[part] ?? '');
                  const options = { key: token, isSettled: true };
                  const answer = await world.ask(method.toUpperCase(), `${url}${query}`, body, options);
                  const text = JSON.stringify(answer.body ?? '');
                  const what = `${method} ${url}${query} ${JSON.stringify(body)} of ${subject.own ? 'own' : 'foreign'} ${subject.label}`;
                  expect([what, hidden.filter((mark) => text.includes(mark))]).toEqual([what, []]);
                  // A cursor in plain text counts what is beyond the key.
                  const { next = null } = Object(answer.body) as { readonly next?: string | number | null };
                  if (typeof next === 'string') expect([what, next]).toEqual([what, expect.stringMatching(/^sealed_/)]);
                  expectNoLeak(what, hidden);
                }
              }
            }
            // A request that only reads is not settled by itself.
            if (method === 'get') await world.settle();
            expectNoLeak(operation, hidden);
            await expectUntouched(stored, made, subject, { operation, marks });
            // Every request reads all subscriptions: thousands of them would take most of the time.
            await world.stores.subscriptions.remove(name);
          }
        }
      });
    },
  );

  /** What is beyond the key stays as it is, and nothing is sent besides; its own subscriptions it may stop. */
  async function expectUntouched(
    stored: Subscription,
    made: readonly Delivery[],
    { label, own }: Subject,
    { operation, marks }: { readonly operation: string; readonly marks: readonly string[] },
  ) {
    if (own && ['deleteSubscription', 'pauseSubscription'].includes(operation)) return;
    const beyond = new Set(recorded.flatMap(({ id, data }) => (marks.includes(String(data.record.title)) ? [id] : [])));
    const { deliveries, subscriptions } = world.stores;
    for (const { id, status, dueAt, events } of made) {
      if (!events.some((one) => beyond.has(one))) continue;
      const now = await deliveries.get(id);
      expect([operation, label, id, now?.status, now?.dueAt]).toEqual([operation, label, id, status, dueAt]);
    }
    if (label === 'within') return;
    expect([operation, label, await subscriptions.get(stored.name)]).toEqual([operation, label, stored]);
    const page = await deliveries.page({ subscription: stored.name, limit: 100 });
    expect([operation, label, page.deliveries.length]).toEqual([operation, label, made.length]);
  }
}
