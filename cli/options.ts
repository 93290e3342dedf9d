/** Options several commands share, and the reading of their values. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { OUR_RESOURCES } from '../core/events/schema-name.ts';
import { UsageError } from '../core/model/errors.ts';
import { fromMillis, type Instant, parseDuration, parseInstant, plus, toMillis } from '../core/model/time.ts';
import { resources } from '../core/resources/catalogue.ts';
import { compileGlob } from '../core/subscriptions/match.ts';
import type { DataLocation } from '../runtime/inspect/open-stores.ts';

export const configOption = () => new Option('-c, --config <file>', 'the config file').default('tidings.yaml');

const DATA = '.tidings';

export const dataOption = () => new Option('-d, --data <directory>', 'where the data is kept').default(DATA);

/** For commands that work on a data directory or on a stack; never on both. */
export const awsOption = () =>
  new Option('--aws <stack>', 'on the tables of this stack in AWS instead, with your own credentials and region')
    .conflicts('data')
    .argParser(readStack);

/** For a command that is told to a person: what leads it to the data at hand. */
export function placeWords({ aws, data }: DataLocation): string {
  if (aws !== undefined) return ` --aws ${aws}`;
  return data === DATA ? '' : ` --data ${/^[\w./-]+$/.test(data) ? data : `'${data}'`}`;
}

/** Of a group whose default is `list`: a word that is no command would be told as an argument too many of it. */
export function refuseUnknown(list: Command): void {
  const [word] = list.args;
  if (word === undefined) return;
  const known = list.parent?.commands.map((command) => command.name()).join(', ');
  throw new UsageError('TIDINGS_COMMAND_UNKNOWN', `${list.parent?.name()}: expected one of ${known}, got '${word}'`);
}

export const jsonOption = () => new Option('--json', 'for programs: JSON on stdout, and nothing else').default(false);

export function readInstant(text: string): Instant {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError("Expected an instant with its offset, such as '2026-11-14T09:00:00Z'.");
}

/** An instant, or how long ago: `2h`. */
export function readSince(now: () => Instant): (text: string) => Instant {
  return (text) => {
    const ago = parseDuration(text);
    if (ago !== undefined) return fromMillis(toMillis(now()) - ago);
    const instant = parseInstant(text);
    if (instant !== undefined) return instant;
    throw new InvalidArgumentError(
      "Expected an instant with its offset, such as '2026-11-14T09:00:00Z', or how long ago: '30m', '2h', '7d'.",
    );
  };
}

/** An instant, or how long from the start of the period: `14d`. The start is not known while options are read. */
export function readUntil(text: string): (from: Instant) => Instant {
  const ahead = parseDuration(text);
  if (ahead !== undefined) return (from) => plus(from, ahead);
  const instant = parseInstant(text);
  if (instant !== undefined) return () => instant;
  throw new InvalidArgumentError("Expected an instant such as '2026-11-14T09:00:00Z', or a duration such as '14d'.");
}

/** A period that ends before it begins is a mistake, not an empty answer. */
export function refuseBackwards(from: Instant, until: Instant): void {
  if (until >= from) return;
  throw new UsageError('TIDINGS_PERIOD_BACKWARDS', `--until: expected an instant after ${from}, got ${until}`);
}

/** As CloudFormation lets it be named: what is no name there would be a path elsewhere in Parameter Store. */
function readStack(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(text)) return text;
  throw new InvalidArgumentError("Expected the name of a stack, such as 'Tidings'.");
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 0 to 65535; 0 takes any that is free.');
}

/** A type of a config's own is fine: the data knows it, though the catalogue does not. */
export function readTypeGlob(glob: string): string {
  const known = [...resources.map(({ name }) => name), ...OUR_RESOURCES];
  const matches = compileGlob(glob.split('.')[0] ?? '');
  if (known.some(matches)) return glob;
  throw new InvalidArgumentError("Expected an event type, or a pattern that matches one, such as 'task.*'.");
}
