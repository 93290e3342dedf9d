/** `tidings replay`: sends recorded events once more, to one subscription, marked. */

import type { Command } from 'commander';
import { replay } from '../core/delivery/replay.ts';
import { UsageError } from '../core/model/errors.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Instant } from '../core/model/time.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import { backtest } from '../core/subscriptions/backtest.ts';
import { compileGlob } from '../core/subscriptions/match.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { openExistingData } from '../runtime/data-directory.ts';
import { openEmbedded } from '../runtime/embedded.ts';
import { deliverAll } from '../runtime/work.ts';
import type { Context, ExitCode } from './context.ts';
import { findSubscription } from './find-subscription.ts';
import { sayDelivered } from './narrate.ts';
import { configOption, dataOption, jsonOption, readSince, readTypeGlob, refuseBackwards } from './options.ts';
import { counted } from './terminal.ts';

interface ReplayFlags {
  readonly subscription: string;
  readonly event?: string;
  readonly since?: Instant;
  readonly until?: Instant;
  readonly type?: string;
  readonly config: string;
  readonly data: string;
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
        'marked as replays; nobody else gets them. What is not taken is tried again like any delivery.',
    )
    .requiredOption('--subscription <name>', 'who gets them')
    .option('--event <id>', 'this one event, whether or not the subscription asks for its type')
    .option('--since <time>', "from this instant on, or from this long ago, e.g. '2h'", readSince(clock.now))
    .option('--until <time>', 'up to this instant, or up to this long ago (default: now)', readSince(clock.now))
    .option('--type <glob>', "only these types, e.g. 'invoice.*'", readTypeGlob)
    .option('--dry-run', 'say what would be sent, and send nothing', false)
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(async (flags: ReplayFlags) => exit(await runReplay(flags, context)));
}

async function runReplay(flags: ReplayFlags, context: Context): Promise<ExitCode> {
  const { terminal, environment, clock, pid, random, stop } = context;
  if ((flags.event === undefined) === (flags.since === undefined)) {
    throw new UsageError(
      'TIDINGS_REPLAY_WHAT',
      'expected either --event, or --since with or without --until and --type',
    );
  }
  const config = loadConfig(flags.config, environment);
  const database = openExistingData(flags.data);
  const embedded = await openEmbedded({ config, database, environment, clock, holder: `replay/${pid}`, random });
  try {
    const subscription = await findSubscription(embedded.ledger, flags.subscription);
    const events = await chosen(embedded.ledger, subscription, flags, clock.now());
    if (flags.dryRun) {
      for (const event of events)
        terminal.out(flags.json ? JSON.stringify(event) : `${event.id}  ${event.type}  ${event.subject}`);
      if (!flags.json)
        terminal.out(`${counted(events.length, 'event')} would be sent to ${subscription.name}; nothing was`);
      return 0;
    }
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
        flags.json
          ? JSON.stringify({ delivery: one.delivery, attempt: one.attempt })
          : sayDelivered(one, terminal).join('  '),
      );
    };
    await deliverAll({ ...embedded, lanes }, { delivered }, { signal: stop });
    if (!flags.json)
      terminal.out(`${counted(opened.length, 'event')} sent again to ${subscription.name}, ${accepted} taken`);
    return accepted >= opened.length ? 0 : 1;
  } finally {
    await embedded.close();
  }
}

async function chosen(
  ledger: Ledger,
  subscription: Subscription,
  flags: ReplayFlags,
  now: Instant,
): Promise<readonly TidingsEvent[]> {
  if (flags.event !== undefined) {
    const event = await ledger.event(flags.event);
    if (event === undefined) {
      throw new UsageError(
        'TIDINGS_EVENT_UNKNOWN',
        `--event: there is no event '${flags.event}'; tidings events lists them`,
      );
    }
    return [event];
  }
  const period = { since: flags.since ?? now, until: flags.until ?? now };
  refuseBackwards(period.since, period.until);
  const wanted = compileGlob(flags.type ?? '*');
  const { received } = await backtest(ledger, subscription, period);
  return received.filter(({ type }) => wanted(type));
}
