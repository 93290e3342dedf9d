/** Runs the embedded mode as a service: polls, delivers and serves the HTTP API until it is stopped, and reloads its config. */

import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import type { Database } from '../adapters/sqlite/database.ts';
import type { ServeLock } from '../adapters/sqlite/serve-lock.ts';
import { makeLogInLink } from '../console/log-in-link.ts';
import { errorMessage } from '../core/model/errors.ts';
import type { Clock } from '../core/model/time.ts';
import type { Caller } from '../manage/api/http/caller.ts';
import { manageApp } from '../manage/app.ts';
import { deferredApp } from '../manage/deferred-app.ts';
import type { ConfigInForce } from '../manage/health-report.ts';
import type { Config, Environment } from '../runtime/config/config.ts';
import { packConfig } from '../runtime/config/packed.ts';
import { assertSecretFiles } from '../runtime/embedded/assert-secret-files.ts';
import { combineWatchers } from '../runtime/embedded/combine-watchers.ts';
import { openData } from '../runtime/embedded/data-directory.ts';
import { type Embedded, openEmbedded } from '../runtime/embedded/embedded.ts';
import { type Generation, runGenerations } from '../runtime/embedded/generations.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { serve } from '../runtime/embedded/serve.ts';
import { openServiceMetrics } from '../runtime/embedded/service-metrics.ts';
import { createSignal } from '../runtime/embedded/signal.ts';
import { getSourceStatuses } from '../runtime/inspect/status.ts';
import { createConfigReader } from '../runtime/stored-sources.ts';
import { systemClock } from '../runtime/system-clock.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import { describeConfig } from './describe-service.ts';
import { lockOrClose, openOrClose } from './open-service-data.ts';
import type { ServedSlack } from './serve-slack.ts';
import { hasApi, hasConsole, isLoopback, isOwnName } from './served-parts.ts';
import { type LogFormat, openServiceLog } from './service-log.ts';
import { createSlackConnection } from './slack-connection.ts';
import { threadedApp } from './threaded-app.ts';
import { listenInThread, respondToErrors } from './threaded-server.ts';
import { createWarner } from './warner.ts';
import { watchSources } from './watch-sources.ts';

/**
 * The lease holder, without a process id. Only one process at a time serves a data directory, so after a crash the next
 * one can take over the lease at once instead of waiting until it expires.
 */
const LEASE_HOLDER = 'serve';

export interface LoadedConfig {
  readonly config: Config;
  readonly environment: Environment;
}

/** What the service needs from its process. */
export interface ServiceContext {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly pid: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborts when the service is asked to stop. */
  readonly stop: AbortSignal;
  /**
   * Calls the listener when the service is asked to reload, until the returned function is called.
   * @default - it cannot be asked to reload
   */
  readonly onReload?: (listener: () => void) => () => void;
  readonly version: string;
  /** The person who starts the service: the log-in link of the console is theirs. */
  readonly operator: Caller;
}

export interface ServiceOptions {
  readonly data: string;
  readonly port: number;
  /** @default - the loopback address */
  readonly host?: string;
  /** @default text */
  readonly log?: LogFormat;
  /** Wraps the watcher, to change what is printed. @default - a line for each attempt */
  readonly watch?: (watcher: Watcher) => Watcher;
  /** Gets the log-in link of the console when the server listens. @default - the log prints it */
  readonly onConsole?: (link: string) => void;
  /** Gets the stores and ports of the service before it starts. @default - nothing else uses them */
  readonly onOpened?: (embedded: Embedded) => void;
}

interface ServiceGeneration extends Generation {
  readonly embedded: Embedded;
  readonly app: Hono;
  readonly servesApi: boolean;
  readonly servesConsole: boolean;
  /** @default - the config has no Slack app */
  readonly slack?: ServedSlack;
}

interface ManagedApps {
  app(path: '/v1' | '/console'): Hono;
  close(): Promise<void>;
}

/** Monitors get the same report within this time, however often they ask. */
const MONITORED_EVERY_MS = 1000;

