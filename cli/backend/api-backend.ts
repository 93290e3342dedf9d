/** The commands' operations through the management API of a server elsewhere. */

import type { DeliveryResult } from '../../core/delivery/deliver.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { SECOND } from '../../core/model/time.ts';
import {
  type SubscriptionDeclaration,
  type Subscription as SubscriptionView,
  TidingsApiError,
  type TidingsClient,
} from '../../kit/client.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import type { SourceStatus } from '../../runtime/inspect/status.ts';
import type { Context, Location } from '../context.ts';
import { assertPeriodOrder } from '../options.ts';
import { explainThroughApi, unlessMissing } from './api-explanation.ts';
import { PAGE_SIZE, previewThroughApi } from './api-preview.ts';
import {
  type Backend,
  type DeliveryOperations,
  type EventReader,
  findSubscription,
  type KeyOperations,
  type ListedSource,
  type ListedSubscription,
  type SubscriptionOperations,
  toListedUnused,
} from './backend.ts';
import { selectEvents } from './select-events.ts';
import { apiSourceOperations } from './source-operations.ts';

export function apiBackend(client: TidingsClient, location: Location, context: Context): Backend {
  const events = eventReader(client);
  const subscriptions = subscriptionOperations(client, events, { location, context });
  // Its schema leaves open what a source has.
  const listSources = async () => {
    // A server of an earlier version names none.
    const { data, unused = [] } = await client.listSources();
    return { sources: data as unknown as readonly SourceStatus[], unused };
  };
  const readSources = async () => (await listSources()).sources;
  return {
    subscriptions,
    deliveries: deliveryOperations(client, subscriptions),
    events,
    keys: keyOperations(client),
    sources: apiSourceOperations(client),
    pollEvery: 2 * SECOND,
    customEvents: async () => [],
    // A key that may not read the sources still lists its own deliveries.
    readZone: () =>
      readSources().then(
        ([first]) => first?.timeZone ?? 'UTC',
        () => 'UTC',
      ),
    zoneOf: async (source) => (await readSources()).find((one) => one.source === source)?.timeZone ?? 'UTC',
    explain: async (subject) => explainThroughApi({ client, events }, await readSources(), subject),
    preview: async (period, now) => {
      if (period.from !== now) throw unsupported('--at');
      return previewThroughApi(client, await readSources(), period);
    },
    getStatus: async () => {
      const { sources, unused: unusedSources } = await listSources();
      const listed = (await subscriptions.list()).map(
        ({ name, health: { state, reason, failingSince, muted }, pause }) => ({
          name,
          state,
          reason,
          since: failingSince,
          pausedUntil: pause?.until ?? null,
          unsubscribed: muted,
        }),
      );
      return { sources, unusedSources, subscriptions: listed, withoutAddress: [] };
    },
    listSources: async () => {
      const { sources, unused } = await listSources();
      return [...sources.map(toListedSource), ...unused.map(toListedUnused)];
    },
  };
}

/** For what the API does not offer. */
function unsupported(what: string): UsageError {
  const message = `${what}: not available with --api; run it where the data is`;
  return new UsageError('TIDINGS_API_UNSUPPORTED', message);
}

function eventReader(client: TidingsClient): EventReader {
  return {
    // The envelope of the schema, with the data of the catalogue.
    get: async (id) => (await unlessMissing(client.getEvent(id)))?.event as TidingsEvent | undefined,
    list: async ({ limit, since, until, subject, types, after }) => {
      const [type] = types ?? [];
      const query = { limit: Math.min(limit, PAGE_SIZE), type, since, until, subject, after };
      const given = Object.entries(query).filter(([, value]) => value !== undefined);
      const { data, next, more } = await client.listEvents(Object.fromEntries(given));
      return { events: data as unknown as readonly TidingsEvent[], cursor: next ?? undefined, more };
    },
  };
}

