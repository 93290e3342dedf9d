/**
 * The embedded mode in a storm: `serve`, `once` and people at the command line, each a simulated process with its own connection
 * to the same SQLite file. Any port call may end a process. storm-embedded-checks.ts checks the outcome.
 */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { run } from '../../cli/program.ts';
import type { Clock } from '../../core/model/time.ts';
import { declareSubscriptions } from '../../core/subscriptions/declare.ts';
import { loadConfig } from '../../runtime/config/load.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { type Embedded, openEmbedded } from '../../runtime/embedded/embedded.ts';
import { once } from '../../runtime/embedded/once.ts';
import { serve } from '../../runtime/embedded/serve.ts';
import { narrate } from '../../runtime/terminal/narrate.ts';
import { terminal as openTerminal } from '../../runtime/terminal/terminal.ts';
import { mapStores } from '../map-stores.ts';
import type { SeededRandom } from './seeded-random.ts';
import { recordMessages, type SentMessage } from './storm-messages.ts';
import { ENDED, type FaultyProcess, faultyProcess } from './storm-process.ts';

export interface EmbeddedStormOptions {
  readonly folder: string;
  readonly chance: SeededRandom;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string>>;
}

class InjectedFault extends Error {
  override readonly name = 'InjectedFault';
}

/** Milliseconds of real time that `serve` runs for in one step. */
const MIN_SERVE_MS = 5;
const MAX_SERVE_MS = 60;

/** Milliseconds of real time for which a foreign lock lasts. */
const LOCK_MS = 30;

