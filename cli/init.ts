/** `tidings init`: writes a config and `.env` for an account, then runs `check` on them. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { SOURCES } from '../adapters/sources/index.ts';
import { DEFAULT_KIND } from '../adapters/sources/registry.ts';
import { newSigningSecret } from '../core/delivery/signing/sign.ts';
import { TidingsError } from '../core/model/errors.ts';
import { envFileOf } from '../runtime/config/env-file.ts';
import { parseConfig } from '../runtime/config/load.ts';
import { recognizeKind } from '../runtime/inspect/recognize-kind.ts';
import { runCheck } from './check.ts';
import { commandName } from './command-name.ts';
import type { Context, ExitCode } from './context.ts';
import { type Answers, collectAnswers, type InitFlags } from './init-answers.ts';
import { composeSetup, type InitialSetup } from './init-config.ts';
import { configOption, dataOption } from './options.ts';
import { assertFilesFree, type SetupFiles, writeSetup } from './write-setup.ts';

interface Flags extends InitFlags {
  readonly config: string;
  readonly data: string;
  readonly force: boolean;
  readonly check: boolean;
}

export function initCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const collect = (text: string, before: readonly string[]) => [...before, text];
  program
    .command('init')
    .summary('write a config and .env for your account, then check them')
    .description(
      'Writes tidings.yaml and, beside it, .env with the token and secrets, then runs check. On a terminal it asks for what\n' +
        'the options do not say. Existing files are not replaced without --force. Exit code 1 when a check fails.',
    )
    .option('-u, --url <url>', 'base URL of the API')
    .addOption(
      new Option(
        '--token-env <name>',
        'environment variable with the API token; the config refers to it (default: TIDINGS_TOKEN if set)',
      ),
    )
    .addOption(
      new Option('--token <token>', 'the API token, stored in .env; stays in the shell history').conflicts('tokenEnv'),
    )
    .option('--zone <zone>', "time zone of the account, such as Europe/Berlin (default: the zone of the token's user)")
    .addOption(
      new Option(
        '-r, --receiver <address>',
        'URL of a webhook or of a Slack webhook, or a mail address; may be repeated',
      )
        .default([], 'none')
        .argParser<readonly string[]>(collect),
    )
    .option('--smtp <url>', 'mail server, for a receiver that is a mail address; stored in .env')
    .option('--from <sender>', "sender of mails (default: tidings@ the receiver's domain)")
    .addOption(configOption())
    .addOption(dataOption())
    .option('--force', 'replace an existing config, and variables of the same name in .env', false)
    .option('--no-check', 'do not run check, which makes requests')
    .action(async (flags: Flags) => exit(await runInit(flags, context)));
}

async function runInit(flags: Flags, context: Context): Promise<ExitCode> {
  const { terminal, environment } = context;
  const files: SetupFiles = { config: flags.config, env: envFileOf(flags.config), force: flags.force };
  // Before the questions: nobody wants to answer them in vain.
  assertFilesFree(files, []);
  const asked = await askOrCancel(flags, context);
  const answers = flags.check ? await completeAnswers(asked, context) : asked;
  const setup = composeSetup(answers, {
    schema: findSchema(flags.config),
    makeSecret: () => newSigningSecret(randomBytes(32)),
  });
  assertFilesFree(files, Object.keys(setup.variables));
  // Reports what is wrong with the answers before anything is written.
  parseConfig(flags.config, setup.config, { ...environment, ...setup.variables });
  writeSetup(files, setup);
  describeFiles(files, setup, context);
  if (await isUnignored(files.env))
    terminal.out(`note: git does not ignore ${files.env}: add it to .gitignore, because it holds secrets`);
  if (!flags.check) {
    describeNextSteps(flags, answers, context);
    return 0;
  }
  terminal.out('');
  const variables = context.readEnvironment(flags.config);
  const { config, data } = flags;
  const code = await runCheck(
    { config, data, ping: false, forAws: false, json: false },
    { ...context, environment: variables },
  );
  terminal.out('');
  if (code === 0) describeNextSteps(flags, answers, context);
  else
    terminal.out(
      `correct ${files.config} or ${files.env}, then run: ${commandName(context)} check${configFlag(flags)}`,
    );
  return code;
}

/** What the URL itself says: the kind of system, and where it is. One that does not name a time zone gets that of this machine. */
async function completeAnswers(answers: Answers, { terminal }: Context): Promise<Answers> {
  const found = await recognizeKind(answers.url);
  if (found === undefined) {
    const kinds = SOURCES.map(({ title }) => title).join(', ');
    terminal.out(`note: nothing at ${answers.url} answers as one of these does: ${kinds}. Check the URL`);
    return answers;
  }
  const { definition, url } = found;
  if (definition.name === DEFAULT_KIND) return { ...answers, url };
  terminal.out(`found ${definition.title} at ${url}`);
  const zone = answers.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { ...answers, url, kind: definition.name, zone };
}

async function askOrCancel(flags: Flags, { environment, ask }: Context): Promise<Answers> {
  try {
    return await collectAnswers(flags, environment, ask);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    throw new TidingsError('TIDINGS_INIT_CANCELLED', 'cancelled: nothing was written');
  }
}

/** The schema of the package that runs. Relative if it is inside the folder of the config, which may be moved with it. */
function findSchema(configFile: string): string {
  const schema = join(import.meta.dirname, '../schema/tidings.schema.json');
  const path = relative(resolve(dirname(configFile)), schema);
  return (path.startsWith('..') || isAbsolute(path) ? schema : path).replaceAll('\\', '/');
}

function describeFiles({ config, env }: SetupFiles, { variables }: InitialSetup, { terminal }: Context): void {
  const names = Object.keys(variables);
  if (names.length > 0) terminal.out(`wrote ${env} with ${names.join(', ')}; only you can read it`);
  terminal.out(`wrote ${config}`);
}

/** Whether git would offer the file for a commit. False without git, and outside a repository. */
function isUnignored(file: string): Promise<boolean> {
  return new Promise((answer) => {
    const git = execFile('git', ['check-ignore', '--quiet', file], (error) => answer(error?.code === 1));
    git.on('error', () => answer(false));
  });
}

const configFlag = ({ config }: Flags) => (config === 'tidings.yaml' ? '' : ` --config ${config}`);

function describeNextSteps(flags: Flags, { receivers }: Answers, context: Context): void {
  const { out } = context.terminal;
  const command = commandName(context);
  const steps = [
    ...(flags.check ? [] : [['check', 'test the token and the receivers']]),
    ...(receivers.length === 0 ? [] : [['check --ping', 'also send each receiver a test message']]),
    ['once --dry-run', 'show what a first run would do'],
    ['serve', 'run until stopped'],
  ];
  out('next');
  for (const [name = '', what = ''] of steps) out(`  ${`${command} ${name}${configFlag(flags)}`.padEnd(40)} ${what}`);
}
