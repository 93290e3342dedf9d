/** `tidings subscriptions`: lists subscriptions with their health, and groups the commands that change them. */

import type { Command } from 'commander';
import { type Health, pauseOf } from '../core/delivery/receivers/health.ts';
import { readHealth } from '../core/delivery/receivers/subscription-state.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Instant } from '../core/model/time.ts';
import type { DeliveryStore } from '../core/ports/delivery-store.ts';
import { describeDropped } from '../core/subscriptions/declare.ts';
import { pauseSubscription, removeSubscription, resumeSubscription } from '../core/subscriptions/verbs.ts';
import { formatTimeUntil } from '../runtime/terminal/dates.ts';
import { pluralize, type Terminal, table } from '../runtime/terminal/terminal.ts';
import { addCommand } from './add-subscription.ts';
import type { Context, ExitCode } from './context.ts';
import { exportCommand } from './export-subscriptions.ts';
import { findSubscription } from './find-subscription.ts';
import { operatorOf, verbPorts } from './operator.ts';
import { awsOption, dataOption, jsonOption, placeFlags, rejectUnknownCommand, showDefaultOptions } from './options.ts';
import { apiOption, keyOption, type Place, type PlacedStores, withPlace } from './place.ts';
import { rotateCommand } from './rotate-subscription.ts';
import { shownState } from './shown-state.ts';
import { testCommand } from './test-subscription.ts';

export function subscriptionsCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const group = program
    .command('subscriptions')
    .summary('manage subscriptions: list, add, pause, resume, test, rotate, remove, export');
  showDefaultOptions(group);
  listCommand(group, context, exit);
  addCommand(group, context, exit);
  pauseCommand(group, context, exit);
  resumeCommand(group, context, exit);
  testCommand(group, context, exit);
  rotateCommand(group, context, exit);
  removeCommand(group, context, exit);
  exportCommand(group, context, exit);
}

function listCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  group
    .command('list', { isDefault: true })
    .summary('list subscriptions with their health and open deliveries')
    .allowExcessArguments()
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .addOption(jsonOption())
    .action(async ({ json, ...place }: Place & { readonly json: boolean }, list: Command) => {
      rejectUnknownCommand(list);
      await withPlace(place, context, async ({ subscriptions, deliveries, snapshots, addressOf, client }) => {
        const listed = await subscriptions.list();
        const counts = await countDeliveries(
          deliveries,
          listed.map(({ name }) => name),
        );
        const rows = await Promise.all(
          listed.map(async (subscription) => ({
            subscription,
            address: addressOf(subscription),
            health: await readHealth({ snapshots }, subscription.name),
            waiting: counts(subscription.name),
          })),
        );
        const healthOf =
          client === undefined ? ({ health }: Row) => health : ({ health }: Row) => visibleHealth(health);
        if (json) for (const row of rows) terminal.out(JSON.stringify(toJson(row, healthOf(row))));
        else print(rows, clock.now(), terminal);
      });
      exit(0);
    });
}

interface Row {
  readonly subscription: Subscription;
  readonly address: string;
  readonly health: Health;
  readonly waiting: Readonly<Record<(typeof COUNTED)[number], number>>;
}

const COUNTED = ['waiting', 'pending', 'held', 'failed'] as const;

/** Higher counts are shown as `1000+`: an exact count would read all deliveries. */
const MAX_DELIVERIES = 1000;

/** One list per status has the deliveries of all subscriptions, unless there are too many of them. */
async function countDeliveries(
  deliveries: DeliveryStore,
  names: readonly string[],
): Promise<(name: string) => Row['waiting']> {
  const counts = new Map<string, number>();
  for (const status of COUNTED) {
    const all = await deliveries.list({ status, limit: MAX_DELIVERIES });
    for (const { subscription } of all)
      counts.set(`${status} ${subscription}`, (counts.get(`${status} ${subscription}`) ?? 0) + 1);
    if (all.length < MAX_DELIVERIES) continue;
    for (const subscription of names) {
      const own = await deliveries.list({ status, subscription, limit: MAX_DELIVERIES });
      counts.set(`${status} ${subscription}`, own.length);
    }
  }
  return (name) =>
    Object.fromEntries(COUNTED.map((status) => [status, counts.get(`${status} ${name}`) ?? 0])) as Row['waiting'];
}