export function openEmbeddedStorm({ folder, chance, clock, environment }: EmbeddedStormOptions) {
  const data = join(folder, 'data');
  const configFile = join(folder, 'tidings.json');
  const rates = { faults: 0 };
  const injected = { faults: 0, ends: 0 };
  const messages: SentMessage[] = [];
  /** Errors that were not injected. */
  const broken: string[] = [];
  let text = '';
  const output = {
    write: (written: string) => {
      text += written;
    },
  };
  const terminal = openTerminal(output, output, {});
  const random = () => chance.unit();
  const faultError = () => new InjectedFault('injected by the test');

  /** Waits for a few microtasks, sometimes for a few milliseconds, so that processes interleave differently. */
  const idle = async () => {
    const luck = chance.unit();
    if (luck < 0.05) await sleep(luck * 60);
    else for (let left = Math.floor(luck * 12) - 6; left > 0; left--) await undefined;
  };

  /** Records an error unless it was injected. */
  const recordUnexpected = (who: string) => (error: unknown) => {
    if (!(error instanceof InjectedFault))
      broken.push(`${who}: ${error instanceof Error ? error.stack : String(error)}`);
    return ENDED;
  };

  async function start(holder: string) {
    const config = loadConfig(configFile, environment);
    const wired = await openEmbedded({ config, database: openData(data), environment, clock, holder, random });
    const notes = recordMessages(messages);
    const process = faultyProcess({ chance, rates, injected, faultError, idle, onFault: notes.markInterrupted });
    return { process, embedded: withFaults(wired, process, notes), close: () => wired.close() };
  }

  let serving: Awaited<ReturnType<typeof start>> | undefined;
  let isServing = false;

  /** Runs `serve` for a moment. Its process lives on across steps unless a fault ends it. */
  async function serveAwhile(longest = MAX_SERVE_MS): Promise<void> {
    if (isServing) return;
    isServing = true;
    serving ??= await start('serve');
    const { process, embedded } = serving;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), MIN_SERVE_MS + chance.unit() * (longest - MIN_SERVE_MS));
    const outcome = await process
      .run(serve(embedded, narrate(terminal, clock), stop.signal).then(() => undefined))
      .catch(recordUnexpected('serve'));
    clearTimeout(timer);
    stop.abort();
    if (outcome === ENDED) await endServing();
    isServing = false;
  }

  async function endServing(): Promise<void> {
    const ending = serving;
    serving = undefined;
    await ending?.close();
  }

  let count = 0;
  async function runOnce(): Promise<void> {
    count += 1;
    const { process, embedded, close } = await start(`once/${count}`);
    await process.run(once(embedded, { watcher: narrate(terminal, clock) })).catch(recordUnexpected('once'));
    await close();
  }

  /** A user at the command line, whose process may be killed as well. */
  async function person(act: (ports: ReturnType<typeof portsOf>) => Promise<unknown>): Promise<void> {
    const database = openData(data);
    const process = faultyProcess({ chance, rates, injected, faultError, idle });
    await process.run(act(portsOf(database, process))).catch(recordUnexpected('person'));
    database.close();
  }

  /** Applies the declared subscriptions as a start does; a fault may interrupt it. */
  const apply = () => person((ports) => declareSubscriptions(ports, loadConfig(configFile, environment).subscriptions));

  const portsOf = (database: ReturnType<typeof openData>, { watch }: FaultyProcess) => {
    const stores = sqliteStores(database);
    return {
      ...mapStores(stores, (store) => watch(store)),
      snapshots: watch(stores.snapshots, ['list', 'listOpen']),
      queue: watch(stores.queue),
      channels: channelRegistry,
      clock,
    };
  };

  /** Runs a command of the real command line. Returns its output and adds it to the common output. */
  async function command(...argv: readonly string[]): Promise<string> {
    const lines: string[] = [];
    const own = {
      ...terminal,
      out: (line: string) => {
        lines.push(line);
        terminal.out(line.startsWith('new secret') ? 'new secret' : line);
      },
    };
    const stop = new AbortController().signal;
    const where = ['--data', data, ...(NEED_CONFIG.has(argv[1] ?? '') ? ['--config', configFile] : [])];
    await run([...argv, ...where], '0.0.0', { terminal: own, environment, clock, pid: 1, random, stop });
    return lines.join('\n');
  }

  let isLocked = false;
  /** Another program locks the data file. All processes share a thread, so each that meets the lock waits longer than SQLite does. */
  async function lockDataFile(): Promise<void> {
    if (isLocked) return;
    isLocked = true;
    const foreign = new DatabaseSync(join(data, 'tidings.db'));
    foreign.exec('BEGIN EXCLUSIVE');
    await sleep(LOCK_MS);
    foreign.exec('ROLLBACK');
    foreign.close();
    isLocked = false;
  }

  return {
    data,
    configFile,
    injected,
    messages,
    broken,
    output: () => text,
    serveAwhile,
    once: runOnce,
    person,
    command,
    apply,
    lockDataFile,
    /** The config was changed: serve is stopped and started again. */
    async restart(): Promise<void> {
      if (!isServing) await endServing();
    },
    storm(faults: number): void {
      rates.faults = faults;
    },
    close: endServing,
  };
}

const NEED_CONFIG = new Set(['add', 'test']);

/** Wraps every port of a process, so that each call may fail or end the process. */
function withFaults(wired: Embedded, process: FaultyProcess, notes: ReturnType<typeof recordMessages>): Embedded {
  const { watch } = process;
  const stores = mapStores(wired, (store) => watch(store));
  const { finishJob, recordAndSend } = watch({ finishJob: wired.finishJob, recordAndSend: wired.recordAndSend });
  const snapshots = watch(wired.snapshots, ['list', 'listOpen']);
  return {
    ...wired,
    ...stores,
    ...notes.outcomes({ deliveries: stores.deliveries, finishJob }),
    recordAndSend,
    snapshots,
    feed: watch(wired.feed),
    queue: watch(wired.queue),
    zoneOf: (source) => process.call(() => wired.zoneOf(source)),
    channelFor: (target) => watch(notes.channel(wired.channelFor(target))),
    sources: new Map(
      [...wired.sources].map(([name, ports]) => [
        name,
        {
          ...ports,
          scanStates: stores.scanStates,
          leases: stores.leases,
          snapshots,
          manifests: watch(ports.manifests),
          api: watch(ports.api, ['requests', 'tokenDigest']),
        },
      ]),
    ),
  };
}
