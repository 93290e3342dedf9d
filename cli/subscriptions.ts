/** `tidings subscriptions`: who gets what, and how they are; adding, pausing, testing, rotating and removing them. */

import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { localSecrets } from '../adapters/secrets/local-secrets.ts';
import { sqliteLedger } from '../adapters/sqlite/ledger.ts';
import { sqliteSnapshotStore } from '../adapters/sqlite/snapshot-store.ts';
import type { Health } from '../core/delivery/health.ts';
import { pause, resume } from '../core/delivery/held.ts';
import { signingKey } from '../core/delivery/sign.ts';
import { readHealth } from '../core/delivery/subscription-state.ts';
import { UsageError } from '../core/model/errors.ts';
import { ROTATION_OVERLAP, type Subscription } from '../core/model/subscription.ts';
import { plus } from '../core/model/time.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { SnapshotStore } from '../core/ports/snapshot-store.ts';
import { rotated } from '../core/subscriptions/rotate.ts';
import { refuseBuses } from '../runtime/channels.ts';
import { loadAddition } from '../runtime/config/load-subscription.ts';
import { openData, openExistingData } from '../runtime/data-directory.ts';
import type { Context, ExitCode } from './context.ts';
import { findSubscription } from './find-subscription.ts';
import { sayTarget } from './narrate.ts';
import { configOption, dataOption, jsonOption } from './options.ts';
import { number, type Terminal, table } from './terminal.ts';
import { testCommand } from './test-subscription.ts';

interface Stores {
  readonly ledger: Ledger;
  readonly snapshots: SnapshotStore;
  /** Where the data is. */
  readonly directory: string;
}

export function subscriptionsCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const group = program
    .command('subscriptions')
    .summary('who gets what: list, add, pause, resume, test, rotate, remove');
  listCommand(group, context, exit);
  addCommand(group, context, exit);
  pauseCommand(group, context, exit);
  resumeCommand(group, context, exit);
  testCommand(group, context, exit);
  rotateCommand(group, context, exit);
  removeCommand(group, context, exit);
}

function listCommand(group: Command, { terminal }: Context, exit: (code: ExitCode) => void): void {
  group
    .command('list', { isDefault: true })
    .summary('all of them, with how they are and how much waits for them')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(async ({ data, json }: { data: string; json: boolean }) => {
      await withStores(data, async ({ ledger, snapshots }) => {
        const rows = await Promise.all(
          (await ledger.subscriptions()).map(async (subscription) => ({
            subscription,
            health: await readHealth({ snapshots }, subscription.name),
            waiting: await countOf(ledger, subscription.name),
          })),
        );
        if (json) for (const row of rows) terminal.out(JSON.stringify(toJson(row)));
        else print(rows, terminal);
      });
      exit(0);
    });
}

interface Row {
  readonly subscription: Subscription;
  readonly health: Health;
  readonly waiting: Readonly<Record<(typeof COUNTED)[number], number>>;
}

const COUNTED = ['waiting', 'pending', 'held', 'failed'] as const;

/** More than this is said as "1,000 and more": nobody needs it exactly, and counting all would read all. */
const MOST = 1000;

async function countOf(ledger: Ledger, subscription: string): Promise<Row['waiting']> {
  const counts = COUNTED.map(async (status) => {
    return [status, (await ledger.deliveries({ status, subscription, limit: MOST })).length] as const;
  });
  return Object.fromEntries(await Promise.all(counts)) as Row['waiting'];
}

/** Stable: programs read it. Secrets and the references to them stay out. */
function toJson({ subscription, health, waiting }: Row): object {
  const { name, events, where, to, declared, rotation } = subscription;
  return {
    name,
    events,
    ...(where === undefined ? {} : { where }),
    channel: Object.keys(to)[0],
    to: sayTarget(to),
    declared,
    ...(rotation === undefined ? {} : { rotation: { until: rotation.until } }),
    health,
    deliveries: waiting,
  };
}

function print(rows: readonly Row[], { out, paint }: Terminal): void {
  if (rows.length === 0) {
    out('no subscription yet: write one into the config, or add one with: tidings subscriptions add');
  }
  const marks = { ok: paint('green', '✔'), failing: paint('yellow', '✗'), disabled: paint('red', '✗'), paused: '‖' };
  const cells = rows.map(({ subscription: { name, events, to, declared }, health, waiting }) => [
    marks[health.state],
    name,
    health.state,
    sayTarget(to),
    events.join(', '),
    COUNTED.filter((status) => waiting[status] > 0)
      .map((status) => `${waiting[status]}${waiting[status] === MOST ? '+' : ''} ${status}`)
      .join(', '),
    [declared ? '' : 'added by hand', health.reason ?? ''].filter((part) => part !== '').join('; '),
  ]);
  for (const line of table(cells)) out(line);
}

