/** `tidings subscriptions`: lists subscriptions with their health, and groups the commands that change them. */

import type { Command } from 'commander';
import { channelRegistry, describeAddress } from '../adapters/channels/registry.ts';
import { type Health, pauseOf } from '../core/delivery/health.ts';
import { pause, resume } from '../core/delivery/hold.ts';
import { readHealth } from '../core/delivery/subscription-state.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Instant } from '../core/model/time.ts';
import type { DeliveryStore } from '../core/ports/delivery-store.ts';
import { describeDropped, removeSubscription } from '../runtime/apply-declared.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import { addCommand } from './add-subscription.ts';
import type { Context, ExitCode } from './context.ts';
import { formatTimeUntil } from './dates.ts';
import { findSubscription } from './find-subscription.ts';
import { awsOption, dataOption, jsonOption, placeFlags, rejectUnknownCommand, showDefaultOptions } from './options.ts';
import { recordCommand } from './record-command.ts';
import { rotateCommand } from './rotate-subscription.ts';
import { shownState } from './shown-state.ts';
import { pluralize, type Terminal, table } from './terminal.ts';
import { testCommand } from './test-subscription.ts';

export function subscriptionsCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const group = program
    .command('subscriptions')
    .summary('manage subscriptions: list, add, pause, resume, test, rotate, remove');
  showDefaultOptions(group);
  listCommand(group, context, exit);
  addCommand(group, context, exit);
  pauseCommand(group, context, exit);
  resumeCommand(group, context, exit);
  testCommand(group, context, exit);
  rotateCommand(group, context, exit);
  removeCommand(group, context, exit);
}

function listCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  group
    .command('list', { isDefault: true })
    .summary('list subscriptions with their health and open deliveries')
    .allowExcessArguments()
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(jsonOption())
    .action(async ({ json, ...place }: DataLocation & { readonly json: boolean }, list: Command) => {
      rejectUnknownCommand(list);
      await withStores(place, context, async ({ subscriptions, deliveries, snapshots }) => {
        const rows = await Promise.all(
          (await subscriptions.list()).map(async (subscription) => ({
            subscription,
            health: await readHealth({ snapshots }, subscription.name),
            waiting: await countDeliveries(deliveries, subscription.name),
          })),
        );
        if (json) for (const row of rows) terminal.out(JSON.stringify(toJson(row)));
        else print(rows, clock.now(), terminal);
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

/** Higher counts are shown as `1000+`: an exact count would read all deliveries. */
const MAX_DELIVERIES = 1000;

async function countDeliveries(deliveries: DeliveryStore, subscription: string): Promise<Row['waiting']> {
  const counts = COUNTED.map(async (status) => {
    return [status, (await deliveries.list({ status, subscription, limit: MAX_DELIVERIES })).length] as const;
  });
  return Object.fromEntries(await Promise.all(counts)) as Row['waiting'];
}

/** Stable: programs read it. Secrets and the references to them stay out. */
function toJson({ subscription, health, waiting }: Row): object {
  const { name, events, where, to, declared, rotation } = subscription;
  return {
    name,
    events,
    where,
    channel: to.channel,
    to: describeAddress(to),
    declared,
    rotation: rotation && { until: rotation.until },
    health,
    deliveries: waiting,
  };
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
  const cells = rows.map(({ subscription: { name, events, to, declared }, health, waiting }) => [
    marks[shownState(health)],
    name,
    shownState(health),
    describeAddress(to),
    events.join(', '),
    COUNTED.filter((status) => waiting[status] > 0)
      .map((status) => `${waiting[status]}${waiting[status] === MAX_DELIVERIES ? '+' : ''} ${status}`)
      .join(', '),
    [declared ? '' : 'not in the config', formatPause(health, now), health.reason ?? '']
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
  const { terminal, clock } = context;
  group
    .command('pause')
    .summary('stop sending; deliveries are held until resume')
    .argument('<name>', 'the subscription')
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (name: string, place: DataLocation) => {
      await withStores(place, context, async (stores) => {
        await findSubscription(stores.subscriptions, name);
        await pause({ ...stores, clock }, name);
        await recordCommand(stores, context, { action: 'subscription.paused', target: `subscription/${name}` });
        terminal.out(
          `paused ${name}; deliveries are held. Resume with: tidings subscriptions resume ${name}${placeFlags(place)}`,
        );
      });
      exit(0);
    });
}

function resumeCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  group
    .command('resume')
    .summary('resume a paused or disabled subscription; held deliveries are sent first')
    .argument('<name>', 'the subscription')
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (name: string, place: DataLocation) => {
      await withStores(place, context, async (stores) => {
        await findSubscription(stores.subscriptions, name);
        const released = await resume({ ...stores, channels: channelRegistry, clock }, name);
        const change = { action: 'subscription.resumed', target: `subscription/${name}`, details: { released } };
        await recordCommand(stores, context, change);
        terminal.out(
          `resumed ${name}; ${released === 0 ? 'no deliveries were held' : `${pluralize(released, 'held delivery', 'held deliveries')} will be sent in the next cycle`}`,
        );
      });
      exit(0);
    });
}

function removeCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  group
    .command('remove')
    .summary('remove a subscription that was added with `subscriptions add`; its unsent deliveries are dropped')
    .argument('<name>', 'the subscription')
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (name: string, place: DataLocation) => {
      await withStores(place, context, async (stores) => {
        const { declared } = await findSubscription(stores.subscriptions, name);
        if (declared) {
          throw new UsageError(
            'TIDINGS_SUBSCRIPTION_DECLARED',
            `subscription '${name}' is declared in the config; remove it there`,
          );
        }
        const dropped = await removeSubscription({ ...stores, clock }, name);
        const details = { unsent: dropped.deliveries };
        await recordCommand(stores, context, {
          action: 'subscription.removed',
          target: `subscription/${name}`,
          details,
        });
        terminal.out(`removed ${name}`);
        if (dropped.deliveries > 0) {
          const replay = `tidings replay --subscription ${name} --to NAME${placeFlags(place)}`;
          terminal.out(`dropped ${describeDropped(dropped)}; send them to another subscription with: ${replay}`);
        }
      });
      exit(0);
    });
}
