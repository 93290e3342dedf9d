/** `tidings replay`: sends recorded events once more, to one subscription, marked. */

import type { Command } from 'commander';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { replay } from '../core/delivery/replay.ts';
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
import { sayDelivered } from './narrate.ts';
import {
  awsOption,
  configOption,
  dataOption,
  jsonOption,
  placeWords,
  readSince,
  readTypeGlob,
  refuseBackwards,
} from './options.ts';
import { counted } from './terminal.ts';

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
    .summary('send recorded events once more, to one subscription')
    .description(
      'Sends one event, or all of a period that the subscription asks for, once more. They keep their ids and are\n' +
        'marked as replays; nobody else gets them. What is not taken is tried again like any delivery. With --aws they\n' +
        'are put on the queue of the stack, whose own function sends them: nothing is sent from here.',
    )
    .requiredOption('--subscription <name>', 'who gets them')
    .option('--event <id>', 'this one event, whether or not the subscription asks for its type')
    .option('--since <time>', "from this instant on, or from this long ago, e.g. '2h'", readSince(clock.now))
    .option('--until <time>', 'up to this instant, or up to this long ago (default: now)', readSince(clock.now))
    .option('--type <glob>', "only these types, e.g. 'invoice.*'", readTypeGlob)
    .option('--dry-run', 'say what would be sent, and send nothing', false)
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(jsonOption())
    .action(async (flags: ReplayFlags) => exit(await runReplay(flags, context)));
}

async function runReplay(flags: ReplayFlags, context: Context): Promise<ExitCode> {
  if ((flags.event === undefined) === (flags.since === undefined)) {
    throw new UsageError(
      'TIDINGS_REPLAY_WHAT',
      'expected either --event, or --since with or without --until and --type',
    );
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
    const events = await chosen(embedded.events, subscription, flags, clock.now());
    return flags.dryRun
      ? tellOnly(events, flags, context)
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
  // Only its own lane: what else is due is the business of serve.
  const lanes = {
    ...embedded.lanes,
    room: (group: string, now: number) => (group === subscription.name ? embedded.lanes.room(group, now) : 0),
  };
  const delivered = (one: Parameters<typeof sayDelivered>[0]) => {
    if (one.delivery.status === 'settled') accepted += one.delivery.events.length;
    terminal.out(
      json ? JSON.stringify({ delivery: one.delivery, attempt: one.attempt }) : sayDelivered(one, terminal).join('  '),
    );
  };
  await deliverAll({ ...embedded, lanes }, { delivered }, { signal: stop });
  if (!json) terminal.out(`${counted(opened.length, 'event')} sent again to ${subscription.name}, ${accepted} taken`);
  return accepted >= opened.length ? 0 : 1;
}

/** Opens and queues; the sending is for the stack, which has the secrets and the network for it. */
function replayInAws(flags: ReplayFlags, stack: string, context: Context): Promise<ExitCode> {
  const { terminal, clock } = context;
  return withStores<ExitCode>(flags, context, async (stores) => {
    const subscription = await findSubscription(stores.subscriptions, flags.subscription);
    const { name } = subscription;
    const events = await chosen(stores.events, subscription, flags, clock.now());
    if (flags.dryRun) return tellOnly(events, flags, context);
    const opened = await replay({ ...stores, channels: channelRegistry, clock }, subscription, events);
    if (flags.json) for (const delivery of opened) terminal.out(JSON.stringify({ delivery }));
    else if (opened.length === 0) terminal.out(`no event of that time is one ${name} asks for: nothing was queued`);
    else {
      terminal.out(
        `${counted(opened.length, 'event')} queued for ${name}: the deliver function of ${stack} sends them`,
      );
      terminal.out(`how it goes: tidings deliveries --aws ${stack} --subscription ${name}`);
    }
    return 0;
  });
}

function tellOnly(events: readonly TidingsEvent[], flags: ReplayFlags, { terminal }: Context): ExitCode {
  for (const event of events)
    terminal.out(flags.json ? JSON.stringify(event) : `${event.id}  ${event.type}  ${event.subject}`);
  if (!flags.json)
    terminal.out(`${counted(events.length, 'event')} would be sent to ${flags.subscription}; nothing was`);
  return 0;
}

async function chosen(
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
        `--event: there is no event '${flags.event}'; tidings events${placeWords(flags)} lists them`,
      );
    }
    return [event];
  }
  const period = { since: flags.since ?? now, until: flags.until ?? now };
  refuseBackwards(period.since, period.until);
  const wanted = compileGlob(flags.type ?? '*');
  const { received } = await backtest(store, subscription, period);
  return received.filter(({ type }) => wanted(type));
}
