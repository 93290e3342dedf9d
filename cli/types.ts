/** `tidings types`: all event types with what they mean. Reads the catalogue, neither config nor data. */

import type { Command } from 'commander';
import { eventTypes } from '../core/events/catalogue.ts';
import type { EventType } from '../core/events/event-type.ts';
import { resourceOfType, schemaFileOf } from '../core/events/schema-name.ts';
import { compileGlob } from '../core/subscriptions/match.ts';
import type { Context, ExitCode } from './context.ts';
import { jsonOption, readTypeGlob } from './options.ts';
import { type Terminal, table } from './terminal.ts';

interface TypesFlags {
  readonly json: boolean;
}

export function typesCommand(program: Command, { terminal }: Context, exit: (code: ExitCode) => void): void {
  program
    .command('types')
    .summary('list the types of events, and what each means')
    .argument('[glob]', "only these types, e.g. 'task.*'", readTypeGlob)
    .addOption(jsonOption())
    .action((glob: string | undefined, { json }: TypesFlags) => {
      const wanted = eventTypes.filter(({ type }) => compileGlob(glob ?? '*')(type));
      if (json) terminal.out(JSON.stringify(wanted.map(described), null, 2));
      else print(wanted, terminal);
      exit(0);
    });
}

/** What programs may rely on. */
function described({ type, meaning, when, byTime = false, urgency }: EventType) {
  return { type, resource: resourceOfType(type), meaning, when, byTime, urgency, schema: schemaFileOf(type) };
}

function print(types: readonly EventType[], terminal: Terminal): void {
  const rows = types.map(({ type, byTime, meaning }) => [type, byTime === true ? '*' : '', meaning]);
  for (const line of table(rows)) terminal.out(line);
  if (!types.some(({ byTime }) => byTime)) return;
  terminal.out('');
  terminal.out(terminal.paint('dim', '* comes by time alone'));
}