function subscriptionOperations(
  client: TidingsClient,
  events: EventReader,
  { location, context }: { readonly location: Location; readonly context: Context },
): SubscriptionOperations {
  const { clock, environment } = context;
  const describe = (view: SubscriptionView) => toListed(view, clock.now());
  const get = async (name: string) => {
    const view = await unlessMissing(client.getSubscription(name));
    return view && describe(view);
  };
  const list = async () => {
    const listed: ListedSubscription[] = [];
    for await (const view of client.iterateSubscriptions({ limit: PAGE_SIZE })) listed.push(describe(view));
    return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  return {
    get,
    list,
    // The server checks it as a part of its own config. Variables in the file are those of this machine.
    add: async (file, query) => {
      const { loadApiAddition } = await import('../../runtime/config/load-subscription.ts');
      const { name, body } = loadApiAddition(file, environment, query);
      const view = await client.putSubscription(name, body as SubscriptionDeclaration);
      const isNew = 'secret' in view;
      const secret = isNew ? view.secret : null;
      const { events, address } = view;
      return { name, events, address, isNew, ...(secret !== null && { secret }), notes: [], warnings: [] };
    },
    lend: async ({ name, url, events, expiresAt }) => {
      await client.deleteSubscription(name);
      const { secret } = await client.createSubscription({ name, url, events: [...events], expiresAt });
      if (secret === null) throw new Error('the API made no signing secret');
      return secret;
    },
    extend: async (name, expiresAt) =>
      (await unlessMissing(client.patchSubscription(name, { expiresAt }))) !== undefined,
    pause: async (name) => void (await client.pauseSubscription(name)),
    resume: async (name) => {
      const held = await retryInSteps(client, { subscription: name, status: 'held', dryRun: true });
      await client.resumeSubscription(name);
      return held;
    },
    remove: async (name) => {
      await client.deleteSubscription(name);
      return undefined;
    },
    rotate: async (name, reference) => {
      if (reference !== undefined) throw unsupported('--secret');
      const { secret, bothSecretsUntil, bothUntil } = await client.rotateSubscription(name);
      // A server of version 1.0.0 has only the second name.
      return { secret, until: bothSecretsUntil ?? bothUntil };
    },
    resubscribe: async (name, address) => {
      await client.resubscribeReader(name, { address });
    },
    test: async (name, type) => {
      const { address } = await findSubscription({ get, list }, name);
      const { delivery, event } = await client.testSubscription(name, type === undefined ? {} : { type });
      const attempt = delivery.attempts.at(-1);
      if (attempt === undefined) return { address, delivery: delivery.id };
      const sent = (event === null ? [] : [event]) as unknown as DeliveryResult['events'];
      return { address, delivery: delivery.id, result: { delivery, attempt, events: sent } };
    },
    replay: async (request) => {
      if (request.to !== undefined) throw unsupported('--to');
      const subscription = await findSubscription({ get, list }, request.subscription);
      const now = clock.now();
      if (request.dryRun) {
        const planned = await selectEvents(events, subscription, request, { now, location });
        const { subscription: name, to: _, ...what } = request;
        const { messages } = await client.replaySubscription(name, what);
        return { kind: 'planned', events: planned, messages: messages ?? planned.length };
      }
      const { subscription: name, to: _, dryRun: __, ...selection } = request;
      if (request.since !== undefined) assertPeriodOrder(request.since, request.until ?? now);
      const { count } = await client.replaySubscription(name, selection);
      return { kind: 'queued', count, sender: 'the server' };
    },
    getPause: async (name) => (await get(name))?.pause ?? null,
  };
}

/** Without secrets, which the API does not show. */
function toListed(view: SubscriptionView, now: string): ListedSubscription {
  const { name, events, where, to, declared, bothSecretsUntil, address, state, reason, failingSince, pausedUntil } =
    view;
  const [channel = ''] = Object.keys(to);
  // A server of version 1.0.0 does not list them.
  const health = { state, reason, failingSince, pausedUntil, muted: view.unsubscribed ?? [] };
  return {
    name,
    events,
    declared,
    channel,
    address,
    ...(view.owner !== null && { owner: view.owner }),
    ...(where !== undefined && { where: where as Subscription['where'] }),
    ...(bothSecretsUntil !== null && { rotation: { until: bothSecretsUntil } }),
    health,
    pause: pausedUntil === null || pausedUntil <= now ? null : { until: pausedUntil, reason },
  };
}

function deliveryOperations(client: TidingsClient, subscriptions: SubscriptionOperations): DeliveryOperations {
  const list: DeliveryOperations['list'] = async ({ status, subscription, limit }) => {
    const query = { limit: Math.min(limit, PAGE_SIZE), ...(status !== undefined && { status }) };
    const deliveries: DeliveryView[] = [];
    const pages =
      subscription === undefined
        ? client.iterateDeliveries(query)
        : client.iterateSubscriptionDeliveries(subscription, query);
    for await (const delivery of pages) {
      // A server of version 1.0.0 does not show these.
      const { reader = null, wait = null, skipped = null } = delivery;
      if (deliveries.push({ ...delivery, reader, wait, skipped }) >= limit) break;
    }
    return deliveries.reverse();
  };
  return {
    list: async (query) => {
      try {
        return await list(query);
      } catch (error) {
        if (!(error instanceof TidingsApiError)) throw error;
        // A removed subscription has no deliveries that the API can list by its name.
        if (error.status === 404) return [];
        if (error.status !== 403 || query.subscription !== undefined) throw error;
        // A key with event types reads those of each of its subscriptions.
        const all: DeliveryView[] = [];
        for (const { name } of await subscriptions.list()) all.push(...(await list({ ...query, subscription: name })));
        return all.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).slice(-query.limit);
      }
    },
    get: (id) => unlessMissing(client.getDelivery(id)),
    retry: async (id) => {
      try {
        await client.retryDelivery(id);
        return true;
      } catch (error) {
        if (error instanceof TidingsApiError && (error.status === 404 || error.status === 409)) return false;
        throw error;
      }
    },
    retryAll: async (subscription) => {
      let count = 0;
      for (const status of ['failed', 'pending'] as const)
        count += await retryInSteps(client, { subscription, status });
      return count;
    },
    countRetriable: async (subscription) => {
      const counts = (['failed', 'pending'] as const).map((status) =>
        retryInSteps(client, { subscription, status, dryRun: true }),
      );
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    countHeld: (subscription) => retryInSteps(client, { subscription, status: 'held', dryRun: true }),
  };
}

type RetryRequest = Parameters<TidingsClient['retryDeliveries']>[0];

/** One call retries, or counts, a limited number. Returns the number of all. */
async function retryInSteps(client: TidingsClient, request: RetryRequest): Promise<number> {
  let count = 0;
  for (let position: number | null = 0; position !== null; ) {
    const step = await client.retryDeliveries({ ...request, ...(position > 0 && { position }) });
    count += step.count;
    // A service of an older version has no such field.
    position = step.next ?? null;
  }
  return count;
}

function keyOperations(client: TidingsClient): KeyOperations {
  return {
    list: async () => (await client.listKeys()).data,
    add: ({ name, scopes, events, expiresAt, quotas }) =>
      client.createKey({
        name,
        scopes: [...scopes],
        ...(events !== undefined && { events: [...events] }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(quotas !== undefined && { quotas }),
      }),
    remove: (id) => client.deleteKey(id),
    removeSubscriptions: async (id) => (await client.deleteKeySubscriptions(id)).removed,
  };
}

function toListedSource({ source, origin, baseUrl, account, resources }: SourceStatus): ListedSource {
  const counts = resources.flatMap(({ resource, count }) => (count === null ? [] : [[resource, count] as const]));
  return { source, origin, baseUrl, account, records: Object.fromEntries(counts.sort()), unused: null };
}
