/** `tidings preview`: what is going to happen from time alone, day by day, and who would be told. */

import type { Command } from 'commander';
import { sayEvent } from '../core/events/catalogue.ts';
import { DAY, type Instant, plus } from '../core/model/time.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import { type ForecastEvent, type Preview, preview } from '../runtime/inspect/preview.ts';
import type { Context, ExitCode } from './context.ts';
import { sayDay, sayMoment, sayTime } from './dates.ts';
import { loadConfigFor } from './load-config.ts';
import { awsOption, configOption, dataOption, jsonOption, readInstant, readUntil, refuseBackwards } from './options.ts';
import { countEach, counted, number, sayCounts, type Terminal, table } from './terminal.ts';

interface PreviewFlags extends DataLocation {
  readonly config: string;
  readonly at?: Instant;
  readonly until?: (from: Instant) => Instant;
  readonly json: boolean;
}

export function previewCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, environment, clock } = context;
  program
    .command('preview')
    .summary('what is going to happen from time alone, and who would be told')
    .description(
      'What would fire because days pass, if nobody changed anything: due soon, overdue, reminders and the like.\n' +
        'Asks nobody but the data, changes nothing and sends nothing.',
    )
    .option('--at <instant>', 'from this instant on (default: now)', readInstant)
    .option('--until <time>', "up to this instant, or this long, e.g. '14d' (default: 7d)", readUntil)
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(jsonOption())
    .action(async (flags: PreviewFlags) => {
      const config = loadConfigFor(flags, environment);
      const now = clock.now();
      const from = flags.at ?? now;
      const period = { from, until: flags.until?.(from) ?? plus(from, 7 * DAY) };
      refuseBackwards(period.from, period.until);
      const told = await withStores(flags, context, (ports) => preview(ports, config, period, now));
      if (flags.json) terminal.out(JSON.stringify(toJson(told)));
      else print(told, terminal);
      exit(0);
    });
}

/** Stable: programs read it. */
function toJson({ period, zones, events, unsettled }: Preview): object {
  return {
    at: period.from,
    until: period.until,
    zones,
    unsettled,
    days: [...byDay(events)].map(([day, events]) => ({
      day,
      events: events.map(({ at, event, to }) => ({ at, to, event })),
    })),
    counts: {
      events: events.length,
      byType: Object.fromEntries(countEach(events.map(({ event }) => event.type))),
      bySubscription: Object.fromEntries(countEach(events.flatMap(({ to }) => to))),
    },
  };
}

function print({ period, zones, events, unsettled }: Preview, { out, err, paint }: Terminal): void {
  const [zone = 'UTC'] = Object.values(zones);
  const several = Object.keys(zones).length > 1;
  const named = `${sayMoment(zone, period.from)} to ${sayMoment(zone, period.until)} (${zone})`;
  for (const source of unsettled) {
    err(`${source}: zone or rules changed since the last poll, which will reckon its days anew first, silently`);
  }
  if (events.length === 0) {
    out(`nothing is going to happen from time alone: ${named}`);
    return;
  }
  out(`${paint('bold', counted(events.length, 'event'))} from time alone, if nobody changes anything: ${named}`);
  for (const [day, ofDay] of byDay(events)) {
    out('');
    out(`${paint('bold', sayDay(day))}  ${paint('dim', counted(ofDay.length, 'event'))}`);
    for (const line of table(ofDay.map((one) => rowOf(one, several)))) out(`  ${line}`);
  }
  out('');
  const heard = countEach(events.flatMap(({ to }) => to));
  const unheard = events.filter(({ to }) => to.length === 0).length;
  const nobody = unheard === 0 ? [] : [`${number(unheard)} to nobody`];
  out(`by type  ${sayCounts(countEach(events.map(({ event }) => event.type)))}`);
  out(`to whom  ${[...(heard.length === 0 ? [] : [sayCounts(heard)]), ...nobody].join(', ')}`);
}

function rowOf({ at, zone, event, to }: ForecastEvent, several: boolean): readonly string[] {
  return [
    sayTime(zone, at),
    event.type,
    several ? `${event.source.replace('/sources/', '')}/${event.subject}` : event.subject,
    `→ ${to.length === 0 ? 'nobody' : to.join(', ')}`,
    sayEvent(event),
  ];
}

/** Days without an event are left out. */
function byDay(events: readonly ForecastEvent[]): Map<string, ForecastEvent[]> {
  return new Map([...Map.groupBy(events, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1)));
}
