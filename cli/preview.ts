/** `tidings preview`: lists the time-driven events ahead, day by day, and their receivers. */

import type { Command } from 'commander';
import { dayIn } from '../core/model/calendar.ts';
import { DAY, type Instant, plus } from '../core/model/time.ts';
import { sendTimeOf } from '../runtime/inspect/preview.ts';
import { formatLongDay, formatMoment, formatTime } from '../runtime/terminal/dates.ts';
import {
  countEach,
  formatCounts,
  formatNumber,
  pluralize,
  type Terminal,
  table,
} from '../runtime/terminal/terminal.ts';
import type { ShownForecast, ShownPreview } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { addLocationOptions, assertPeriodOrder, configOption, jsonOption, readInstant, readUntil } from './options.ts';

interface PreviewFlags extends Location {
  readonly at?: Instant;
  readonly until?: (from: Instant) => Instant;
  readonly json: boolean;
}

export function previewCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  const command = program
    .command('preview')
    .summary('list the time-driven events ahead and their receivers')
    .description(
      'Lists the events that the passing of time will cause if no record changes: due soon, overdue, reminders and so on.\n' +
        'Reads the stored data only; changes and sends nothing.',
    )
    .option('--at <instant>', 'start of the period (default: now)', readInstant)
    .option('--until <time>', "end of the period: a timestamp or a duration, e.g. '14d' (default: 7d)", readUntil)
    .addOption(configOption());
  addLocationOptions(command)
    .addOption(jsonOption())
    .action(async ({ at, until, json, ...location }: PreviewFlags) => {
      const now = clock.now();
      const from = at ?? now;
      const period = { from, until: until?.(from) ?? plus(from, 7 * DAY) };
      assertPeriodOrder(period.from, period.until);
      const result = await withBackend(location, context, (backend) => backend.preview(period, now));
      if (json) terminal.out(JSON.stringify(toJson(result)));
      else print(result, terminal);
      exit(0);
    });
}

/** Stable: programs read it. */
function toJson({ period, zones, events, unsettled, messages }: ShownPreview): object {
  return {
    at: period.from,
    until: period.until,
    zones,
    unsettled,
    days: [...byDay(events)].map(([day, events]) => ({
      day,
      events: events.map(({ at, event, to, sentAt }) => ({ at, to, sentAt, event })),
    })),
    messages,
    counts: {
      events: events.length,
      byType: Object.fromEntries(countEach(events.map(({ event }) => event.type))),
      bySubscription: Object.fromEntries(countEach(events.flatMap(({ to }) => to))),
    },
  };
}

function print({ period, zones, events, unsettled, messages }: ShownPreview, terminal: Terminal): void {
  const { out, err, paint } = terminal;
  const [zone = 'UTC'] = Object.values(zones);
  const several = Object.keys(zones).length > 1;
  const named = `${formatMoment(zone, period.from)} to ${formatMoment(zone, period.until)} (${zone})`;
  for (const source of unsettled) {
    err(`${source}: the time zone or rules have changed; the next poll restages its records first, without events`);
  }
  if (events.length === 0) {
    out(`no time-driven events: ${named}`);
    printMessages(messages, terminal);
    return;
  }
  out(`${paint('bold', pluralize(events.length, 'time-driven event'))} if no record changes: ${named}`);
  for (const [day, ofDay] of byDay(events)) {
    out('');
    out(`${paint('bold', formatLongDay(day))}  ${paint('dim', pluralize(ofDay.length, 'event'))}`);
    for (const line of table(ofDay.map((one) => rowOf(one, several)))) out(`  ${line}`);
  }
  printMessages(messages, terminal);
  out('');
  const receivers = countEach(events.flatMap(({ to }) => to));
  const unsent = events.filter(({ to }) => to.length === 0).length;
  const noReceiver = unsent === 0 ? [] : [`${formatNumber(unsent)} to no one`];
  out(`by type  ${formatCounts(countEach(events.map(({ event }) => event.type)))}`);
  out(`sent to  ${[...(receivers.length === 0 ? [] : [formatCounts(receivers)]), ...noReceiver].join(', ')}`);
}

/** What people get, when. Webhooks get each event on its own: these are listed above. */
function printMessages(messages: ShownPreview['messages'], { out, paint }: Terminal): void {
  const shown = messages.filter(({ kind }) => kind !== 'events');
  if (shown.length === 0) return;
  out('');
  out(`${paint('bold', 'Messages for people')}  ${paint('dim', pluralize(shown.length, 'message'))}`);
  const rows = shown.map(({ at, zone, subscription, title, kind, people, isHeld }) => {
    const facts = [
      ...(kind === 'digest' ? ['digest'] : []),
      ...(people === null ? [] : [pluralize(people, 'person', 'people')]),
      ...(isHeld ? ['held: the subscription does not send'] : []),
    ];
    return [formatMoment(zone, at), subscription, title, facts.length === 0 ? '' : `(${facts.join(', ')})`];
  });
  for (const line of table(rows)) out(`  ${line}`);
}

/** `finance at 08:00`, `team on Mon 16 Nov, 08:30` */
function formatReceiver(name: string, one: ShownForecast): string {
  const { at, day, zone } = one;
  const sent = sendTimeOf(one, name);
  if (sent === at) return name;
  return dayIn(zone, sent) === day ? `${name} at ${formatTime(zone, sent)}` : `${name} on ${formatMoment(zone, sent)}`;
}

function rowOf(one: ShownForecast, several: boolean): readonly string[] {
  const { at, zone, event, line, to } = one;
  return [
    formatTime(zone, at),
    event.type,
    several && event.source !== undefined ? `${event.source.replace('/sources/', '')}/${event.subject}` : event.subject,
    `→ ${to.length === 0 ? 'no one' : to.map((name) => formatReceiver(name, one)).join(', ')}`,
    line,
  ];
}

/** Days without events are omitted. */
function byDay(events: readonly ShownForecast[]): Map<string, ShownForecast[]> {
  return new Map([...Map.groupBy(events, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1)));
}
