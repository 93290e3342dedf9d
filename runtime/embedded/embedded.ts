/** Composes the embedded mode: SQLite for every store, HTTP to the API and to receivers, one process. */

import { randomBytes } from 'node:crypto';
import { channelRegistry, openChannels } from '../../adapters/channels/registry.ts';
import { createEventLoopPace, createWritePace } from '../../adapters/event-loop-pace.ts';
import { type HttpTransport, openHttpTransport } from '../../adapters/http/http-transport.ts';
import type { LocalSecrets } from '../../adapters/secrets/local-secrets.ts';
import type { MasterSecret } from '../../adapters/secrets/master-secret.ts';
import { sourceDefinition } from '../../adapters/sources/registry.ts';
import type { Database } from '../../adapters/sqlite/database.ts';
import { type SqliteStores, sqliteStores } from '../../adapters/sqlite/stores.ts';
import type { DeliverPorts } from '../../core/delivery/deliver.ts';
import { createLanes, type Lanes, type LaneTraffic } from '../../core/delivery/lanes.ts';
import type { TickPorts } from '../../core/delivery/tick.ts';
import type { AnnouncePorts } from '../../core/events/announce.ts';
import { customEventType } from '../../core/events/custom-events.ts';
import { divideSubscriptions } from '../../core/events/divided-subscriptions.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { type Clock, SECOND } from '../../core/model/time.ts';
import type { Channel } from '../../core/ports/channel.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { RequestLimiter } from '../../core/ports/request-limiter.ts';
import type { ScanStateStore } from '../../core/ports/scan-state-store.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { ChangeFeed, History } from '../../core/ports/snapshot-store.ts';
import { createKnownZoneLookup } from '../../core/source/account/known-zone.ts';
import type { PollPorts } from '../../core/source/poll-ports.ts';
import { declareSubscriptions } from '../../core/subscriptions/declare.ts';
import { describeDropCause, describeDropped } from '../../core/subscriptions/dropped-backlog.ts';
import { recordPause } from '../../core/subscriptions/record-pause.ts';
import { createGoneRemover } from '../../core/subscriptions/remove-gone.ts';
import { assertDeliverable } from '../channels.ts';
import type { Config, Environment, SourceConfig } from '../config/config.ts';
import { listInTurn } from '../list-in-turn.ts';
import { type OpenedSourceApi, openSourceApi } from '../open-source-api.ts';
import { withStoredSources } from '../stored-sources.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { assertSameAccounts, findSourcesToCheck } from '../verify-accounts.ts';
import { createZoneLookup } from '../zones.ts';
import { dataFileOf } from './data-directory.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { deleteUnusedLiterals, openServiceSecrets } from './open-data-secrets.ts';
import { referenceLiterals, referenceStoredLiterals } from './reference-literals.ts';
import { createSignal, type Signal } from './signal.ts';
import { threadedFilters } from './threaded-filters.ts';
import { threadedTemplates } from './threaded-templates.ts';
import { openServiceTracer } from './tracing.ts';
import { watchLimits } from './watch-limits.ts';

/**
 * Concurrent attempts over all subscriptions. Most of them wait for a receiver and cost a socket each; the limit is high
 * so that hanging receivers leave room for others.
 */
export const CONCURRENCY = 256;

export interface EmbeddedOptions {
  /** Sources that are kept in the data are added to it. */
  readonly config: Config;
  /** Closed by `close`. */
  readonly database: Database;
  /** The data directory with the secrets of the sources that are kept in the data. @default - that of the database */
  readonly secretsOf?: string;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Identifies this process as a lease holder. */
  readonly holder: string;
  /** Source of jitter, in [0, 1). */
  readonly random: () => number;
  /** Sends nothing: every message counts as accepted. @default false */
  readonly dryRun?: boolean;
  /**
   * When the accounts of the sources are compared with the stored ones: one request each. `before-poll`: only if requests are
   * due, or the config has another address or token, for a command that runs every minute. @default 'always'
   */
  readonly accountCheck?: 'always' | 'before-poll';
  /** Templates are rendered and costly filters tested in threads, so that they hold up no other work: for a long process. @default false */
  readonly usesThreads?: boolean;
  /** All resources are polled, due or not. @default false */
  readonly everything?: boolean;
  /** The attempts of the one before, which go on meanwhile. @default - there are none */
  readonly traffic?: LaneTraffic;
}

/** Notified by writes of this process. The loops find writes of other processes to the same file by polling. */
interface Signals {
  /** A snapshot was committed: there may be something to announce. */
  readonly changed: Signal;
  /** Jobs were put on the queue. */
  readonly queued: Signal;
}

