/**
 * The truth run `crash`: `tidings serve` is killed repeatedly while an account is active and deliveries are made, then
 * left to settle. Kills and counts; the expected events follow from the account's journal and from the ledger.
 */

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { start, tidings } from '../e2e/command.ts';
import { SECRET } from '../samples.ts';
import { findBrokenChains, findMissingEvents } from './journal-checks.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

export interface CrashOptions {
  readonly seed: number;
  readonly kills: number;
  /** Milliseconds between two actions of people in the account. */
  readonly actionEveryMs: number;
  /** Maximum lifetime of a process in milliseconds. Start-up takes about 700 of them. */
  readonly maxLifeMs: number;
}

export interface CrashReport {
  readonly kills: number;
  /** Kills of a process that had finished its start-up. */
  readonly killsWhileRunning: number;
  readonly changes: number;
  readonly events: number;
  readonly deliveries: number;
  /** Requests that reached a receiver, and how many of them repeated an accepted event. */
  readonly arrivals: number;
  readonly repeated: number;
  /** Recorded events that did not arrive, and changes in the journal without an event. */
  readonly lost: readonly string[];
  /** Events that arrived but are not recorded, or arrived with different bodies under the same id. */
  readonly unexpected: readonly string[];
  /** Deliveries that did not settle. */
  readonly unsettled: readonly string[];
  readonly seconds: number;
}

const NAMES = ['steady', 'flaky'] as const;

export async function runCrash(options: CrashOptions): Promise<CrashReport> {
  const begun = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'tidings-crash-'));
  const { seed, actionEveryMs } = options;
  // The run advances the account's clock, so nothing changes before the first poll.
  const simulator = await startSimulator({ seed, life: actionEveryMs, tasks: 150, quota: 10_000_000, speed: 0 });
  const chance = seededRandom(seed);
  const sink = await openSink(chance);
  try {
    writeFileSync(join(folder, 'tidings.json'), JSON.stringify(configFor(simulator, sink)));
    const where = ['--config', join(folder, 'tidings.json'), '--data', join(folder, 'data')];
    const founding = initialIds(simulator);
    // The baseline sends no events.
    await mustSucceed(['once', ...where]);
    const living = keepActive(simulator, actionEveryMs);
    let killsWhileRunning = 0;
    for (let kill = 0; kill < options.kills; kill++) {
      if (await serveAndKill(where, chance.unit() * options.maxLifeMs)) killsWhileRunning += 1;
    }
    living.end();
    sink.isFlaky = false;
    await settle(where, join(folder, 'data', 'tidings.db'));
    return {
      kills: options.kills,
      killsWhileRunning,
      changes: simulator.account.journal.last,
      ...(await checkOutcome(simulator, sink, founding, join(folder, 'data', 'tidings.db'))),
      seconds: Math.round((performance.now() - begun) / 100) / 10,
    };
  } finally {
    await sink.close();
    await simulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function configFor(simulator: Simulator, sink: Sink): object {
  const rest = { every: '2s' };
  return {
    source: {
      baseUrl: simulator.url,
      token: simulator.tokens.Administrator[0],
      resources: {
        ...{ task: { every: '1s' }, invoice: { every: '1s' } },
        ...{ project: rest, client: rest, person: rest },
        ...Object.fromEntries(['expense', 'document', 'group', 'projectmodule'].map((name) => [name, 'off'])),
      },
      quota: { perMinute: 6000 },
    },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: NAMES.map((name) => ({
      name,
      events: ['*'],
      to: { http: { url: `${sink.url}/${name}`, secret: SECRET } },
    })),
  };
}

const RESOURCES = ['task', 'invoice', 'project', 'client', 'person'] as const;

/** Resource to the ids that existed before the first poll. */
function initialIds({ account }: Simulator): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(RESOURCES.map((name) => [name, new Set(account.list(name).map(({ id }) => String(id)))]));
}

function keepActive({ account }: Simulator, everyMs: number): { end(): void } {
  const timer = setInterval(() => {
    account.clock.set(Date.now());
    account.settle();
  }, everyMs);
  return { end: () => clearInterval(timer) };
}

