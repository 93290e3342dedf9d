/**
 * The stores behind the management API, as far as the API shows them: commands that read work as with a data directory. What it
 * does not show fails with an error. The client makes changes.
 */

import { HEALTHY, type Health, healthKey, toRecord } from '../core/delivery/receivers/health.ts';
import type { Delivery } from '../core/model/delivery.ts';
import { UsageError } from '../core/model/errors.ts';
import { OWN_SOURCE, type TidingsEvent } from '../core/model/event.ts';
import type { Fields, RecordKey } from '../core/model/record.ts';
import { initialScanState, type ScanState } from '../core/model/scan.ts';
import type { Snapshot } from '../core/model/snapshot.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { DeliveryQuery, DeliveryStore } from '../core/ports/delivery-store.ts';
import type { EventStore } from '../core/ports/event-store.ts';
import type { SnapshotStore } from '../core/ports/snapshot-store.ts';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';
import { SOURCE_RESOURCE } from '../core/source/health.ts';
import { type Subscription as SubscriptionView, TidingsApiError, type TidingsClient } from '../kit/client.ts';
import type { SourceStatus } from '../runtime/inspect/status.ts';
import type { PlacedStores } from './place.ts';

/** The most that the API returns at once. */
const PAGE_SIZE = 200;

export function apiStores(client: TidingsClient): PlacedStores {
  const views = new Map<string, SubscriptionView>();
  const readView = async (name: string) => {
    const found = views.get(name) ?? (await unlessMissing(client.getSubscription(name)));
    if (found !== undefined) views.set(name, found);
    return found;
  };
  const subscriptions: Partial<SubscriptionStore> = {
    get: async (name) => fromView(await readView(name)),
    list: async () => {
      for await (const view of client.iterateSubscriptions({ limit: PAGE_SIZE })) views.set(view.name, view);
      return [...views.values()].flatMap((view) => fromView(view) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
  const sources = once(async () => (await client.listSources()).data as unknown as readonly SourceStatus[]);
  const stores: Partial<PlacedStores> = {
    events: partial<EventStore>(eventStore(client)),
    deliveries: partial<DeliveryStore>(deliveryStore(client, subscriptions)),
    subscriptions: partial<SubscriptionStore>(subscriptions),
    snapshots: partial<SnapshotStore>({
      get: async (key) => {
        if (key.source === OWN_SOURCE && key.resource === healthKey('').resource)
          return healthSnapshot(key, await readView(key.id));
        if (key.resource === SOURCE_RESOURCE) return sourceSnapshot(key, await sources());
        return unsupported();
      },
    }),
    scanStates: partial<PlacedStores['scanStates']>({
      get: async (source, resource) => scanStateOf(await sources(), source, resource),
    }),
    client,
    addressOf: ({ name }) => views.get(name)?.address ?? name,
    close: () => {},
  };
  return partial<PlacedStores>(stores, ['history', 'consoleUrl', 'identify']);
}

/** An object whose other methods throw when they are called. @param optional properties that may be missing */
function partial<Whole extends object>(part: Partial<Whole>, optional: readonly string[] = []): Whole {
  return new Proxy(part, {
    get(target, name) {
      if (name in target || typeof name === 'symbol' || name === 'then' || optional.includes(name))
        return Reflect.get(target, name);
      // A store or one of its methods.
      return new Proxy(unsupported, { get: () => unsupported });
    },
  }) as Whole;
}

function unsupported(): never {
  const message = 'not available with --api: the API does not show this; run it where the data is';
  throw new UsageError('TIDINGS_API_UNSUPPORTED', message);
}

function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= read();
    return value;
  };
}

async function unlessMissing<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof TidingsApiError && error.status === 404) return undefined;
    throw error;
  }
}

function eventStore(client: TidingsClient): Partial<EventStore> {
  const get = async (id: string) => (await unlessMissing(client.getEvent(id)))?.event as TidingsEvent | undefined;
  return {
    get,
    getMany: async (ids) => {
      const found: TidingsEvent[] = [];
      for (const id of ids) found.push(...[await get(id)].filter((event) => event !== undefined));
      return found;
    },
    list: async ({ limit, since, until, subject, types, first = 'oldest', after }) => {
      const [type] = types ?? [];
      const { data, next, more } = await client.listEvents({
        limit: Math.min(limit, PAGE_SIZE),
        order: first,
        ...(since === undefined || since === '' ? {} : { since }),
        ...(until === undefined ? {} : { until }),
        ...(subject === undefined ? {} : { subject }),
        ...(types?.length === 1 && type !== undefined ? { type } : {}),
        ...(after === undefined ? {} : { after }),
      });
      return { events: data as unknown as readonly TidingsEvent[], cursor: next ?? undefined, more };
    },
  };
}