/** All ports of the pipeline, and the stores of the management API. */
export interface Embedded
  extends TickPorts,
    AnnouncePorts,
    DeliverPorts,
    Pick<
      DatabaseStores,
      'apiKeys' | 'audit' | 'consolePasses' | 'idempotency' | 'keyUsage' | 'documents' | 'storedSources'
    > {
  readonly config: Config;
  /** Of the sources that are kept in the data, when they were read. */
  readonly sourcesRevision: number;
  /** Undefined while the zone of a source is unknown. */
  readonly knownZoneOf: (source: string) => Promise<string | undefined>;
  readonly requestLimiter: RequestLimiter;
  readonly scanStates: ScanStateStore;
  readonly feed: ChangeFeed;
  readonly history: History;
  /** Saves the delivery after an attempt and acknowledges its job, in one write. */
  readonly finishJob: SqliteStores['finishJob'];
  /** Hides the job of an attempt that takes long, so that no other process receives it. */
  readonly extendJob: SqliteStores['extendJob'];
  readonly keepAlive: NonNullable<DeliverPorts['keepAlive']>;
  readonly workload: SqliteStores['workload'];
  readonly unavailable: SqliteStores['unavailable'];
  /** Takes fresh jobs past the queue. */
  readonly inbox: Inbox;
  /** See `AnnouncePorts`. */
  readonly recordAndSend: NonNullable<AnnouncePorts['recordAndSend']>;
  readonly lanes: Lanes;
  readonly secrets: Secrets & MasterSecret;
  readonly http: HttpTransport;
  readonly signals: Signals;
  /** @default - nothing is traced */
  readonly tracer?: Tracer;
  /** The poll ports of each source, by name. */
  readonly sources: ReadonlyMap<string, PollPorts>;
  close(): Promise<void>;
}

