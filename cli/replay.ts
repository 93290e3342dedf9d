/** `tidings replay`: sends recorded events to one subscription again, marked as replays. */

import type { Command } from 'commander';
import type { DeliveryResult } from '../core/delivery/deliver.ts';
import { sayEvent } from '../core/events/catalogue.ts';
import { UsageError } from '../core/model/errors.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import { formatDelivered } from '../runtime/terminal/narrate.ts';
import { formatNumber, pluralize, table } from '../runtime/terminal/terminal.ts';
import type { ReplayResult, ReplaySummary, ResendRequest } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Ask, Context, ExitCode, Location } from './context.ts';
import { addLocationOptions, configOption, jsonOption, locationFlags, readSince, readTypeGlob } from './options.ts';

interface ReplayFlags extends Location, ResendRequest {
  readonly yes: boolean;
  readonly json: boolean;
}

export function replayCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { clock } = context;
  const command = program
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
    .option('--person <person>', 'only with --event: one of its readers, such as main/5 (default: all of them)')
    .option('--since <time>', "start of the period: a timestamp, or how long ago, e.g. '2h'", readSince(clock.now))
    .option('--until <time>', 'end of the period: a timestamp, or how long ago (default: now)', readSince(clock.now))
    .option('--type <glob>', "only these types, e.g. 'invoice.*'", readTypeGlob)
    .option('--dry-run', 'show what would be sent, and send nothing', false)
    .option('--yes', 'do not ask, on a terminal, before several messages are sent', false)
    .addOption(configOption());
  addLocationOptions(command)
    .addOption(jsonOption())
    .action(async (flags: ReplayFlags) => exit(await runReplay(flags, context)));
}

async function runReplay(flags: ReplayFlags, context: Context): Promise<ExitCode> {
  const { subscription, to, event, person, since, until, type, dryRun, json, yes, ...location } = flags;
  if (to === undefined && (event === undefined) === (since === undefined)) {
    throw new UsageError(
      'TIDINGS_REPLAY_WHAT',
      'expected either --event, or --since with optional --until and --type, or --to',
    );
  }
  const { terminal } = context;
  const report = (one: DeliveryResult) =>
    terminal.out(
      json
        ? JSON.stringify({ delivery: one.delivery, attempt: one.attempt })
        : formatDelivered(one, terminal).join('  '),
    );
  const request = { subscription, to, event, person, since, until, type, dryRun };
  const name = to ?? subscription;
  const result = await withBackend(location, context, async ({ subscriptions }) => {
    // Scripts are not asked: stdin is no terminal there.
    const { ask } = yes || dryRun || json ? { ask: undefined } : context;
    if (ask !== undefined) {
      const planned = await subscriptions.replay({ ...request, dryRun: true }, report);
      if (planned.kind === 'planned' && !(await confirm(planned, name, ask))) return undefined;
    }
    return subscriptions.replay(request, report);
  });
  if (result === undefined) {
    terminal.out('nothing was sent');
    return 1;
  }
  switch (result.kind) {
    case 'planned':
      printPlanned(result.events, name, flags, context);
      return 0;
    case 'sent':
      if (!json) terminal.out(formatSummary(result.summary, result.count, name));
      return result.summary.accepted + result.summary.skipped === result.count ? 0 : 1;
    case 'queued':
      printQueued(result, name, flags, context);
      return 0;
  }
}

/** A single message is what was asked for. */
async function confirm(
  { events, messages }: Extract<ReplayResult, { kind: 'planned' }>,
  name: string,
  ask: Ask,
): Promise<boolean> {
  if (messages <= 1) return true;
  const what = `${pluralize(events.length, 'event')}, ${pluralize(messages, 'message')} to ${name}`;
  return /^y(es)?$/i.test((await ask(`${what}. Send? [y/N] `)).trim());
}

function formatSummary(summary: ReplaySummary, total: number, name: string): string {
  const { accepted, skipped, retrying, failed, held, waiting } = summary;
  const counts = [
    `${formatNumber(accepted)} accepted`,
    ...(skipped > 0 ? [`${formatNumber(skipped)} skipped`] : []),
    ...(retrying > 0 ? [`${formatNumber(retrying)} to be retried`] : []),
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(held > 0 ? [`${formatNumber(held)} held until the subscription is resumed`] : []),
    ...(waiting > 0 ? [`${formatNumber(waiting)} not attempted yet; 'tidings serve' or 'once' sends them`] : []),
  ];
  return `${pluralize(total, 'event')} replayed to ${name}, ${counts.join(', ')}`;
}

/** The API names no deliveries. */
function printQueued(
  { count, sender, deliveries }: Extract<ReplayResult, { kind: 'queued' }>,
  subscription: string,
  flags: ReplayFlags,
  { terminal }: Context,
): void {
  if (flags.json) {
    const lines = deliveries?.map((delivery) => ({ delivery })) ?? [{ subscription, count, dryRun: false }];
    for (const line of lines) terminal.out(JSON.stringify(line));
  } else if (count === 0) terminal.out(`no event in this period matches ${subscription}; nothing queued`);
  else {
    terminal.out(`${pluralize(count, 'event')} queued for ${subscription}; ${sender} sends them`);
    terminal.out(`check the result with: tidings deliveries${locationFlags(flags)} --subscription ${subscription}`);
  }
}

function printPlanned(
  events: readonly TidingsEvent[],
  subscription: string,
  { json }: ReplayFlags,
  { terminal }: Context,
): void {
  const lines = json
    ? events.map((event) => JSON.stringify(event))
    : table(events.map((event) => [event.id, event.type, event.subject, sayEvent(event)]));
  for (const line of lines) terminal.out(line);
  if (!json) terminal.out(`${pluralize(events.length, 'event')} would be sent to ${subscription}; nothing was sent`);
}
