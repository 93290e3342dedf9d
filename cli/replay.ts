/** `tidings replay`: sends recorded events to one subscription again, marked as replays. */

import type { Command } from 'commander';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { replay } from '../core/delivery/replay.ts';
import { sayEvent } from '../core/events/catalogue.ts';
import { UsageError } from '../core/model/errors.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Instant } from '../core/model/time.ts';
import type { EventStore } from '../core/ports/event-store.ts';
import { backtest } from '../core/subscriptions/backtest.ts';
import { compileGlob } from '../core/subscriptions/match.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { openExistingData } from '../runtime/embedded/data-directory.ts';
import { type Embedded, openEmbedded } from '../runtime/embedded/embedded.ts';
import { deliverAll } from '../runtime/embedded/pipeline.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Context, ExitCode } from './context.ts';
import { findSubscription } from './find-subscription.ts';
import { formatDelivered } from './narrate.ts';
import {
  assertPeriodOrder,
  awsOption,
  configOption,
  dataOption,
  jsonOption,
  placeFlags,
  readSince,
  readTypeGlob,
} from './options.ts';
import { pluralize, table } from './terminal.ts';

interface ReplayFlags extends DataLocation {
  readonly subscription: string;
  readonly event?: string;
  readonly since?: Instant;
  readonly until?: Instant;
  readonly type?: string;
  readonly config: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function replayCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { clock } = context;
  program
    .command('replay')
    .summary('send recorded events to one subscription again')
    .description(
      'Sends one event, or all matching events of a period, to one subscription again. The events keep their ids and are\n' +
        'marked as replays. Failed deliveries are retried as usual. With --aws the events are queued, and the deliver\n' +
        'function of the stack sends them.',
    )
    .requiredOption('--subscription <name>', 'the subscription that receives them')
    .option('--event <id>', 'this event, even if the subscription does not match it')
    .option('--since <time>', "start of the period: a timestamp, or how long ago, e.g. '2h'", readSince(clock.now))
    .option('--until <time>', 'end of the period: a timestamp, or how long ago (default: now)', readSince(clock.now))
    .option('--type <glob>', "only these types, e.g. 'invoice.*'", readTypeGlob)
    .option('--dry-run', 'show what would be sent, and send nothing', false)
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(jsonOption())
    .action(async (flags: ReplayFlags) => exit(await runReplay(flags, context)));
}

async function runReplay(flags: ReplayFlags, context: Context): Promise<ExitCode> {
  if ((flags.event === undefined) === (flags.since === undefined)) {
    throw new UsageError('TIDINGS_REPLAY_WHAT', 'expected either --event, or --since with optional --until and --type');
  }
  return flags.aws === undefined ? replayHere(flags, context) : replayInAws(flags, flags.aws, context);
}

async function replayHere(flags: ReplayFlags, context: Context): Promise<ExitCode> {
  const { environment, clock, pid, random } = context;
  const config = loadConfig(flags.config, environment);
  const database = openExistingData(flags.data);
  const embedded = await openEmbedded({ config, database, environment, clock, holder: `replay/${pid}`, random });
  try {
    const subscription = await findSubscription(embedded.subscriptions, flags.subscription);
    const events = await selectEvents(embedded.events, subscription, flags, clock.now());
    return flags.dryRun
      ? printDryRun(events, flags, context)
      : await sendAgain(embedded, subscription, events, flags, context);
  } finally {
    await embedded.close();
  }
}

async function sendAgain(
  embedded: Embedded,
  subscription: Subscription,
  events: readonly TidingsEvent[],
  { json }: ReplayFlags,
  { terminal, stop }: Context,
): Promise<ExitCode> {
  const opened = await replay(embedded, subscription, events);
  let accepted = 0;
  // Only the lane of this subscription: other deliveries are left to serve.
  const lanes = {
    ...embedded.lanes,
    room: (group: string, now: number) => (group === subscription.name ? embedded.lanes.room(group, now) : 0),
  };
  const delivered = (one: Parameters<typeof formatDelivered>[0]) => {
    if (one.delivery.status === 'settled') accepted += one.delivery.events.length;
    terminal.out(
      json
        ? JSON.stringify({ delivery: one.delivery, attempt: one.attempt })
        : formatDelivered(one, terminal).join('  '),
    );
  };
  await deliverAll({ ...embedded, lanes }, { delivered }, { signal: stop });
  if (!json)
    terminal.out(`${pluralize(opened.length, 'event')} replayed to ${subscription.name}, ${accepted} accepted`);
  return accepted >= opened.length ? 0 : 1;
}

/** Only queues the deliveries: the stack has the secrets and network access to send them. */
function replayInAws(flags: ReplayFlags, stack: string, context: Context): Promise<ExitCode> {
  const { terminal, clock } = context;
  return withStores<ExitCode>(flags, context, async (stores) => {
    const subscription = await findSubscription(stores.subscriptions, flags.subscription);
    const { name } = subscription;
    const events = await selectEvents(stores.events, subscription, flags, clock.now());
    if (flags.dryRun) return printDryRun(events, flags, context);
    const opened = await replay({ ...stores, channels: channelRegistry, clock }, subscription, events);
    if (flags.json) for (const delivery of opened) terminal.out(JSON.stringify({ delivery }));
    else if (opened.length === 0) terminal.out(`no event in this period matches ${name}; nothing queued`);
    else {
      terminal.out(
        `${pluralize(opened.length, 'event')} queued for ${name}; the deliver function of ${stack} sends them`,
      );
      terminal.out(`check the result with: tidings deliveries --aws ${stack} --subscription ${name}`);
    }
    return 0;
  });
}

function printDryRun(events: readonly TidingsEvent[], flags: ReplayFlags, { terminal }: Context): ExitCode {
  const lines = flags.json
    ? events.map((event) => JSON.stringify(event))
    : table(events.map((event) => [event.id, event.type, event.subject, sayEvent(event)]));
  for (const line of lines) terminal.out(line);
  if (!flags.json)
    terminal.out(`${pluralize(events.length, 'event')} would be sent to ${flags.subscription}; nothing was sent`);
  return 0;
}

async function selectEvents(
  store: EventStore,
  subscription: Subscription,
  flags: ReplayFlags,
  now: Instant,
): Promise<readonly TidingsEvent[]> {
  if (flags.event !== undefined) {
    const event = await store.get(flags.event);
    if (event === undefined) {
      throw new UsageError(
        'TIDINGS_EVENT_UNKNOWN',
        `--event: event '${flags.event}' not found; list events with: tidings events${placeFlags(flags)}`,
      );
    }
    return [event];
  }
  const period = { since: flags.since ?? now, until: flags.until ?? now };
  assertPeriodOrder(period.since, period.until);
  const wanted = compileGlob(flags.type ?? '*');
  const { received } = await backtest(store, subscription, period);
  return received.filter(({ type }) => wanted(type));
}