/** Stable: programs read it. Secrets and the references to them stay out. */
function toJson({ subscription, address, waiting }: Row, health: object): object {
  const { name, events, where, to, declared, owner, madeBy, rotation } = subscription;
  return {
    name,
    events,
    where,
    channel: to.channel,
    to: address,
    declared,
    owner,
    madeBy: madeBy && { id: madeBy.id, name: madeBy.name, query: madeBy.query, allowedBy: madeBy.allowedBy },
    rotation: rotation && { until: rotation.until },
    health,
    deliveries: waiting,
  };
}

/** What the API shows of it. */
function visibleHealth({ state, reason, failingSince, circuit }: Health): object {
  return { state, reason, failingSince, pausedUntil: circuit?.pausedUntil ?? null };
}

function print(rows: readonly Row[], now: Instant, { out, paint }: Terminal): void {
  if (rows.length === 0) {
    out('no subscriptions: add one to the config, or with: tidings subscriptions add');
  }
  const marks = {
    ok: paint('green', '✔'),
    retrying: paint('yellow', '✗'),
    failing: paint('yellow', '✗'),
    disabled: paint('red', '✗'),
    paused: '‖',
  };
  const cells = rows.map(({ subscription: { name, events, declared, madeBy }, address, health, waiting }) => [
    marks[shownState(health)],
    name,
    shownState(health),
    address,
    events.join(', '),
    COUNTED.filter((status) => waiting[status] > 0)
      .map((status) => `${waiting[status]}${waiting[status] === MAX_DELIVERIES ? '+' : ''} ${status}`)
      .join(', '),
    [
      declared ? '' : madeBy === undefined ? 'not in the config' : `made in Slack by ${madeBy.name}`,
      formatPause(health, now),
      health.reason ?? '',
    ]
      .filter((part) => part !== '')
      .join('; '),
  ]);
  for (const line of table(cells)) out(line);
}

function formatPause(health: Health, now: Instant): string {
  const pause = pauseOf(health, now);
  return pause === null ? '' : `receiver paused, next attempt ${formatTimeUntil(pause.until, now)}`;
}

function pauseCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  group
    .command('pause')
    .summary('stop sending; deliveries are held until resume')
    .argument('<name>', 'the subscription')
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .action(async (name: string, place: Place) => {
      await withPlace(place, context, async (stores) => {
        await findSubscription(stores.subscriptions, name);
        if (stores.client !== undefined) await stores.client.pauseSubscription(name);
        else await pauseSubscription(verbPorts(stores, context), operatorOf(context), name);
        terminal.out(
          `paused ${name}; deliveries are held. Resume with: tidings subscriptions resume ${name}${placeFlags(place)}`,
        );
      });
      exit(0);
    });
}

function resumeCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  group
    .command('resume')
    .summary('resume a paused or disabled subscription; held deliveries are sent first')
    .argument('<name>', 'the subscription')
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .action(async (name: string, place: Place) => {
      await withPlace(place, context, async (stores) => {
        await findSubscription(stores.subscriptions, name);
        const released = await release(stores, name, context);
        terminal.out(
          `resumed ${name}; ${released === 0 ? 'no deliveries were held' : `${pluralize(released, 'held delivery', 'held deliveries')} will be sent in the next cycle`}`,
        );
      });
      exit(0);
    });
}

/** Returns how many deliveries were held. */
async function release(stores: PlacedStores, name: string, context: Context): Promise<number> {
  if (stores.client !== undefined) {
    const held = await stores.client.retryDeliveries({ subscription: name, status: 'held', dryRun: true });
    await stores.client.resumeSubscription(name);
    return held.count;
  }
  return resumeSubscription(verbPorts(stores, context), operatorOf(context), name);
}

function removeCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  group
    .command('remove')
    .summary('remove a subscription that was added with `subscriptions add`; its unsent deliveries are dropped')
    .argument('<name>', 'the subscription')
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .action(async (name: string, place: Place) => {
      await withPlace(place, context, async (stores) => {
        const { declared } = await findSubscription(stores.subscriptions, name);
        if (declared) {
          throw new UsageError(
            'TIDINGS_SUBSCRIPTION_DECLARED',
            `subscription '${name}' is declared in the config; remove it there`,
          );
        }
        if (stores.client !== undefined) {
          await stores.client.deleteSubscription(name);
          terminal.out(`removed ${name}`);
          return;
        }
        const dropped = await removeSubscription(verbPorts(stores, context), operatorOf(context), name);
        terminal.out(`removed ${name}`);
        if (dropped !== undefined && dropped.deliveries > 0) {
          const replay = `tidings replay --subscription ${name} --to NAME${placeFlags(place)}`;
          terminal.out(`dropped ${describeDropped(dropped)}; send them to another subscription with: ${replay}`);
        }
      });
      exit(0);
    });
}
