/** `tidings sources add`, `change`, `show` and `remove`: sources that are kept in the data, beside those of the config. */

import { type Command, Option } from 'commander';
import { SOURCES } from '../adapters/sources/index.ts';
import { UsageError } from '../core/model/errors.ts';
import { type JsonObject, readJsonObject } from '../core/model/json.ts';
import type { GivenToken } from '../manage/api/source-settings.ts';
import { formatNumber, table } from '../runtime/terminal/terminal.ts';
import { withBackend } from './backend/open-backend.ts';
import type { ShownSource } from './backend/source-operations.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { TOKEN_VARIABLE } from './init-answers.ts';
import { addLocationOptions, configOption, jsonOption, locationFlags } from './options.ts';

type Exit = (code: ExitCode) => void;

interface SettingFlags {
  readonly url?: string;
  readonly kind?: string;
  readonly zone?: string;
  readonly announceExisting?: boolean;
  readonly settings?: string;
}

interface TokenFlags {
  readonly tokenEnv?: string;
  readonly tokenRef?: string;
}

type AddFlags = Location & SettingFlags & TokenFlags & { readonly json: boolean };

export function addManageSourcesCommands(group: Command, context: Context, exit: Exit): void {
  const add = group
    .command('add')
    .summary('check an account and add it as a source; it is polled within seconds, in AWS within two minutes')
    .description(
      'Adds a source that is kept with the data, not in the config. It is checked first: the address, the token, what it may\n' +
        'read, and the time zone. The token is stored encrypted; on a terminal it is asked for. The first poll sends no events.',
    )
    .argument('<name>', 'the name of the account, used in every key and event')
    .requiredOption('-u, --url <url>', 'base URL of the API');
  addOptions(add).action(async (name: string, flags: AddFlags) => {
    const token = await readToken(flags, context);
    if (token === undefined) throw missingToken();
    const settings = { ...settingsOf(flags), name };
    const source = await withBackend(flags, context, ({ sources }) => sources.add(settings, token)).catch(toFlags);
    print(source, flags.json, 'added', context);
    exit(0);
  });
  const change = group
    .command('change')
    .summary('change a source that was added; it is checked as a new one')
    .argument('<name>', 'the source')
    .option('-u, --url <url>', 'base URL of the API')
    .option('--token', `another token: ${TOKEN_VARIABLE} if set, else it is asked for`, false);
  addOptions(change).action(async (name: string, flags: AddFlags & { readonly token: boolean }) => {
    const isTokenWanted = flags.token || flags.tokenEnv !== undefined || flags.tokenRef !== undefined;
    const token = isTokenWanted ? await readToken(flags, context) : undefined;
    if (isTokenWanted && token === undefined) throw missingToken();
    const patch = settingsOf(flags);
    if (token === undefined && Object.keys(patch).length === 0)
      throw new UsageError(
        'TIDINGS_OPTION_MISSING',
        'sources change: expected at least one option that changes something',
      );
    const source = await withBackend(flags, context, ({ sources }) => sources.change(name, patch, token)).catch(
      toFlags,
    );
    print(source, flags.json, 'changed', context);
    exit(0);
  });
  const show = group
    .command('show')
    .summary('show the settings of a source that was added, without its token')
    .argument('<name>', 'the source')
    .addOption(configOption());
  addLocationOptions(show)
    .addOption(jsonOption())
    .action(async (name: string, { json, ...location }: Location & { readonly json: boolean }) => {
      print(await withBackend(location, context, ({ sources }) => sources.show(name)), json, 'source', context);
      exit(0);
    });
  const remove = group
    .command('remove')
    .summary('stop polling a source that was added; its records, events and deliveries stay')
    .description('Its records are deleted with: tidings sources forget NAME')
    .argument('<name>', 'the source')
    .addOption(configOption());
  addLocationOptions(remove).action(async (name: string, location: Location) => {
    await withBackend(location, context, ({ sources }) => sources.remove(name));
    const where = location.api === undefined ? locationFlags(location) : '';
    const place = location.api === undefined ? '' : ' on the machine of the service';
    context.terminal.out(`removed ${name}; its records stay until${place}: tidings sources forget ${name}${where}`);
    exit(0);
  });
}

function addOptions(command: Command): Command {
  command
    .addOption(
      new Option('--kind <kind>', 'the system to poll (default: the one that answers at the address)').choices(
        SOURCES.map(({ name }) => name),
      ),
    )
    .option('--zone <zone>', "time zone of the account, such as Europe/Berlin (default: the zone of the token's user)")
    .option('--token-env <name>', `environment variable with the token (default: ${TOKEN_VARIABLE} if set)`)
    .addOption(
      new Option(
        '--token-ref <reference>',
        "where the token is: 'ssm:NAME' or 'secret:NAME' in AWS, 'file:PATH' or '${NAME}' elsewhere",
      ).conflicts('tokenEnv'),
    )
    .option('--announce-existing', 'the first poll sends events for what is already overdue')
    .option('--settings <json>', 'further settings as in the config, such as \'{"resources":{"task":{"every":"1m"}}}\'')
    .addOption(configOption());
  return addLocationOptions(command).addOption(jsonOption());
}

