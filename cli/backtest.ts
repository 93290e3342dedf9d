/** `tidings backtest`: lists the recorded events that a subscription would have received. */

import type { Command } from 'commander';
import { sayEvent } from '../core/events/catalogue.ts';
import { backtest } from '../core/filters/backtest.ts';
import { type Day, dayIn } from '../core/model/calendar.ts';
import { UsageError } from '../core/model/errors.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Instant } from '../core/model/time.ts';
import type { Config } from '../runtime/config/config.ts';
import { loadSubscription, readQuery } from '../runtime/config/load-subscription.ts';
import type { EventFilter } from '../runtime/config/validate-subscription.ts';
import { formatLongDay, formatTime } from '../runtime/terminal/dates.ts';
import {
  countEach,
  formatCounts,
  formatNumber,
  pluralize,
  type Terminal,
  table,
} from '../runtime/terminal/terminal.ts';
import type { Backend } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { addLocationOptions, assertPeriodOrder, jsonOption, readSince } from './options.ts';

interface BacktestFlags extends Location {
  readonly subscription?: string;
  readonly query?: string;
  readonly since: Instant;
  readonly until?: Instant;
  readonly json: boolean;
}

/** A matching event with its day in the account's zone. */
interface Received {
  readonly event: TidingsEvent;
  readonly day: Day;
  readonly zone: string;
}

interface Report {
  readonly filter: EventFilter;
  readonly since: Instant;
  readonly until: Instant;
  readonly recorded: number;
  readonly received: readonly Received[];
}

export function backtestCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, environment, clock } = context;
  const command = program
    .command('backtest')
    .summary('list the recorded events that a subscription would have received')
    .description(
      'Matches a subscription against the recorded events and lists those it would have received. Sends nothing.\n' +
        'The file contains one subscription as in the config: name, events, where; `to` is optional.',
    )
    .option('--subscription <file>', 'YAML or JSON with one subscription')
    .option('--query <words>', 'instead of a file: \'task.overdue project:"Website relaunch"\'')
    .requiredOption(
      '--since <time>',
      "start of the period: a timestamp, or how long ago, e.g. '30d'",
      readSince(clock.now),
    )
    .option('--until <time>', 'end of the period: a timestamp, or how long ago (default: now)', readSince(clock.now))
    .option('-c, --config <file>', 'config with custom event types that the subscription uses');
  addLocationOptions(command)
    .addOption(jsonOption())
    .action(async (flags: BacktestFlags) => {
      const report = await withBackend(flags, context, async (backend) => {
        const filter = readFilter(flags, environment, await backend.customEvents());
        const { since, until = clock.now() } = flags;
        assertPeriodOrder(since, until);
        return reportOn(backend, filter, since, until);
      });
      if (flags.json) terminal.out(JSON.stringify(toJson(report)));
      else print(report, terminal);
      exit(0);
    });
}

function readFilter(
  { subscription, query }: Pick<BacktestFlags, 'subscription' | 'query'>,
  environment: Context['environment'],
  custom: Config['customEvents'],
): EventFilter {
  if (subscription !== undefined && query === undefined) return loadSubscription(subscription, environment, custom);
  const types = custom.map(({ type }) => type);
  if (query !== undefined && subscription === undefined) return { name: query, ...readQuery(query, types) };
  throw new UsageError('TIDINGS_OPTION_INVALID', 'expected either --subscription FILE or --query WORDS');
}

async function reportOn(
  { events, zoneOf }: Backend,
  filter: EventFilter,
  since: Instant,
  until: Instant,
): Promise<Report> {
  const { recorded, received } = await backtest(events, filter, { since, until });
  const sources = new Set(received.map(sourceOf));
  const zones = new Map(await Promise.all([...sources].map(async (one) => [one, await zoneOf(one)] as const)));
  const dated = received.map((event) => {
    const zone = zones.get(sourceOf(event)) ?? 'UTC';
    return { event, zone, day: dayIn(zone, event.time) };
  });
  return { filter, since, until, recorded, received: dated };
}

const sourceOf = ({ source }: TidingsEvent) => source.replace('/sources/', '');
const typesOf = (received: readonly Received[]) => countEach(received.map(({ event }) => event.type));
const daysOf = (received: readonly Received[]) =>
  countEach(received.map(({ day }) => day)).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Stable: programs read it. */
function toJson({ filter, since, until, recorded, received }: Report): object {
  return {
    subscription: filter.name,
    since,
    until,
    recorded,
    received: received.length,
    byType: Object.fromEntries(typesOf(received)),
    byDay: Object.fromEntries(daysOf(received)),
    events: received.map(({ event }) => event),
  };
}

function print({ filter, recorded, received }: Report, { out, paint }: Terminal): void {
  const rows = received.map(({ event, day, zone }) => [
    `${day} ${formatTime(zone, event.time)}`,
    event.type,
    event.subject,
    sayEvent(event),
  ]);
  for (const line of table(rows)) out(line);
  if (received.length > 0) out('');
  const share = `${formatNumber(received.length)} of ${pluralize(recorded, 'recorded event')}`;
  out(`${paint('bold', filter.name)} would have received ${share}; nothing was sent`);
  if (received.length === 0) return;
  out(`by type  ${formatCounts(typesOf(received))}`);
  const perDay = daysOf(received).map(([day, count]) => `${formatLongDay(day)}: ${formatNumber(count)}`);
  for (const [index, line] of perDay.entries()) out(`${index === 0 ? 'by day ' : '       '}  ${line}`);
}