function deliveryStore(client: TidingsClient, subscriptions: Partial<SubscriptionStore>): Partial<DeliveryStore> {
  const list = async ({ status, subscription, limit }: DeliveryQuery): Promise<Delivery[]> => {
    const query = { limit: Math.min(limit, PAGE_SIZE), ...(status === undefined ? {} : { status }) };
    const found: Delivery[] = [];
    const pages =
      subscription === undefined
        ? client.iterateDeliveries(query)
        : client.iterateSubscriptionDeliveries(subscription, query);
    for await (const delivery of pages) if (found.push(delivery as Delivery) >= limit) break;
    return found.reverse();
  };
  return {
    get: (id) => unlessMissing(client.getDelivery(id)) as Promise<Delivery | undefined>,
    // Each request reads one event: several at a time would exceed the rate of the key.
    listByEvent: inTurn(async (id) => ((await unlessMissing(client.getEvent(id)))?.deliveries ?? []) as Delivery[]),
    list: async (query) => {
      try {
        return await list(query);
      } catch (error) {
        // A removed subscription has no deliveries that the API can list by its name.
        if (error instanceof TidingsApiError && error.status === 404) return [];
        if (!(error instanceof TidingsApiError) || error.status !== 403 || query.subscription !== undefined)
          throw error;
        // A key with event types reads those of each of its subscriptions.
        const all: Delivery[] = [];
        for (const { name } of (await subscriptions.list?.()) ?? [])
          all.push(...(await list({ ...query, subscription: name })));
        return all.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).slice(-query.limit);
      }
    },
  };
}

/** Calls wait for those before them. */
function inTurn<Argument, Result>(work: (given: Argument) => Promise<Result>): (given: Argument) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (given) => {
    const result = last.then(() => work(given));
    last = result.catch(() => {});
    return result;
  };
}

/** Without secrets, which the API does not show. */
function fromView(view: SubscriptionView | undefined): Subscription | undefined {
  if (view === undefined) return undefined;
  const { name, events, where, to, declared, bothSecretsUntil } = view;
  const [[channel, settings] = ['http', {}]] = Object.entries(to);
  return {
    name,
    events,
    declared,
    ...(where === undefined ? {} : { where: where as Subscription['where'] }),
    to: { channel, settings },
    ...(bothSecretsUntil === null
      ? {}
      : { rotation: { secret: '', replaces: '', previous: '', until: bothSecretsUntil } }),
  } as Subscription;
}

function healthSnapshot(key: RecordKey, view: SubscriptionView | undefined): Snapshot | undefined {
  if (view === undefined) return undefined;
  const { state, reason, failingSince, pausedUntil } = view;
  const circuit = pausedUntil === null ? null : { failures: 1, failedAt: failingSince ?? '', pausedUntil, probe: null };
  const health: Health = { ...HEALTHY, state, reason, failingSince, circuit };
  return snapshot(key, toRecord(key.id, health));
}

function sourceSnapshot(key: RecordKey, sources: readonly SourceStatus[]): Snapshot | undefined {
  const source = sources.find((one) => one.source === key.id);
  return source === undefined
    ? undefined
    : snapshot(key, { id: key.id, timeZone: source.timeZone, state: source.state });
}

function snapshot(key: RecordKey, record: Fields): Snapshot {
  return {
    key,
    version: 1,
    record,
    stage: {},
    deletedAt: null,
    committedAt: '',
    cause: 'poll',
    occurred: { after: null, before: '' },
    nextMoment: null,
  };
}

/** What commands show of it. */
function scanStateOf(sources: readonly SourceStatus[], source: string, resource: string): ScanState | undefined {
  const status = sources.find((one) => one.source === source)?.resources.find((one) => one.resource === resource);
  if (status === undefined) return undefined;
  const { lastGoodScanAt, lastSweepAt, lastError, count } = status;
  const known = { lastGoodScanAt, lastSweepAt, lastError, count, baselinedAt: lastSweepAt };
  return { ...initialScanState(source, resource), ...known };
}