function addCommand(group: Command, { terminal, environment }: Context, exit: (code: ExitCode) => void): void {
  group
    .command('add')
    .summary('add one beside those of the config')
    .description(
      'Adds the subscription of a file, in the words of the config, or replaces one that was added so before.',
    )
    .argument('<file>', 'YAML or JSON with one subscription: name, events, to and what else it says')
    .addOption(configOption())
    .addOption(dataOption())
    .action(async (file: string, { config, data }: { config: string; data: string }) => {
      const subscription = loadAddition(file, config, environment);
      refuseBuses([subscription], () => `${file}: `);
      const { name } = subscription;
      await withStores(
        data,
        async ({ ledger }) => {
          const known = await ledger.subscription(name);
          if (known?.declared === true) {
            throw new UsageError(
              'TIDINGS_SUBSCRIPTION_DECLARED',
              `subscription '${name}': the config declares it; change it there`,
            );
          }
          await ledger.saveSubscription(subscription);
          terminal.out(
            `${known === undefined ? 'added' : 'replaced'} ${name}: ${subscription.events.join(', ')} → ${sayTarget(subscription.to)}`,
          );
          terminal.out(`try it with: tidings subscriptions test ${name}`);
        },
        true,
      );
      exit(0);
    });
}

function pauseCommand(group: Command, { terminal, clock }: Context, exit: (code: ExitCode) => void): void {
  group
    .command('pause')
    .summary('send nothing for now; what comes up is held')
    .argument('<name>', 'the subscription')
    .addOption(dataOption())
    .action(async (name: string, { data }: { data: string }) => {
      await withStores(data, async ({ ledger, snapshots }) => {
        await findSubscription(ledger, name);
        await pause({ ledger, snapshots, clock }, name);
        terminal.out(`${name} is paused: what comes up is held until: tidings subscriptions resume ${name}`);
      });
      exit(0);
    });
}

function resumeCommand(group: Command, { terminal, clock }: Context, exit: (code: ExitCode) => void): void {
  group
    .command('resume')
    .summary('send again, what was held first; also for one that was disabled')
    .argument('<name>', 'the subscription')
    .addOption(dataOption())
    .action(async (name: string, { data }: { data: string }) => {
      await withStores(data, async ({ ledger, snapshots }) => {
        await findSubscription(ledger, name);
        const released = await resume({ ledger, snapshots, clock }, name);
        terminal.out(
          `${name} goes on; ${released === 0 ? 'nothing was held' : `${released === 1 ? '1 delivery' : `${number(released)} deliveries`} that waited go out with the next cycle`}`,
        );
      });
      exit(0);
    });
}

function rotateCommand(
  group: Command,
  { terminal, clock, environment }: Context,
  exit: (code: ExitCode) => void,
): void {
  group
    .command('rotate')
    .summary('change the signing secret; the old one signs too for a day')
    .description(
      'Makes a new signing secret, keeps it in a file of the data directory, and prints it once, for the receiver.\n' +
        'For 24 hours every request carries two signatures, so that the receiver can change over at any time.',
    )
    .argument('<name>', 'the subscription')
    .option('--secret <reference>', 'take this one: ${NAME} or file:PATH (default: a new one is made)')
    .addOption(dataOption())
    .action(async (name: string, { data, secret }: { data: string; secret?: string }) => {
      await withStores(data, async ({ ledger, directory }) => {
        const subscription = await findSubscription(ledger, name);
        if (!('http' in subscription.to)) {
          throw new UsageError(
            'TIDINGS_SUBSCRIPTION_UNSIGNED',
            `subscription '${name}': expected one to http, others are not signed`,
          );
        }
        const secrets = localSecrets({ environment, directory: join(directory, 'secrets') });
        const made = `whsec_${randomBytes(32).toString('base64')}`;
        if (secret !== undefined) signingKey(await secrets.resolve(secret));
        const reference = secret ?? (await secrets.keep(name, made));
        const now = clock.now();
        await ledger.saveSubscription(rotated(subscription, subscription.to.http, reference, now));
        if (secret === undefined) terminal.out(`new secret     ${made}`);
        terminal.out(`kept at        ${reference}`);
        terminal.out(
          `both sign until ${plus(now, ROTATION_OVERLAP).slice(0, 16).replace('T', ' ')} UTC: give the new one to the receiver by then`,
        );
      });
      exit(0);
    });
}

function removeCommand(group: Command, { terminal }: Context, exit: (code: ExitCode) => void): void {
  group
    .command('remove')
    .summary('remove one that was added by hand')
    .argument('<name>', 'the subscription')
    .addOption(dataOption())
    .action(async (name: string, { data }: { data: string }) => {
      await withStores(data, async ({ ledger }) => {
        const { declared } = await findSubscription(ledger, name);
        if (declared) {
          throw new UsageError(
            'TIDINGS_SUBSCRIPTION_DECLARED',
            `subscription '${name}': the config declares it; remove it there`,
          );
        }
        await ledger.removeSubscription(name);
        terminal.out(`removed ${name}`);
      });
      exit(0);
    });
}

/** `make`: also where there is no data yet. */
async function withStores(data: string, work: (stores: Stores) => Promise<void>, make = false): Promise<void> {
  const database = make ? openData(data) : openExistingData(data);
  try {
    await work({
      ledger: sqliteLedger(database),
      snapshots: sqliteSnapshotStore(database),
      directory: dirname(database.file),
    });
  } finally {
    database.close();
  }
}