/** @param load reads the config, at the start and for each reload */
export async function runService(
  load: () => LoadedConfig,
  options: ServiceOptions,
  context: ServiceContext,
): Promise<void> {
  const { data, port, host, watch = (watcher) => watcher } = options;
  const { terminal, clock, pid, random, stop, onReload, version, operator } = context;
  const log = openServiceLog(options.log ?? 'text', terminal, clock);
  const metrics = openServiceMetrics({ version, data, freshMs: MONITORED_EVERY_MS });
  const reloads = createSignal();
  let isReloadAsked = false;
  const removeListener = onReload?.(() => {
    isReloadAsked = true;
    reloads.notify();
  });
  const warnAbout = createWarner(log.warn);
  let inForce: ConfigInForce = { loadedAt: clock.now(), rejected: null };

  const openGeneration = async (loaded: LoadedConfig, database: Database): Promise<ServiceGeneration> => {
    const opening = { ...loaded, database, clock, holder: LEASE_HOLDER, random, rendersInThread: true };
    const embedded = await openEmbedded(opening);
    const { config } = embedded;
    const { scanStates, agenda, subscriptions, snapshots, secrets, unavailable } = embedded;
    const report = (error: unknown) => log.error('request failed', error);
    const { app: managed, close: closeManaged } = openManaged(loaded, data, embedded, report);
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
      configInForce: () => inForce,
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
    warnAbout(config);
    const watcher = combineWatchers(watch(log.watch(config)), metrics.watcher);
    return {
      embedded,
      app,
      servesApi: api !== undefined,
      servesConsole: console !== undefined,
      slack,
      run: (signal) => serve(embedded, watcher, signal, slack && { runTask: slack.runTask }),
      close: async () => {
        await closeManaged();
        await embedded.close();
      },
    };
  };

  /** Their requests are answered by a thread of their own: whatever a caller asks for delays no poll and no delivery. */
  const openManaged = (
    loaded: LoadedConfig,
    directory: string,
    embedded: Embedded,
    report: (error: unknown) => void,
  ): ManagedApps => {
    if (clock === systemClock) {
      const threaded = threadedApp({
        data: { config: packConfig(loaded.config), environment: { ...loaded.environment }, data: directory },
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
  };

  /** Returns a log-in link for the person who starts the service. */
  const publishConsole = (
    { manage }: Config,
    url: string,
    { embedded }: ServiceGeneration,
    lock: ServeLock,
  ): Promise<string> => {
    // An address such as 0.0.0.0 cannot be opened: the config names the one that people use.
    const base = isLoopback(host) ? url : (manage?.url ?? url);
    lock.publish(base);
    return makeLogInLink({ ...embedded, randomBytes }, operator, base);
  };

  try {
    let loaded = load();
    await assertSecretFiles(loaded.config);
    const database = openData(data, { report: log.warn });
    const lock = lockOrClose(database, data, pid);
    try {
      const first = await openOrClose(database, (opened) => openGeneration(loaded, opened));
      options.onOpened?.(first.embedded);
      let current = first;
      metrics.use(first.embedded);
      const fetch = (request: Request) => current.app.fetch(request);
      const server = await listenInThread({ fetch, port, host, warn: log.warn }).catch(async (error: unknown) => {
        await first.close();
        throw error;
      });
      const socket = createSlackConnection(log);
      try {
        socket.use(first.slack);
        const now = clock.now();
        const { config } = first.embedded;
        const sources = await getSourceStatuses(first.embedded, config, now);
        const link = first.servesConsole ? await publishConsole(config, server.url, first, lock) : undefined;
        log.started({
          config,
          sources,
          data,
          url: server.url,
          servesApi: first.servesApi,
          console: link,
          now,
        });
        if (link !== undefined) options.onConsole?.(link);
        const ended = new AbortController();
        const watching = watchSources({
          store: () => current.embedded.storedSources,
          from: first.embedded.sourcesRevision,
          onChange: reloads.notify,
          stop: AbortSignal.any([stop, ended.signal]),
        });
        // A changed source opens the next generation with the config that is in force, not with an edited file.
        let isReload = false;
        await runGenerations<ServiceGeneration>({
          first,
          reloads,
          stop,
          async openNext() {
            isReload = isReloadAsked;
            isReloadAsked = false;
            const next = isReload ? load() : loaded;
            if (isReload) await assertSecretFiles(next.config);
            const generation = await openOrClose(openData(data, { report: log.warn }), (opened) =>
              openGeneration(next, opened),
            );
            loaded = next;
            return generation;
          },
          onReplaced(next) {
            current = next;
            socket.use(next.slack);
            metrics.use(next.embedded);
            if (!isReload) {
              log.note(`sources changed: ${describeConfig(next.embedded.config)}`);
              return;
            }
            metrics.countReload('applied');
            inForce = { loadedAt: clock.now(), rejected: null };
            log.note(`config reloaded: ${describeConfig(next.embedded.config)}`);
          },
          onRejected(error) {
            if (!isReload) {
              log.error('the changed sources could not be opened, the previous ones stay in force', error);
              return;
            }
            metrics.countReload('rejected');
            inForce = { ...inForce, rejected: { at: clock.now(), message: errorMessage(error) } };
            log.error('reload refused, the previous config stays in force', error);
          },
        }).finally(() => ended.abort());
        await watching;
      } finally {
        await socket.close();
        await server.close();
      }
      log.note('stopped; unfinished work resumes on next start');
    } finally {
      lock.release();
    }
  } finally {
    removeListener?.();
  }
}
