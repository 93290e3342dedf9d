/** `tidings serve`: runs the embedded mode until it is stopped. */

import type { Command } from 'commander';
import type { Database } from '../adapters/sqlite/database.ts';
import { lockForServing, type ServeLock } from '../adapters/sqlite/serve-lock.ts';
import { errorMessage } from '../core/model/errors.ts';
import { manageApp } from '../manage/app.ts';
import type { Config } from '../runtime/config/config.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { assertSecretFiles } from '../runtime/embedded/assert-secret-files.ts';
import { openData } from '../runtime/embedded/data-directory.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { serve } from '../runtime/embedded/serve.ts';
import { getSourceStatuses } from '../runtime/inspect/status.ts';
import type { Context, ExitCode } from './context.ts';
import { describeService } from './describe-service.ts';
import { narrate } from './narrate.ts';
import { configOption, dataOption, readPort } from './options.ts';
import { listen } from './serve-app.ts';

interface ServeFlags {
  readonly config: string;
  readonly data: string;
  readonly port: number;
}

export const DEFAULT_PORT = 4020;

/**
 * The lease holder, without a process id. Only one process at a time serves a data directory, so after a crash the next
 * one can take over the lease at once instead of waiting until it expires.
 */
const LEASE_HOLDER = 'serve';

export function serveCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('serve')
    .summary('run as a service, on the schedule of the config')
    .description(
      'Polls, announces and delivers until SIGTERM or Ctrl-C, then finishes the attempts in flight and exits.',
    )
    .addOption(configOption())
    .addOption(dataOption())
    .option('-p, --port <number>', 'local port for GET /health; 0 selects a free port', readPort, DEFAULT_PORT)
    .action(async (flags: ServeFlags) => {
      await runServe(loadConfig(flags.config, context.environment), flags, context);
      exit(0);
    });
}

export interface ServeOptions {
  readonly data: string;
  readonly port: number;
  /** Wraps the watcher, to change what is printed. @default - a line for each attempt */
  readonly watch?: (watcher: Watcher) => Watcher;
}

export async function runServe(config: Config, options: ServeOptions, context: Context): Promise<void> {
  const { data, port, watch = (watcher) => watcher } = options;
  const { terminal, environment, clock, pid, random, stop } = context;
  await assertSecretFiles(config);
  const database = openData(data, { report: terminal.err });
  const lock = lockOrClose(database, data, pid);
  try {
    const embedded = await openEmbedded({ config, database, environment, clock, holder: LEASE_HOLDER, random });
    const { scanStates, agenda, subscriptions, snapshots, secrets } = embedded;
    const { manage } = config;
    const app = manageApp({
      scanStates,
      agenda,
      subscriptions,
      clock,
      sources: config.sources,
      startedAt: clock.now(),
      unsubscribe: manage && { snapshots, secrets, secret: manage.secret },
    });
    // Without the path, which may contain an unsubscribe token.
    app.onError((error, page) => {
      terminal.err(`request failed: ${errorMessage(error)}`);
      return page.text('Something went wrong. Please try again in a moment.\n', 500);
    });
    const server = await listen(app.fetch, port, terminal);
    const now = clock.now();
    const sources = await getSourceStatuses(embedded, config, now);
    for (const line of describeService({ config, sources, data, url: server.url, now })) terminal.out(line);
    try {
      await serve(embedded, watch(narrate(terminal, clock, config.sources)), stop);
    } finally {
      await server.close();
      await embedded.close();
    }
    terminal.out('stopped; unfinished work resumes on next start');
  } finally {
    lock.release();
  }
}

function lockOrClose(database: Database, data: string, pid: number): ServeLock {
  try {
    return lockForServing(data, pid);
  } catch (error) {
    database.close();
    throw error;
  }
}
