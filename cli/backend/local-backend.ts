/** The commands' operations on the stores of a data directory or of a stack in AWS. */

import { randomBytes } from 'node:crypto';
import { describeReceiver } from '../../adapters/channels/registry.ts';
import { isLiteralSecret } from '../../adapters/secrets/local-secrets.ts';
import { pauseOf } from '../../core/delivery/receivers/health.ts';
import { readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { retryAll, retryNow } from '../../core/delivery/retry.ts';
import { newSigningSecret, receiverSecretOf, signingKey } from '../../core/delivery/signing/sign.ts';
import { isMuted } from '../../core/delivery/signing/unsubscribe.ts';
import { sayEvent } from '../../core/events/catalogue.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { SECOND } from '../../core/model/time.ts';
import { createKnownZoneLookup } from '../../core/source/account/known-zone.ts';
import { setReaderWanted } from '../../core/subscriptions/readers.ts';
import { type RotateResult, rotateSubscription, sayTooManySecrets } from '../../core/subscriptions/rotate.ts';
import { pauseSubscription, removeSubscription, resumeSubscription } from '../../core/subscriptions/verbs.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { createKey, listKeys, removeKey, removeSubscriptionsOf } from '../../manage/api/keys.ts';
import { viewDeliveries } from '../../manage/api/view-delivery.ts';
import type { Config } from '../../runtime/config/config.ts';
import { explain } from '../../runtime/inspect/explain.ts';
import { forecastMessages } from '../../runtime/inspect/forecast-messages.ts';
import { openStores } from '../../runtime/inspect/open-stores.ts';
import { findPeopleWithoutAddress } from '../../runtime/inspect/people-without-address.ts';
import { preview } from '../../runtime/inspect/preview.ts';
import { getSourceStatuses, getSubscriptionStatuses } from '../../runtime/inspect/status.ts';
import type { Stores } from '../../runtime/inspect/stores.ts';
import { withStoredSources } from '../../runtime/stored-sources.ts';
import { createZoneLookup } from '../../runtime/zones.ts';
import { type Context, DEFAULT_CONFIG, type Location } from '../context.ts';
import { operatorOf, recordCommand, verbPorts } from '../operator.ts';
import type {
  Backend,
  DeliveryOperations,
  KeyOperations,
  ListedSubscription,
  SubscriptionOperations,
} from './backend.ts';
import { listLocally } from './list-locally.ts';
import type { SourceOperations } from './source-operations.ts';

/** The name of a source that the config does not name. */
const DEFAULT_SOURCE = 'main';

interface Local {
  readonly location: Location;
  readonly context: Context;
  /** Opens the stores at the first call. @param make whether to make a data directory that does not exist */
  readonly open: (make?: boolean) => Promise<Stores>;
}

export function localBackend(location: Location, context: Context): Backend & { close(): Promise<void> } {
  let opened: Promise<Stores> | undefined;
  const open = (make = false) => {
    opened ??= openStores(location, { ...context, make });
    return opened;
  };
  const local: Local = { location, context, open };
  const { clock, environment } = context;
  // Before the stores are opened: a mistake in it is reported even if there are no data yet. Few operations load the loader.
  const readDeclared = async () => {
    const { loadConfigFor } = await import('../load-config.ts');
    return loadConfigFor({ ...location, config: location.config ?? DEFAULT_CONFIG }, environment);
  };
  /** With the sources that are kept in the data. */
  const readConfig = async (make = false) => {
    const config = withStoredSources(await readDeclared(), await (await open(make)).storedSources.list());
    if (location.aws === undefined) return config;
    const { asInAws } = await import('../load-config.ts');
    return { ...config, sources: config.sources.map(asInAws) };
  };
  return {
    subscriptions: subscriptionOperations(local),
    deliveries: deliveryOperations(local),
    events: {
      get: async (id) => (await open()).events.get(id),
      list: async (query) => (await open()).events.list(query),
    },
    keys: keyOperations(local),
    sources: sourceOperations({ ...local, readConfig }),
    pollEvery: location.aws === undefined ? SECOND / 2 : 2 * SECOND,
    customEvents: async () => (location.config === undefined ? [] : (await readDeclared()).customEvents),
    readZone: async () => {
      // The stored zone of the source that has the default name needs no config, which may have mistakes.
      const stored = await createKnownZoneLookup([], (await open()).snapshots)(DEFAULT_SOURCE);
      if (stored !== undefined) return stored;
      const sources = await readConfig().then(
        (config) => config.sources,
        () => [],
      );
      return createZoneLookup(sources, (await open()).snapshots)(sources[0]?.name ?? DEFAULT_SOURCE);
    },
    zoneOf: async (source) => createZoneLookup([], (await open()).snapshots)(source),
    explain: async (subject) => {
      const config = await readConfig();
      return explain({ ...(await open()), clock }, config, subject);
    },
    preview: async (period, now) => {
      const config = await readConfig();
      const stores = await open();
      const { transitions, subscriptions, events, ...result } = await preview(stores, config, period, now);
      const previewed = { ...result, events, transitions, subscriptions };
      return {
        ...result,
        events: events.map((one) => ({ ...one, line: sayEvent(one.event) })),
        messages: await forecastMessages(stores, previewed, now),
      };
    },
    getStatus: async (now) => {
      const config = await readConfig();
      const stores = await open();
      return {
        sources: await getSourceStatuses(stores, config, now),
        unusedSources: config.unusedSources ?? [],
        subscriptions: await getSubscriptionStatuses(stores, now),
        withoutAddress: await findPeopleWithoutAddress(stores, config),
      };
    },
    listSources: async () => listLocally(await readConfig(), await open()),
    close: async () => (await opened)?.close(),
  };
}

/** The checks of a source take longer to load than everything else. */
function sourceOperations(
  local: Local & { readonly readConfig: (make?: boolean) => Promise<Config> },
): SourceOperations {
  const load = async () => (await import('./source-operations.ts')).localSourceOperations(local);
  return {
    add: async (...given) => (await load()).add(...given),
    change: async (...given) => (await load()).change(...given),
    show: async (name) => (await load()).show(name),
    remove: async (name) => (await load()).remove(name),
  };
}

function subscriptionOperations(local: Local): SubscriptionOperations {
  const { location, context, open } = local;
  const { clock } = context;
  const author = operatorOf(context);
  const openPorts = async () => verbPorts(await open(), context);
  const describe = async (subscription: Subscription): Promise<ListedSubscription> => {
    const { name, events, where, declared, owner, madeBy, rotation, to } = subscription;
    const stored = await readHealth(await open(), name);
    const pause = pauseOf(stored, clock.now());
    const health = { ...stored, reason: stored.fullReason ?? stored.reason };
    const address = describeReceiver(subscription);
    return { name, events, where, declared, owner, madeBy, rotation, channel: to.channel, address, health, pause };
  };
  return {
    list: async () => Promise.all((await (await open()).subscriptions.list()).map(describe)),
    get: async (name) => {
      const subscription = await (await open()).subscriptions.get(name);
      return subscription && describe(subscription);
    },
    // The config and the embedded mode take longer to load than everything else.
    add: async (file, query) => {
      const { addLocally } = await import('./add-locally.ts');
      return addLocally(file, query, { location, context, open: () => open(true) });
    },
    lend: async (temporary) => {
      const { lendLocally } = await import('./lend-locally.ts');
      await lendLocally(temporary, { location, context, open: () => open(true) });
      return temporary.secret;
    },
    extend: async (name, expiresAt) => {
      const { extendLocally } = await import('./lend-locally.ts');
      return extendLocally(name, expiresAt, { location, context, open });
    },
    pause: async (name) => void (await pauseSubscription(await openPorts(), author, name)),
    resume: async (name) => resumeSubscription(await openPorts(), author, name),
    remove: async (name) => removeSubscription(await openPorts(), author, name),
    resubscribe: async (name, address) => {
      const ports = await openPorts();
      const { muted } = await readHealth(ports, name);
      if (!isMuted(muted, address)) throw notUnsubscribed(name, address, muted);
      await setReaderWanted(ports, author, { subscription: name, address }, true);
    },
    rotate: async (name, reference) => {
      const ports = await openPorts();
      const { secrets } = ports;
      if (reference !== undefined) signingKey(await secrets.resolve(reference));
      let secret = '';
      const keep = async (current: string) => {
        const isLiteral = reference !== undefined && isLiteralSecret(reference);
        const given = isLiteral ? secrets.keepLiteral?.(reference) : reference;
        if (given !== undefined) return given;
        // One that cannot be read any more is replaced by HMAC.
        const text = await secrets.resolve(current).catch(() => '');
        secret = newSigningSecret(randomBytes(32), text.startsWith('whsk_') ? 'v1a' : 'v1');
        return secrets.keep(name, secret);
      };
      const result = await rotateSubscription(ports, author, name, keep);
      if (result.kind !== 'rotated') throw rotationError(name, result.kind);
      const stored = { storedAt: result.secret, until: result.until };
      if (reference === undefined) return { ...stored, secret: receiverSecretOf(secret) };
      if (location.aws === undefined) return stored;
      return { ...stored, note: 'deliver can read it only if the config or moreSecrets of the stack lists it' };
    },
    test: async (name, type) => {
      const { testLocally } = await import('./send-locally.ts');
      return testLocally(name, type, local);
    },
    replay: async (request, report) => {
      const { replayLocally } = await import('./send-locally.ts');
      return replayLocally(request, report, local);
    },
    getPause: async (name) => pauseOf(await readHealth(await open(), name), clock.now()),
  };
}

function notUnsubscribed(name: string, address: string, muted: readonly string[]): UsageError {
  const expected = muted.length === 0 ? 'nobody has' : `expected one of ${muted.join(', ')}`;
  return new UsageError('TIDINGS_READER_UNKNOWN', `'${address}' has not unsubscribed from '${name}': ${expected}`);
}

function rotationError(name: string, kind: Exclude<RotateResult['kind'], 'rotated'>): UsageError {
  switch (kind) {
    case 'missing':
      return new UsageError('TIDINGS_SUBSCRIPTION_UNKNOWN', `subscription '${name}' was removed in the meantime`);
    case 'changed':
      return new UsageError('TIDINGS_API_CHANGED', `the secret of '${name}' was changed in the meantime; try again`);
    case 'too-many':
      return new UsageError('TIDINGS_SUBSCRIPTION_ROTATIONS', sayTooManySecrets(name));
    case 'unsigned':
      return new UsageError(
        'TIDINGS_SUBSCRIPTION_UNSIGNED',
        `subscription '${name}' has no signing secret: only subscriptions with to.http are signed`,
      );
  }
}

function deliveryOperations({ context, open }: Local): DeliveryOperations {
  const { clock } = context;
  return {
    list: async (query) => {
      const stores = await open();
      // The stored zones of the sources: the config is not needed to list deliveries.
      const ports = { ...verbPorts(stores, context), config: { sources: [] } };
      return viewDeliveries(ports, operatorOf(context), await stores.deliveries.list(query));
    },
    get: async (id) => (await open()).deliveries.get(id),
    retry: async (id) => {
      const { deliveries, audit } = await open();
      const isRetried = await retryNow({ deliveries, clock }, id);
      if (isRetried) await recordCommand({ audit }, context, { action: 'delivery.retried', target: `delivery/${id}` });
      return isRetried;
    },
    retryAll: async (subscription) => {
      const { deliveries, audit } = await open();
      let count = 0;
      for (const status of ['failed', 'pending'] as const) {
        count += (await retryAll({ deliveries, clock }, { subscription, status })).count;
      }
      const details = { count, status: 'failed or pending' };
      const entry = { action: 'deliveries.retried', target: `subscription/${subscription}`, details };
      await recordCommand({ audit }, context, entry);
      return count;
    },
    countRetriable: async (subscription) => {
      const { deliveries } = await open();
      const counts = (['failed', 'pending'] as const).map((status) =>
        retryAll({ deliveries, clock }, { subscription, status, dryRun: true }),
      );
      return (await Promise.all(counts)).reduce((sum, { count }) => sum + count, 0);
    },
    countHeld: async (subscription) => {
      const { deliveries } = await open();
      return (await retryAll({ deliveries, clock }, { subscription, status: 'held', dryRun: true })).count;
    },
  };
}

function keyOperations({ context, open }: Local): KeyOperations {
  const author = operatorOf(context);
  const openPorts = async (make?: boolean) => verbPorts(await open(make), context);
  return {
    list: async () => (await listKeys(await open())).data,
    add: async (request) => createKey(await openPorts(true), author, request).catch(toUsageError),
    remove: async (id) => removeKey(await openPorts(), author, id).catch(toUsageError),
    removeSubscriptions: async (id) => removeSubscriptionsOf(await openPorts(), author, id).catch(toUsageError),
  };
}

function toUsageError(error: unknown): never {
  throw error instanceof Problem ? new UsageError(error.code, error.message) : error;
}