/** Returns whether the process had finished its start-up. */
async function serveAndKill(where: readonly string[], after: number): Promise<boolean> {
  const child = start(['serve', ...where, '--port', '0']);
  const exited = once(child, 'exit');
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await sleep(after);
  child.kill('SIGKILL');
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL') throw new Error(`serve exited with ${code}: ${stderr}`);
  return stdout.includes('health');
}

/** Runs `once` at later and later instants until the agenda is empty, so that hours of retries pass in seconds. */
async function settle(where: readonly string[], file: string): Promise<void> {
  for (const minutes of [0, 4, 20, 80, 400, 1500, 3000, 4500, 6000]) {
    const at = new Date(Date.now() + minutes * 60_000).toISOString();
    await mustSucceed(['once', ...where, '--sweep', '--at', at]);
    const database = openDatabase(file);
    const left = await sqliteStores(database).agenda.due('9999', 1);
    database.close();
    // The lease of a killed process lasts two minutes, and a deletion right after an edit is proven after ten.
    if (left.length === 0 && minutes >= 20) return;
  }
}

async function mustSucceed(argv: readonly string[]): Promise<void> {
  const { code, stderr } = await tidings(argv);
  if (code !== 0) throw new Error(`tidings ${argv[0]} ended with ${code}: ${stderr}`);
}

interface Sink {
  readonly url: string;
  /** Accepted events by subscription, in order. */
  readonly accepted: ReadonlyMap<string, TidingsEvent[]>;
  /** Number of requests so far. */
  arrivals: number;
  isFlaky: boolean;
  close(): Promise<void>;
}

/** Both receivers on one port. `flaky` refuses some requests. Both respond slowly, so that kills hit attempts in flight. */
async function openSink(chance: SeededRandom): Promise<Sink> {
  const accepted = new Map<string, TidingsEvent[]>(NAMES.map((name) => [name, []]));
  const server: Server = createServer(async (request, response) => {
    const name = (request.url ?? '').slice(1);
    // The sender was killed during the request.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    sink.arrivals += 1;
    await sleep(chance.unit() * 40);
    if (sink.isFlaky && name === 'flaky' && chance.unit() < 0.15) {
      response.writeHead(500).end();
      return;
    }
    accepted.get(name)?.push(JSON.parse(body));
    response.writeHead(204).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const sink: Sink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    arrivals: 0,
    isFlaky: true,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return sink;
}

type Outcome = Omit<CrashReport, 'kills' | 'killsWhileRunning' | 'changes' | 'seconds'>;

async function checkOutcome(
  { account }: Simulator,
  sink: Sink,
  founding: ReadonlyMap<string, ReadonlySet<string>>,
  file: string,
): Promise<Outcome> {
  const database = openDatabase(file);
  const stores = sqliteStores(database);
  const { events } = await stores.events.list({ limit: 10_000_000 });
  const deliveries = await stores.deliveries.list({ limit: 10_000_000 });
  database.close();
  const bodies = new Map(events.map((event) => [event.id, JSON.stringify(event)]));
  const distinct = NAMES.map((name) => new Set(sink.accepted.get(name)?.map(({ id }) => id)));
  const arrived = NAMES.flatMap((name) => sink.accepted.get(name) ?? []);
  return {
    events: events.length,
    deliveries: deliveries.length,
    arrivals: sink.arrivals,
    repeated: arrived.length - distinct.reduce((sum, { size }) => sum + size, 0),
    lost: [
      ...NAMES.flatMap((name, at) =>
        events
          .filter(({ id, subject }) => subject !== `subscription/${name}` && distinct[at]?.has(id) !== true)
          .map(({ id, type, subject }) => `${name} never got ${id} ${type} ${subject}`),
      ),
      ...findMissingEvents(account.journal.read(), founding, events),
      ...findBrokenChains(events),
    ],
    unexpected: arrived
      .filter((event) => bodies.get(event.id) !== JSON.stringify(event))
      .map(({ id }) => (bodies.has(id) ? `${id} arrived with another body` : `${id} arrived and is not recorded`)),
    unsettled: deliveries
      .filter(({ status }) => status !== 'settled')
      .map(({ id, status, subscription }: Delivery) => `${subscription} ${id} is ${status}`),
  };
}
