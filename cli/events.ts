/** `tidings events`: the recorded events, newest last. */

import { type Command, InvalidArgumentError } from 'commander';
import { eventTypes } from '../core/events/catalogue.ts';
import { OUR_RESOURCES } from '../core/events/schema-name.ts';
import { nearestField } from '../core/events/shape-path.ts';
import { compileGlob } from '../core/filters/match.ts';
import { groupByChange } from '../core/messages/change-events.ts';
import { lineOf } from '../core/messages/neutral-message.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Instant } from '../core/model/time.ts';
import { resources } from '../core/resources/catalogue.ts';
import { createSignal } from '../runtime/embedded/signal.ts';
import { formatStamp } from '../runtime/terminal/dates.ts';
import { type Terminal, table } from '../runtime/terminal/terminal.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { noteZone } from './note-zone.ts';
import { addLocationOptions, jsonOption, readSince, readTypeGlob } from './options.ts';

interface EventsFlags extends Location {
  readonly type?: string;
  readonly subject?: string;
  readonly since?: Instant;
  readonly json: boolean;
  readonly follow: boolean;
}

/** Events read and printed at a time. */
const PAGE_SIZE = 200;

export function eventsCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  addLocationOptions(program.command('events').summary('list recorded events, newest last'))
    .option('--type <glob>', "only these types, e.g. 'task.*'", readTypeGlob)
    .option('--subject <subject>', "only for this record, e.g. 'task/123'", readSubject)
    .option('--since <time>', "only since this time, or this long ago, e.g. '2h'", readSince(context.clock.now))
    .addOption(jsonOption())
    .option('-f, --follow', 'keep printing new events until Ctrl-C', false)
    .action(async (flags: EventsFlags) => exit(await showEvents(flags, context)));
}

async function showEvents(flags: EventsFlags, context: Context): Promise<ExitCode> {
  const { terminal, stop } = context;
  return withBackend<ExitCode>(flags, context, async ({ events: store, pollEvery, readZone }) => {
    const wanted = compileGlob(flags.type ?? '*');
    const signal = createSignal();
    const types = flags.type === undefined ? undefined : [flags.type];
    let after: string | undefined;
    let isEmpty = true;
    let zone: string | undefined;
    while (!stop.aborted) {
      const { since, subject } = flags;
      const { events, cursor, more } = await store.list({ limit: PAGE_SIZE, since, subject, types, after });
      const matching = events.filter(({ type }) => wanted(type));
      if (matching.length > 0) isEmpty = false;
      if (flags.json) for (const event of matching) terminal.out(JSON.stringify(event));
      else if (matching.length > 0) {
        if (zone === undefined) {
          zone = await readZone();
          noteZone(zone, terminal);
        }
        print(matching, zone, terminal);
      }
      after = cursor ?? after;
      if (more) continue;
      if (!flags.follow) break;
      await signal.wait(pollEvery, stop);
    }
    if (isEmpty && !flags.json && !flags.follow) terminal.err(`no events found${suggestType(flags.type)}`);
    return 0;
  });
}

/** A misspelled type matches nothing. The config may define types that are not known here. */
function suggestType(glob: string | undefined): string {
  const types = eventTypes.map(({ type }) => type);
  if (glob === undefined || types.some(compileGlob(glob))) return '';
  const nearest = nearestField(glob, types);
  return `; no type of the catalogue matches '${glob}'${nearest === undefined ? '' : `, did you mean '${nearest}'?`}`;
}

/** `task/123`. A resource that does not exist is a mistake, not an empty result. */
function readSubject(subject: string): string {
  const [resource = ''] = subject.split('/');
  const names = [...resources.map(({ name }) => name), ...OUR_RESOURCES];
  if (names.includes(resource) && subject.length > resource.length + 1) return subject;
  const nearest = nearestField(resource, names);
  throw new InvalidArgumentError(
    `Expected a record such as 'task/123'${nearest === undefined || nearest === resource ? '.' : `; did you mean '${nearest}'?`}`,
  );
}

/** One line for each change, with all its types: `--json` has a line for each event. */
function print(events: readonly TidingsEvent[], zone: string, terminal: Terminal): void {
  const rows = groupByChange(events).map(([lead, ...others]) => [
    formatStamp(zone, lead.time),
    [lead, ...others].map(({ type }) => type).join(', '),
    lead.subject,
    `${lineOf(lead, others)}${lead.test === true ? '  [test]' : ''}  ${terminal.paint('dim', lead.id)}`,
  ]);
  for (const line of table(rows)) terminal.out(line);
}
