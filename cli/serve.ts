/** `tidings serve`: the embedded mode, until it is asked to stop. */

import type { Command } from 'commander';
import { describeAddress } from '../adapters/channels/registry.ts';
import type { Database } from '../adapters/sqlite/database.ts';
import { lockForServing, type ServeLock } from '../adapters/sqlite/serve-lock.ts';
import { errorMessage } from '../core/model/errors.ts';
import { formatDuration } from '../core/model/time.ts';
import { manageApp } from '../manage/app.ts';
import type { Config } from '../runtime/config/config.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { openData } from '../runtime/embedded/data-directory.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { serve } from '../runtime/embedded/serve.ts';
import type { Context, ExitCode } from './context.ts';
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
 * Names the poller, without its process: only one serves a data directory at a time, so a lease under this name is its
 * own, or that of one that died. Named by process, a killed poll would be waited for until its lease has run out.
 */
const SERVING = 'serve';

export function serveCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('serve')
    .summary('run forever, on the config’s schedule')
    .description('Polls, announces and delivers until SIGTERM or Ctrl-C; then finishes the attempts in hand and exits.')
    .addOption(configOption())
    .addOption(dataOption())
    .option(
      '-p, --port <number>',
      'port on this machine for GET /health; 0 takes any that is free',
      readPort,
      DEFAULT_PORT,
    )
    .action(async (flags: ServeFlags) => {
      await runServe(loadConfig(flags.config, context.environment), flags, context);
      exit(0);
    });
}

export interface ServeOptions {
  readonly data: string;
  readonly port: number;
  /** Changes what is told of the work. @default - a line for each attempt */
  readonly watch?: (watcher: Watcher) => Watcher;
}

export async function runServe(config: Config, options: ServeOptions, context: Context): Promise<void> {
  const { data, port, watch = (watcher) => watcher } = options;
  const { terminal, environment, clock, pid, random, stop } = context;
  const database = openData(data);
  const lock = lockOrClose(database, data, pid);
  try {
    const embedded = await openEmbedded({ config, database, environment, clock, holder: SERVING, random });
    const polled = config.sources.flatMap(({ name, resources }) =>
      resources.map(({ resource }) => ({ source: name, resource: resource.name })),
    );
    const { scanStates, subscriptions, snapshots, secrets } = embedded;
    const { manage } = config;
    const app = manageApp({
      scanStates,
      subscriptions,
      resources: polled,
      ...(manage === undefined ? {} : { unsubscribe: { snapshots, clock, secrets, secret: manage.secret } }),
    });
    // In our words and in a line, without the path, which may hold a reader's own link.
    app.onError((error, page) => {
      terminal.err(`a page could not be shown: ${errorMessage(error)}`);
      return page.text('this cannot be shown just now: try again in a moment\n', 500);
    });
    const server = await listen(app.fetch, port, terminal);
    describeService(config, data, server.url, terminal.out);
    try {
      await serve(embedded, watch(narrate(terminal, clock)), stop);
    } finally {
      await server.close();
      await embedded.close();
    }
    terminal.out('stopped: what was not finished is taken up at the next start');
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

function describeService(config: Config, data: string, url: string, out: (line: string) => void): void {
  for (const { name, baseUrl, resources } of config.sources) {
    const read = resources.map(({ resource, cadence }) => `${resource.name} every ${formatDuration(cadence.every)}`);
    out(`source         ${name} at ${baseUrl}: ${read.join(', ')}`);
  }
  for (const { name, events, to } of config.subscriptions) {
    out(`subscription   ${name}: ${events.join(', ')} → ${describeAddress(to)}`);
  }
  out(`data           ${data}`);
  out(`health         ${url}/health`);
  if (config.subscriptions.length === 0) out('no subscription: events are recorded, nobody is told');
}
