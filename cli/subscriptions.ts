/** `tidings subscriptions`: lists subscriptions with their health, and changes them. `subscriptions test` is in test-subscription.ts. */

import type { Command } from 'commander';
import { UsageError } from '../core/model/errors.ts';
import type { Instant } from '../core/model/time.ts';
import { describeDropped } from '../core/subscriptions/dropped-backlog.ts';
import { subscriptionsToYaml } from '../manage/api/subscriptions/subscriptions-yaml.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import { formatMoment, formatTimeUntil } from '../runtime/terminal/dates.ts';
import { pluralize, type Terminal, table } from '../runtime/terminal/terminal.ts';
import { type DeliveryOperations, findSubscription, type ListedSubscription, shownState } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import {
  addLocationOptions,
  awsOption,
  configOption,
  dataOption,
  jsonOption,
  locationFlags,
  rejectUnknownCommand,
  showDefaultOptions,
} from './options.ts';
import { noteWarnings } from './print-warnings.ts';
import { resubscribeCommand } from './resubscribe.ts';
import { testCommand } from './test-subscription.ts';

export function subscriptionsCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const group = program
    .command('subscriptions')
    .summary('manage subscriptions: list, add, pause, resume, resubscribe, test, rotate, remove, export');
  showDefaultOptions(group);
  listCommand(group, context, exit);
  addCommand(group, context, exit);
  pauseCommand(group, context, exit);
  resumeCommand(group, context, exit);
  testCommand(group, context, exit);
  resubscribeCommand(group, context, exit);
  rotateCommand(group, context, exit);
  removeCommand(group, context, exit);
  exportCommand(group, context, exit);
}

function listCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  const list = group
    .command('list', { isDefault: true })
    .summary('list subscriptions with their health and open deliveries')
    .allowExcessArguments();
  addLocationOptions(list)
    .addOption(jsonOption())
    .action(async ({ json, ...location }: Location & { readonly json: boolean }) => {
      rejectUnknownCommand(list);
      await withBackend(location, context, async ({ subscriptions, deliveries }) => {
        const listed = await subscriptions.list();
        const countsOf = await countDeliveries(
          deliveries,
          listed.map(({ name }) => name),
        );
        const rows = listed.map((subscription) => ({ subscription, waiting: countsOf(subscription.name) }));
        if (json) for (const row of rows) terminal.out(JSON.stringify(toJson(row)));
        else print(rows, clock.now(), terminal);
      });
      exit(0);
    });
}

interface Row {
  readonly subscription: ListedSubscription;
  readonly waiting: Readonly<Record<(typeof COUNTED)[number], number>>;
}

const COUNTED = ['waiting', 'pending', 'held', 'failed'] as const;

/** Higher counts are shown as `1000+`: an exact count would read all deliveries. */
const MAX_DELIVERIES = 1000;

/** One list per status has the deliveries of all subscriptions, unless there are too many of them. */
async function countDeliveries(
  deliveries: DeliveryOperations,
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
function toJson({ subscription, waiting }: Row): object {
  const { name, events, where, channel, address, declared, owner, madeBy, rotation, health } = subscription;
  return {
    name,
    events,
    where,
    channel,
    to: address,
    declared,
    owner,
    madeBy: madeBy && { id: madeBy.id, name: madeBy.name, query: madeBy.query, allowedBy: madeBy.allowedBy },
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
  const cells = rows.map(({ subscription: { name, events, declared, madeBy, address, health, pause }, waiting }) => [
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
      health.muted.length === 0 ? '' : `unsubscribed: ${health.muted.join(', ')}`,
      pause === null ? '' : `receiver paused, next attempt ${formatTimeUntil(pause.until, now)}`,
      health.reason ?? '',
    ]
      .filter((part) => part !== '')
      .join('; '),
  ]);
  for (const line of table(cells)) out(line);
}

interface AddFlags extends Location {
  readonly query?: string;
}

function addCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const command = group
    .command('add')
    .summary('add a subscription that is not in the config')
    .description(
      'Adds the subscription in a file, written as in the config. Replaces one of the same name that was added before.',
    )
    .argument('<file>', 'YAML or JSON with one subscription: name, events, to and further options')
    .option('--query <words>', "what to subscribe to, instead of events in the file: 'task.overdue daily 08:30'")
    .addOption(configOption());
  addLocationOptions(command).action(async (file: string, { query, ...location }: AddFlags) => {
    await withBackend(location, context, async ({ subscriptions }) => {
      const { name, events, address, isNew, secret, notes, warnings } = await subscriptions.add(file, query);
      terminal.out(`${isNew ? 'added' : 'replaced'} ${name}: ${events.join(', ')} → ${address}`);
      if (secret !== undefined) terminal.out(`signing secret  ${secret}\nstore it now: it is not shown again`);
      for (const note of notes) terminal.out(note);
      noteWarnings(warnings, terminal);
      terminal.out(`test it with: tidings subscriptions test ${name}${locationFlags(location)}`);
    });
    exit(0);
  });
}

function pauseCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const command = group
    .command('pause')
    .summary('stop sending; deliveries are held until resume')
    .argument('<name>', 'the subscription');
  addLocationOptions(command).action(async (name: string, location: Location) => {
    await withBackend(location, context, async ({ subscriptions }) => {
      await findSubscription(subscriptions, name);
      await subscriptions.pause(name);
      const resume = `tidings subscriptions resume ${name}${locationFlags(location)}`;
      terminal.out(`paused ${name}; deliveries are held. Resume with: ${resume}`);
    });
    exit(0);
  });
}

function resumeCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const command = group
    .command('resume')
    .summary('resume a paused or disabled subscription; held deliveries are sent first')
    .argument('<name>', 'the subscription');
  addLocationOptions(command).action(async (name: string, location: Location) => {
    await withBackend(location, context, async ({ subscriptions }) => {
      await findSubscription(subscriptions, name);
      const released = await subscriptions.resume(name);
      const held = pluralize(released, 'held delivery', 'held deliveries');
      const effect = released === 0 ? 'no deliveries were held' : `${held} will be sent in the next cycle`;
      terminal.out(`resumed ${name}; ${effect}`);
    });
    exit(0);
  });
}

interface RotateFlags extends Location {
  readonly secret?: string;
}

function rotateCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const command = group
    .command('rotate')
    .summary('replace the signing secret; the old one stays valid for 24 hours')
    .description(
      'Generates a new signing secret, stores it in the data directory (with --aws: in Parameter Store) and prints it\n' +
        'once, for the receiver. For 24 hours every request carries both signatures, so the receiver can switch at any time.',
    )
    .argument('<name>', 'the subscription')
    .option(
      '--secret <reference>',
      'use this secret: ${NAME} or file:PATH, with --aws ssm:/path or secret:name (default: generate one)',
    );
  addLocationOptions(command).action(async (name: string, { secret: reference, ...location }: RotateFlags) => {
    await withBackend(location, context, async ({ subscriptions, readZone }) => {
      await findSubscription(subscriptions, name);
      const { secret, storedAt, note, until } = await subscriptions.rotate(name, reference);
      if (secret !== undefined) terminal.out(`new secret     ${secret}`);
      if (storedAt !== undefined) terminal.out(`stored at      ${storedAt}`);
      if (note !== undefined) terminal.out(`               ${note}`);
      const zone = await readZone();
      terminal.out(
        `both secrets sign until ${formatMoment(zone, until)} (${zone}); give the receiver the new one by then`,
      );
    });
    exit(0);
  });
}

function removeCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const command = group
    .command('remove')
    .summary('remove a subscription that was added with `subscriptions add`; its unsent deliveries are dropped')
    .argument('<name>', 'the subscription');
  addLocationOptions(command).action(async (name: string, location: Location) => {
    await withBackend(location, context, async ({ subscriptions }) => {
      const { declared } = await findSubscription(subscriptions, name);
      if (declared) {
        const message = `subscription '${name}' is declared in the config; remove it there`;
        throw new UsageError('TIDINGS_SUBSCRIPTION_DECLARED', message);
      }
      const dropped = await subscriptions.remove(name);
      terminal.out(`removed ${name}`);
      if (dropped !== undefined && dropped.deliveries > 0) {
        const replay = `tidings replay --subscription ${name} --to NAME${locationFlags(location)}`;
        terminal.out(`dropped ${describeDropped(dropped)}; send them to another subscription with: ${replay}`);
      }
    });
    exit(0);
  });
}

function exportCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  group
    .command('export')
    .summary('print the subscriptions that are not in the config as YAML for it')
    .description(
      'Prints those added by commands, through the API and in Slack, as a section `subscriptions` of the config. Put it into the\n' +
        'config, and remove them with `subscriptions remove`, to declare them there. Secrets are printed as references or as\n' +
        'variables, which a comment lists.',
    )
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (location: DataLocation) => {
      await withStores(location, context, async ({ subscriptions }) => {
        const own = (await subscriptions.list()).filter(({ declared }) => !declared);
        terminal.out(subscriptionsToYaml(own).trimEnd());
      });
      exit(0);
    });
}
