/** Runs the embedded mode as a service: polls, delivers and serves the HTTP API until it is stopped, and reloads its config. */

import { randomBytes } from 'node:crypto';
import type { ServeLock } from '../adapters/sqlite/serve-lock.ts';
import { makeLogInLink } from '../console/log-in-link.ts';
import { createLaneTraffic } from '../core/delivery/lanes.ts';
import { errorMessage } from '../core/model/errors.ts';
import type { Clock } from '../core/model/time.ts';
import type { Caller } from '../manage/api/http/caller.ts';
import type { ConfigInForce } from '../manage/health-report.ts';
import type { Config } from '../runtime/config/config.ts';
import { assertSecretFiles } from '../runtime/embedded/assert-secret-files.ts';
import { openData } from '../runtime/embedded/data-directory.ts';
import type { Embedded } from '../runtime/embedded/embedded.ts';
import { runGenerations } from '../runtime/embedded/generations.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { openServiceMetrics } from '../runtime/embedded/service-metrics.ts';
import { createSignal } from '../runtime/embedded/signal.ts';
import { getSourceStatuses } from '../runtime/inspect/status.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import { describeConfig } from './describe-service.ts';
import { lockOrClose, openOrClose } from './open-service-data.ts';
import { isLoopback } from './served-parts.ts';
import { type LoadedConfig, MONITORED_EVERY_MS, openGeneration, type ServiceGeneration } from './service-generation.ts';
import { type LogFormat, openServiceLog } from './service-log.ts';
import { createSlackConnection } from './slack-connection.ts';
import { listenInThread } from './threaded-server.ts';
import { createWarner } from './warner.ts';
import { watchSources } from './watch-sources.ts';

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

/** @param load reads the config, at the start and for each reload */
export async function runService(
  load: () => LoadedConfig,
  options: ServiceOptions,
  context: ServiceContext,
): Promise<void> {
  const { data, port, host, watch } = options;
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
  const traffic = createLaneTraffic();
  const parts = { data, host, clock, random, log, metrics, traffic, configInForce: () => inForce, warnAbout, watch };

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
      const first = await openOrClose(database, (opened) => openGeneration(parts, loaded, opened));
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
              openGeneration(parts, next, opened),
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
