/** Opens one generation of the service: its stores, its apps, and the loops that poll and deliver. */

import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import type { Database } from '../adapters/sqlite/database.ts';
import type { LaneTraffic } from '../core/delivery/lanes.ts';
import type { Clock } from '../core/model/time.ts';
import { manageApp } from '../manage/app.ts';
import { deferredApp } from '../manage/deferred-app.ts';
import type { ConfigInForce } from '../manage/health-report.ts';
import type { Config, Environment } from '../runtime/config/config.ts';
import { packConfig } from '../runtime/config/packed.ts';
import { combineWatchers } from '../runtime/embedded/combine-watchers.ts';
import { type Embedded, openEmbedded } from '../runtime/embedded/embedded.ts';
import type { Generation } from '../runtime/embedded/generations.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { serve } from '../runtime/embedded/serve.ts';
import type { ServiceMetrics } from '../runtime/embedded/service-metrics.ts';
import { createConfigReader } from '../runtime/stored-sources.ts';
import { systemClock } from '../runtime/system-clock.ts';
import type { ServedSlack } from './serve-slack.ts';
import { hasApi, hasConsole, isLoopback, isOwnName } from './served-parts.ts';
import type { ServiceLog } from './service-log.ts';
import { threadedApp } from './threaded-app.ts';
import { respondToErrors } from './threaded-server.ts';

/**
 * The lease holder, without a process id. Only one process at a time serves a data directory, so after a crash the next
 * one can take over the lease at once instead of waiting until it expires.
 */
const LEASE_HOLDER = 'serve';

/** Monitors get the same report within this time, however often they ask. */
export const MONITORED_EVERY_MS = 1000;

export interface LoadedConfig {
  readonly config: Config;
  readonly environment: Environment;
}

export interface ServiceGeneration extends Generation {
  readonly embedded: Embedded;
  readonly app: Hono;
  readonly servesApi: boolean;
  readonly servesConsole: boolean;
  /** @default - the config has no Slack app */
  readonly slack?: ServedSlack;
}

/** What all generations of a service share. */
export interface ServiceParts {
  /** The data directory. */
  readonly data: string;
  /** @default - the loopback address */
  readonly host?: string | undefined;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: ServiceLog;
  readonly metrics: ServiceMetrics;
  /** The attempts in flight. */
  readonly traffic: LaneTraffic;
  readonly configInForce: () => ConfigInForce;
  /** Warns of what works, and is probably not meant. */
  readonly warnAbout: (config: Config) => void;
  /** Wraps the watcher, to change what is printed. @default - a line for each attempt */
  readonly watch?: ((watcher: Watcher) => Watcher) | undefined;
}

export async function openGeneration(
  parts: ServiceParts,
  loaded: LoadedConfig,
  database: Database,
): Promise<ServiceGeneration> {
  const { host, clock, random, log, metrics, watch = (watcher) => watcher } = parts;
  const { traffic } = parts;
  const opening = { ...loaded, database, clock, holder: LEASE_HOLDER, random, usesThreads: true, traffic };
  const embedded = await openEmbedded(opening);
  const { config, scanStates, agenda, subscriptions, snapshots, secrets, unavailable } = embedded;
  const report = (error: unknown) => log.error('request failed', error);
  const { app: managed, close: closeManaged } = openManaged(parts, loaded, embedded, report);
  const api = hasApi(config, host) ? managed('/v1') : undefined;
  const console = hasConsole(config, host) ? managed('/console') : undefined;
  const slack = config.slack && (await import('./serve-slack.ts')).openServedSlack(embedded, LEASE_HOLDER, log);
  const app = manageApp({
    api,
    console,
    slack: slack?.app,
    scanStates,
    agenda,
    subscriptions,
    clock,
    sources: config.sources,
    startedAt: clock.now(),
    unavailable,
    configInForce: parts.configInForce,
    unsubscribe: config.manage && {
      snapshots,
      secrets,
      secret: config.manage.secret,
      trail: { audit: embedded.audit, randomBytes },
      requestLimiter: embedded.requestLimiter,
    },
    metrics: metrics.render,
    isOwnName: isLoopback(host) ? (name) => isOwnName(config, name) : undefined,
    freshMs: MONITORED_EVERY_MS,
  });
  respondToErrors(app, report);
  parts.warnAbout(config);
  const watcher = combineWatchers(watch(log.watch(config)), metrics.watcher);
  return {
    embedded,
    app,
    servesApi: api !== undefined,
    servesConsole: console !== undefined,
    slack,
    run: (signal, onDraining) =>
      serve(embedded, watcher, signal, { onDraining, ...(slack && { runTask: slack.runTask }) }),
    close: async () => {
      await closeManaged();
      await embedded.close();
    },
  };
}

interface ManagedApps {
  app(path: '/v1' | '/console'): Hono;
  close(): Promise<void>;
}

/** Their requests are answered by a thread of their own: whatever a caller asks for delays no poll and no delivery. */
function openManaged(
  { data, clock, log }: ServiceParts,
  loaded: LoadedConfig,
  embedded: Embedded,
  report: (error: unknown) => void,
): ManagedApps {
  if (clock === systemClock) {
    const threaded = threadedApp({
      data: { config: packConfig(loaded.config), environment: { ...loaded.environment }, data },
      written: (what) => embedded.signals[what].notify(),
      warn: log.warn,
      report,
    });
    return { app: () => threaded.app, close: threaded.close };
  }
  // A thread has no other clock than that of the machine.
  const readConfig = createConfigReader(loaded.config, embedded.storedSources, { clock });
  const options = { api: { ...embedded, readConfig, mode: 'embedded', randomBytes }, report } as const;
  const load = {
    '/v1': async () => (await import('../manage/management-api.ts')).openManagementApi(options),
    '/console': async () => (await import('../console/app.tsx')).consoleApp(options),
  };
  return { app: (path) => deferredApp(path, load[path]), close: async () => {} };
}