function settingsOf({
  url,
  kind,
  zone,
  announceExisting,
  settings = '{}',
}: SettingFlags): Readonly<Record<string, unknown>> {
  const further = readJson(settings);
  const flags = {
    ...(url === undefined ? {} : { baseUrl: url }),
    ...(kind === undefined ? {} : { kind }),
    ...(zone === undefined ? {} : { timeZone: zone }),
    ...(announceExisting === true ? { announceExisting } : {}),
  };
  const twice = Object.keys(flags).find((key) => key in further);
  if (twice !== undefined)
    throw new UsageError(
      'TIDINGS_OPTION_INVALID',
      `--settings: expected no ${twice}, which ${flagOf(`/${twice}`)} sets`,
    );
  return { ...further, ...flags };
}

/** The part of the command line that a setting comes from, by its pointer. */
const FLAGS: Readonly<Record<string, string>> = {
  '/name': '<name>',
  '/baseUrl': '--url',
  '/kind': '--kind',
  '/timeZone': '--zone',
  '/announceExisting': '--announce-existing',
  '/token': 'token (--token-env, --token-ref; change: --token)',
};

const flagOf = (pointer: string) => FLAGS[pointer] ?? `--settings ${pointer}`;

/** The API and the checks name a setting by its pointer. A person at a command line knows the options. */
function toFlags(error: unknown): never {
  if (!(error instanceof UsageError)) throw error;
  const message = error.message.replace(/(^|; )(\/[\w/~-]+):/g, (_, before, pointer) => `${before}${flagOf(pointer)}:`);
  throw new UsageError(error.code, message);
}

function readJson(text: string): JsonObject {
  const value = readJsonObject(text);
  if (value !== undefined && !('token' in value) && !('name' in value)) return value;
  throw new UsageError(
    'TIDINGS_OPTION_INVALID',
    '--settings: expected a JSON object with settings of a source, without the token and the name',
  );
}

/** Never from the command line itself, which other users and the shell's history show. */
async function readToken(
  { tokenEnv, tokenRef }: TokenFlags,
  { environment, ask }: Pick<Context, 'environment' | 'ask'>,
): Promise<GivenToken | undefined> {
  if (tokenRef !== undefined) return { reference: tokenRef };
  const name = tokenEnv ?? TOKEN_VARIABLE;
  const set = environment[name]?.trim() ?? '';
  if (set !== '') return { value: set };
  if (tokenEnv !== undefined)
    throw new UsageError('TIDINGS_OPTION_INVALID', `--token-env: expected the variable ${tokenEnv} to be set`);
  const asked = (await ask?.('API token (not shown while you type): ', { hidden: true }))?.trim() ?? '';
  return asked === '' ? undefined : { value: asked };
}

function missingToken(): UsageError {
  const message = `expected a token in ${TOKEN_VARIABLE}, in the variable of --token-env, or a reference as --token-ref`;
  return new UsageError('TIDINGS_OPTION_MISSING', message);
}

/** Of the longest name of a setting. */
const TITLE_WIDTH = 'announceExisting'.length;

function print(shown: ShownSource, json: boolean, what: string, { terminal: { out, err } }: Context): void {
  if (json) {
    out(JSON.stringify(shown));
    return;
  }
  const { source, settings, tokenReference, unused, check } = shown;
  const line = (title: string, text: string) => out(`${title.padEnd(TITLE_WIDTH)} ${text}`);
  line(what, `${source} at ${String(settings.baseUrl)}`);
  const { name: _, baseUrl: __, ...further } = settings;
  for (const [key, value] of Object.entries(further))
    line(key, typeof value === 'string' ? value : JSON.stringify(value));
  line('token', tokenReference ?? 'stored encrypted');
  if (check !== null && check !== undefined) {
    const { person, resources, requestsADay, warnings } = check;
    const owner = [person?.name ?? `person ${person?.id ?? 'unknown'}`, person?.role, person?.timeZone];
    line('token of', owner.filter((part) => part !== null && part !== undefined).join(', '));
    line('forecast', `${formatNumber(requestsADay)} requests per day`);
    const rows = resources.map(({ resource, count, problem }) => [
      resource,
      count === null ? '-' : formatNumber(count),
      problem ?? '',
    ]);
    for (const row of table([['resource', 'records', ''], ...rows])) line('', row);
    for (const warning of warnings) err(`!  ${warning}`);
  }
  if (unused !== null && unused !== undefined) err(`!  it is not polled: ${unused}`);
}
