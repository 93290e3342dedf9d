/** `tidings replay`: sends recorded events to one subscription again, marked as replays. */

import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { DeliveryResult } from '../core/delivery/deliver.ts';
import { listUnsentEvents } from '../core/delivery/receivers/rename.ts';
import { sayEvent } from '../core/events/catalogue.ts';
import { backtest } from '../core/filters/backtest.ts';
import { compileGlob } from '../core/filters/match.ts';
import { UsageError } from '../core/model/errors.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Instant } from '../core/model/time.ts';
import { resendEvents } from '../core/subscriptions/verbs.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { openExistingData } from '../runtime/embedded/data-directory.ts';
import { type Embedded, openEmbedded } from '../runtime/embedded/embedded.ts';
import type { Stores } from '../runtime/inspect/stores.ts';
import { formatDelivered } from '../runtime/terminal/narrate.ts';
import { formatNumber, pluralize, table } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { findSubscription } from './find-subscription.ts';
import { operatorOf, verbPorts } from './operator.ts';
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
import { apiOption, keyOption, type Place, rejectWithApi, withPlace } from './place.ts';
import { type ReplaySummary, sendReplays } from './send-replays.ts';

interface ReplayFlags extends Place {
  readonly subscription: string;
  readonly to?: string;
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
        'marked as replays. Many events are spread over minutes. Failed deliveries are retried as usual. With --aws the events are queued, and the deliver\n' +
        'function of the stack sends them.',
    )
    .requiredOption('--subscription <name>', 'the subscription that receives them')
    .option('--to <name>', 'send what --subscription, which may be removed, did not get to this subscription instead')
    .option('--event <id>', 'this event, even if the subscription does not match it')
    .option('--since <time>', "start of the period: a timestamp, or how long ago, e.g. '2h'", readSince(clock.now))
    .option('--until <time>', 'end of the period: a timestamp, or how long ago (default: now)', readSince(clock.now))
    .option('--type <glob>', "only these types, e.g. 'invoice.*'", readTypeGlob)
    .option('--dry-run', 'show what would be sent, and send nothing', false)
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .addOption(jsonOption())
    .action(async (flags: ReplayFlags) => exit(await runReplay(flags, context)));
}

async function runReplay(flags: ReplayFlags, context: Context): Promise<ExitCode> {
  if (flags.to === undefined && (flags.event === undefined) === (flags.since === undefined)) {
    throw new UsageError(
      'TIDINGS_REPLAY_WHAT',
      'expected either --event, or --since with optional --until and --type, or --to',
    );
  }
  if (flags.to !== undefined) rejectWithApi(flags, '--to');
  if (flags.api !== undefined) return replayThroughApi(flags, context);
  return flags.aws === undefined ? replayHere(flags, context) : replayInAws(flags, flags.aws, context);
}

async function replayHere(flags: ReplayFlags, context: Context): Promise<ExitCode> {
  const { environment, clock, pid, random } = context;
  const config = loadConfig(flags.config, environment);
  const database = openExistingData(flags.data, { report: context.terminal.err });
  const embedded = await openEmbedded({ config, database, environment, clock, holder: `replay/${pid}`, random });
  try {
    const subscription = await findSubscription(embedded.subscriptions, flags.to ?? flags.subscription);
    const events = await selectEvents(embedded, subscription, flags, clock.now());
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
  context: Context,
): Promise<ExitCode> {
  const opened = await resendEvents({ ...embedded, randomBytes }, operatorOf(context), subscription, events);
  const { terminal, stop } = context;
  const report = (one: DeliveryResult) =>
    terminal.out(
      json
        ? JSON.stringify({ delivery: one.delivery, attempt: one.attempt })
        : formatDelivered(one, terminal).join('  '),
    );
  const summary = await sendReplays(embedded, opened, report, stop);
  if (!json) terminal.out(formatSummary(summary, opened.length, subscription.name));
  return summary.accepted === opened.length ? 0 : 1;
}

function formatSummary(summary: ReplaySummary, total: number, name: string): string {
  const { accepted, retrying, failed, held, waiting } = summary;
  const counts = [
    `${formatNumber(accepted)} accepted`,
    ...(retrying > 0 ? [`${formatNumber(retrying)} to be retried`] : []),
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(held > 0 ? [`${formatNumber(held)} held until the subscription is resumed`] : []),
    ...(waiting > 0 ? [`${formatNumber(waiting)} not attempted yet; 'tidings serve' or 'once' sends them`] : []),
  ];
  return `${pluralize(total, 'event')} replayed to ${name}, ${counts.join(', ')}`;
}

/** Only queues the deliveries: the stack has the secrets and network access to send them. */
function replayInAws(flags: ReplayFlags, stack: string, context: Context): Promise<ExitCode> {
  const { terminal, clock } = context;
  return withPlace<ExitCode>(flags, context, async (stores) => {
    const subscription = await findSubscription(stores.subscriptions, flags.to ?? flags.subscription);
    const { name } = subscription;
    const events = await selectEvents(stores, subscription, flags, clock.now());
    if (flags.dryRun) return printDryRun(events, flags, context);
    const opened = await resendEvents(verbPorts(stores, context), operatorOf(context), subscription, events);
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

/** The server sends them. A dry run lists them from here. */
function replayThroughApi(flags: ReplayFlags, context: Context): Promise<ExitCode> {
  const { terminal, clock } = context;
  return withPlace<ExitCode>(flags, context, async (stores) => {
    const subscription = await findSubscription(stores.subscriptions, flags.subscription);
    const { name } = subscription;
    if (flags.dryRun) return printDryRun(await selectEvents(stores, subscription, flags, clock.now()), flags, context);
    const { event, since, until, type } = flags;
    if (since !== undefined) assertPeriodOrder(since, until ?? clock.now());
    const request = {
      ...(event === undefined ? {} : { event }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(type === undefined ? {} : { type }),
    };
    const result = await stores.client?.replaySubscription(name, request);
    const count = result?.count ?? 0;
    if (flags.json) terminal.out(JSON.stringify({ subscription: name, ...result }));
    else if (count === 0) terminal.out(`no event in this period matches ${name}; nothing queued`);
    else {
      terminal.out(`${pluralize(count, 'event')} queued for ${name}; the server sends them`);
      terminal.out(`check the result with: tidings deliveries${placeFlags(flags)} --subscription ${name}`);
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
    terminal.out(
      `${pluralize(events.length, 'event')} would be sent to ${flags.to ?? flags.subscription}; nothing was sent`,
    );
  return 0;
}

async function selectEvents(
  { events: store, deliveries }: Pick<Stores, 'events' | 'deliveries'>,
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
  const wanted = compileGlob(flags.type ?? '*');
  const period = { since: flags.since ?? (flags.to === undefined ? now : ''), until: flags.until ?? now };
  assertPeriodOrder(period.since, period.until);
  if (flags.to !== undefined) {
    const ids = await listUnsentEvents(deliveries, flags.subscription);
    const unsent = await store.getMany(ids);
    return unsent.filter(({ type, time }) => wanted(type) && time >= period.since && time <= period.until);
  }
  const { received } = await backtest(store, subscription, period);
  return received.filter(({ type }) => wanted(type));
}