/**
 * Opens all ports and applies the declared subscriptions. Throws GiveUp when a token cannot be resolved, and UsageError for
 * a subscription that only AWS can deliver, for mail without a server, and when the data belong to another account.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { database, environment, clock, holder, random, dryRun = false } = options;
  assertDeliverable(options.config, 'embedded');
  const secrets = openServiceSecrets(options.config, database, environment);
  const sourceSecrets =
    options.secretsOf === undefined
      ? secrets
      : openServiceSecrets(options.config, { ...database, file: dataFileOf(options.secretsOf) }, environment);
  const inbox = createInbox();
  const signals: Signals = { changed: createSignal(), queued: createSignal() };
  const stores = sqliteStores(database);
  // Before the list: a change in between is noticed.
  const sourcesRevision = await stores.storedSources.revision();
  const config = withStoredSources(options.config, await stores.storedSources.list());
  const { queue, manifests, scanStates, leases } = stores;
  const report = (message: string) => database.report(message);
  const tracer = dryRun ? undefined : openServiceTracer({ config, secrets, clock, report });
  const traced = tracer?.traceCommits(stores.snapshots) ?? stores.snapshots;
  const snapshots = {
    ...traced,
    listOpen: listInTurn(traced.listOpen),
    commit: notifyAfter(traced.commit, signals.changed),
  };
  const http = openHttpTransport({ allow: config.network.allow });
  const channels = openChannels({ config, secrets, http });
  const templates = options.usesThreads === true ? threadedTemplates(config.links) : undefined;
  const filters = options.usesThreads === true ? threadedFilters() : undefined;
  const ports = { ...stores, snapshots, clock, channels: channelRegistry, randomBytes };
  const applySubscriptions = async () => {
    const subscriptions = await storable(config, stores, database, secrets);
    const { moved, dropped } = await declareSubscriptions(ports, subscriptions);
    for (const { from, to, deliveries } of moved)
      database.report(`moved ${deliveries} deliveries of '${from}' to '${to}'`);
    for (const one of dropped) database.report(`dropped ${describeDropped(one)}: ${describeDropCause(one)}`);
    if (database.file !== ':memory:') await deleteUnusedLiterals(secrets, stores.subscriptions, clock.now());
  };
  const openApi = async (source: SourceConfig): Promise<OpenedSourceApi> => {
    const { kind, baseUrl, token, quota, stored } = source;
    // People add it while the service runs: a fault of one of them is its own, and does not keep the service from starting.
    if (stored !== undefined) return openSourceApi(source, sourceSecrets, random);
    const options = { baseUrl, token: await secrets.resolve(token), perMinute: quota.perMinute, random };
    return sourceDefinition(kind).open(options);
  };
  const openings = await Promise.allSettled(config.sources.map(openApi));
  const apis = new Map(
    config.sources.flatMap(({ name }, index) => {
      const opening = openings[index];
      return opening?.status === 'fulfilled' ? [[name, opening.value] as const] : [];
    }),
  );
  const close = async () => {
    const ofApis = [...apis.values()].map((api) => api.close());
    await Promise.all([channels.close(), templates?.close(), filters?.close(), tracer?.close(), ...ofApis]);
  };
  try {
    const failed = openings.find((opening) => opening.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    // Before the subscriptions of the config are applied and deliveries are sent.
    const apiOf = (name: string) => apis.get(name);
    // Those that are kept in the data are compared before each poll only.
    const declared = config.sources.filter(({ stored }) => stored === undefined);
    const checked =
      options.accountCheck === 'before-poll'
        ? await findSourcesToCheck(declared, { ...stores, clock }, apiOf, options.everything)
        : declared;
    await assertSameAccounts(checked, { ...stores, clock }, apiOf);
    await applySubscriptions();
  } catch (error) {
    // A service that reloads goes on after this.
    await close();
    throw error;
  }
  const limits = await watchLimits(stores.subscriptions, channelRegistry, () => performance.now());
  return {
    ...stores,
    config,
    sourcesRevision,
    queue: { ...queue, send: notifyAfter(queue.send, signals.queued) },
    inbox,
    recordAndSend: async (announcements, jobs, now, processed) => {
      const taken = await stores.recordAndTake(announcements, jobs, now, { take: inbox.options(), processed });
      inbox.put(taken);
      if (taken.length < jobs.length) signals.queued.notify();
    },
    findOwners: async (names) => {
      const { ownerOf } = divideSubscriptions(await stores.subscriptions.list());
      const owners = [...names].map((name) => [name, ownerOf(name)] as const);
      return new Map(owners.flatMap(([name, owner]) => (owner === undefined ? [] : [[name, owner]])));
    },
    betweenEvents: createEventLoopPace(),
    snapshots,
    feed: snapshots,
    history: snapshots,
    signals,
    lanes: createLanes(limits, CONCURRENCY, options.traffic),
    customEvents: config.customEvents.map(customEventType),
    zoneOf: createZoneLookup(config.sources, snapshots),
    knownZoneOf: createKnownZoneLookup(config.sources, snapshots),
    clock,
    random,
    keepAlive,
    channels: channelRegistry,
    removeGone: createGoneRemover({ ...ports, config }, createWritePace()),
    recordPause: (subscription, reason) => recordPause(ports, subscription, reason),
    pace: createEventLoopPace(),
    betweenPages: createEventLoopPace(),
    channelFor: (target) => {
      if (dryRun) return sendNothing;
      const channel = channels.channelFor(target);
      const rendering = templates === undefined ? channel : templates.channelWith(channel);
      return tracer === undefined ? rendering : tracer.traceRequests(rendering);
    },
    secrets,
    http,
    sources: new Map(
      [...apis].map(([name, api]) => [name, { api, snapshots, manifests, scanStates, leases, clock, holder }]),
    ),
    testFilters: filters?.test,
    ...(tracer === undefined ? {} : { tracer }),
    close: async () => {
      await close();
      database.close();
    },
  };
}

export function sourceNames({ config }: Pick<Embedded, 'config'>): readonly string[] {
  return config.sources.map(({ name }) => name);
}

/** The declared subscriptions without literal secrets. Also replaces those that earlier versions stored. */
async function storable(
  { subscriptions }: Config,
  stores: Pick<SqliteStores, 'subscriptions'>,
  { file }: Database,
  { keepLiteral }: LocalSecrets,
): Promise<readonly Subscription[]> {
  // Nothing is stored in memory.
  if (file === ':memory:') return subscriptions;
  await referenceStoredLiterals(stores.subscriptions, keepLiteral);
  return subscriptions.map((one) => referenceLiterals(one, keepLiteral));
}

/** Several times within the visibility of a job and within `QUEUE_GRACE`. Most attempts end before. */
const ALIVE_EVERY_MS = 20 * SECOND;

const keepAlive: Embedded['keepAlive'] = (renew) => {
  // A store that fails is noticed by the attempt itself.
  const timer = setInterval(() => void renew().catch(() => {}), ALIVE_EVERY_MS).unref();
  return () => clearInterval(timer);
};

const sendNothing: Channel = { send: async () => ({}) };

/** Notifies after the write, so that the woken loop finds it. */
function notifyAfter<A extends readonly unknown[], R>(write: (...args: A) => Promise<R>, signal: Signal) {
  return async (...args: A): Promise<R> => {
    const result = await write(...args);
    signal.notify();
    return result;
  };
}
