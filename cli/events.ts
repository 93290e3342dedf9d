/** `tidings events`: the recorded events, newest last. */

import { type Command, InvalidArgumentError } from 'commander';
import { sqliteLedger } from '../adapters/sqlite/ledger.ts';
import { sayEvent } from '../core/events/catalogue.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import { type Instant, SECOND } from '../core/model/time.ts';
import type { EventQuery } from '../core/ports/ledger.ts';
import { resources } from '../core/resources/catalogue.ts';
import { compileGlob } from '../core/subscriptions/match.ts';
import { createBell } from '../runtime/bell.ts';
import { openExistingData } from '../runtime/data-directory.ts';
import type { Context, ExitCode } from './context.ts';
import { dataOption, jsonOption, readSince } from './options.ts';
import { type Terminal, table } from './terminal.ts';

interface EventsFlags {
  readonly data: string;
  readonly type?: string;
  readonly subject?: string;
  readonly since?: Instant;
  readonly json: boolean;
  readonly follow: boolean;
}

/** Rows read and printed at a time. */
const PAGE = 200;

export function eventsCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('events')
    .summary('show the recorded events, newest last')
    .addOption(dataOption())
    .option('--type <glob>', "only these types, e.g. 'task.*'", readTypeGlob)
    .option('--subject <subject>', "only of this record, e.g. 'task/123'")
    .option('--since <time>', "only since this instant, or this long ago, e.g. '2h'", readSince(context.clock.now))
    .addOption(jsonOption())
    .option('-f, --follow', 'go on showing them as they come, until Ctrl-C', false)
    .action(async (flags: EventsFlags) => exit(await showEvents(flags, context)));
}

/** A type of a config's own is fine: the data knows it, though the catalogue does not. */
function readTypeGlob(glob: string): string {
  const known = [...resources.map(({ name }) => name), 'source'];
  const matches = compileGlob(glob.split('.')[0] ?? '');
  if (known.some(matches)) return glob;
  throw new InvalidArgumentError("Expected an event type, or a pattern that matches one, such as 'task.*'.");
}

async function showEvents(flags: EventsFlags, { terminal, stop }: Context): Promise<ExitCode> {
  const database = openExistingData(flags.data);
  try {
    const ledger = sqliteLedger(database);
    const wanted = compileGlob(flags.type ?? '*');
    const bell = createBell();
    let query: EventQuery = {
      limit: PAGE,
      ...(flags.since === undefined ? {} : { since: flags.since }),
      ...(flags.subject === undefined ? {} : { subject: flags.subject }),
    };
    while (!stop.aborted) {
      const { events, cursor } = await ledger.events(query);
      print(
        events.filter(({ type }) => wanted(type)),
        flags.json,
        terminal,
      );
      if (cursor !== undefined) query = { ...query, after: cursor };
      if (events.length === PAGE) continue;
      if (!flags.follow) break;
      await bell.wait(SECOND / 2, stop);
    }
    return 0;
  } finally {
    database.close();
  }
}

function print(events: readonly TidingsEvent[], json: boolean, terminal: Terminal): void {
  const lines = json
    ? events.map((event) => JSON.stringify(event))
    : table(
        events.map((event) => [event.time.slice(0, 19).replace('T', ' '), event.type, event.subject, sayEvent(event)]),
      );
  for (const line of lines) terminal.out(line);
}
