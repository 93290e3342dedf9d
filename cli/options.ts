/** Options that several commands share, and parsers for their values. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { OUR_RESOURCES } from '../core/events/schema-name.ts';
import { compileGlob } from '../core/filters/match.ts';
import { UsageError } from '../core/model/errors.ts';
import { fromMillis, type Instant, parseDuration, parseInstant, plus, toMillis } from '../core/model/time.ts';
import { resources } from '../core/resources/catalogue.ts';
import type { Environment } from '../runtime/config/config.ts';
import { DEFAULT_CONFIG, type Location } from './context.ts';

export const configOption = () => new Option('-c, --config <file>', 'the config file').default(DEFAULT_CONFIG);

const DATA = '.tidings';

export const dataOption = () => new Option('-d, --data <directory>', 'the data directory').default(DATA);

/** For commands that work on either a data directory or a stack. */
export const awsOption = () =>
  stackOption('use the tables of this AWS stack instead, with your own credentials and region');

export const stackOption = (description: string) =>
  new Option('--aws <stack>', description).conflicts('data').argParser(readStack);

/** For commands that also work through the API. `program.ts` reads TIDINGS_API_URL. */
export function addLocationOptions(command: Command): Command {
  return command
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(
      new Option('--api <url>', 'use the management API at this address instead (or TIDINGS_API_URL)').conflicts([
        'data',
        'aws',
      ]),
    )
    .addOption(new Option('--key <key>', 'the key of the API; better: TIDINGS_API_KEY'));
}

/** The flags that select the same data in a command suggested to the user. */
export function locationFlags({ api, aws, data }: Location): string {
  if (api !== undefined) return ` --api ${api}`;
  if (aws !== undefined) return ` --aws ${aws}`;
  return data === DATA ? '' : ` --data ${/^[\w./-]+$/.test(data) ? data : `'${data}'`}`;
}

/** For groups whose default is `list`: otherwise an unknown command would be reported as an extra argument of `list`. */
export function rejectUnknownCommand(list: Command): void {
  const [name] = list.args;
  if (name === undefined) return;
  const commands = list.parent?.commands.map((command) => command.name()).join(', ');
  throw new UsageError('TIDINGS_COMMAND_UNKNOWN', `${list.parent?.name()}: expected one of ${commands}, got '${name}'`);
}

/** The help of a group whose default is `list` also shows the options of `list`: `tidings deliveries --status failed`. */
export function showDefaultOptions(group: Command): void {
  group.addHelpText('after', () => {
    const list = group.commands.find((command) => command.name() === 'list');
    const rows = (list?.options ?? []).map(({ flags, description }) => `  ${flags.padEnd(24)}  ${description}`);
    return ['', `Options of ${group.name()} list, which is the default:`, ...rows].join('\n');
  });
}

export const jsonOption = () =>
  new Option('--json', 'print JSON for programs, and nothing else, on stdout').default(false);

export function readInstant(text: string): Instant {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError("Expected a timestamp with its offset, such as '2026-11-14T09:00:00Z'.");
}

/** An instant, or how long ago: `2h`. */
export function readSince(now: () => Instant): (text: string) => Instant {
  return (text) => {
    const ago = parseDuration(text);
    if (ago !== undefined) return fromMillis(toMillis(now()) - ago);
    const instant = parseInstant(text);
    if (instant !== undefined) return instant;
    throw new InvalidArgumentError(
      "Expected a timestamp with its offset, such as '2026-11-14T09:00:00Z', or how long ago: '30m', '2h', '7d'.",
    );
  };
}

/** An instant, or a duration from the start of the period: `14d`. The start is not known while options are parsed. */
export function readUntil(text: string): (from: Instant) => Instant {
  const ahead = parseDuration(text);
  if (ahead !== undefined) return (from) => plus(from, ahead);
  const instant = parseInstant(text);
  if (instant !== undefined) return () => instant;
  throw new InvalidArgumentError("Expected a timestamp such as '2026-11-14T09:00:00Z', or a duration such as '14d'.");
}

/** A period that ends before it starts is a mistake, not an empty result. */
export function assertPeriodOrder(from: Instant, until: Instant): void {
  if (until >= from) return;
  throw new UsageError('TIDINGS_PERIOD_BACKWARDS', `--until: expected a time after ${from}, got ${until}`);
}

/** CloudFormation's own rule. Other characters would form another path in Parameter Store. */
function readStack(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(text)) return text;
  throw new InvalidArgumentError("Expected a stack name such as 'Tidings'.");
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 0 to 65535; 0 selects a free port.');
}

/** Custom event types of a config are accepted too: they belong to a known resource. */
export function readTypeGlob(glob: string): string {
  const names = [...resources.map(({ name }) => name), ...OUR_RESOURCES];
  const matches = compileGlob(glob.split('.')[0] ?? '');
  if (names.some(matches)) return glob;
  throw new InvalidArgumentError("Expected an event type or a pattern such as 'task.*'.");
}

/** The signing secret: an environment variable, or the command line for a quick try. */
export interface SecretFlags {
  readonly secret?: string;
  readonly secretEnv?: string;
}

export function addSecretOptions(command: Command, fallback: string): Command {
  return command
    .addOption(new Option('--secret <secret>', `the signing secret, 'whsec_…' (default: ${fallback})`))
    .addOption(
      new Option(
        '--secret-env <name>',
        'environment variable with the secret; keeps it out of the shell history',
      ).conflicts('secret'),
    );
}

/** Undefined when no secret is given. */
export function readSecret({ secret, secretEnv }: SecretFlags, environment: Environment): string | undefined {
  if (secretEnv === undefined) return secret;
  const value = environment[secretEnv];
  if (value !== undefined && value !== '') return value;
  throw new UsageError('TIDINGS_SECRET_UNAVAILABLE', `--secret-env: the environment variable ${secretEnv} is not set`);
}
