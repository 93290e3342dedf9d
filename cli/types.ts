/** `tidings types`: lists the event types of the catalogue and, with --config, custom ones. */

import type { Command } from 'commander';
import { eventTypeOf, eventTypes } from '../core/events/catalogue.ts';
import { customEventType } from '../core/events/custom-events.ts';
import type { EventType } from '../core/events/event-type.ts';
import { eventSchemas } from '../core/events/schema.ts';
import { resourceOfType, schemaFileOf, schemaNameOf } from '../core/events/schema-name.ts';
import { nearestField } from '../core/events/shape-path.ts';
import { compileGlob } from '../core/filters/match.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { type Terminal, table } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { jsonOption, readTypeGlob } from './options.ts';

interface TypesFlags {
  readonly config?: string;
  readonly json: boolean;
}

export function typesCommand(
  program: Command,
  { terminal, environment }: Context,
  exit: (code: ExitCode) => void,
): void {
  program
    .command('types')
    .summary('list the event types and their meaning')
    .argument('[glob]', "only these types, e.g. 'task.*'", readTypeGlob)
    .option('-c, --config <file>', 'also list the custom event types of this config')
    .addOption(jsonOption())
    .action((glob: string | undefined, { config, json }: TypesFlags) => {
      const custom = config === undefined ? [] : loadConfig(config, environment).customEvents.map(customEventType);
      const wanted = [...eventTypes, ...custom].filter(({ type }) => compileGlob(glob ?? '*')(type));
      if (json) terminal.out(JSON.stringify(wanted.map(described), null, 2));
      else print(wanted, terminal);
      if (wanted.length === 0) {
        const nearest = nearestField(
          glob ?? '',
          eventTypes.map(({ type }) => type),
        );
        terminal.err(`no event type matches '${glob}'${nearest === undefined ? '' : `, did you mean '${nearest}'?`}`);
      }
      exit(wanted.length === 0 ? 1 : 0);
    });
}

/** What programs may rely on. */
function described(eventType: EventType) {
  const { type, meaning, when, byTime = false, urgency } = eventType;
  // A custom type has no schema file, so its schema is included.
  const schema = eventTypeOf(type) === undefined ? eventSchemas([eventType])[schemaNameOf(type)] : schemaFileOf(type);
  return { type, resource: resourceOfType(type), meaning, when, byTime, urgency, schema };
}

function print(types: readonly EventType[], terminal: Terminal): void {
  const rows = types.map(({ type, byTime, meaning }) => [type, byTime === true ? '*' : '', meaning]);
  for (const line of table(rows)) terminal.out(line);
  if (!types.some(({ byTime }) => byTime)) return;
  terminal.out('');
  terminal.out(terminal.paint('dim', '* caused by the passing of time'));
}
