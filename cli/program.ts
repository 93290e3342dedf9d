/** The command line: commands, help and exit codes. */

import { Command, CommanderError, Help } from 'commander';
import { ConfigError, errorMessage, UsageError } from '../core/model/errors.ts';
import type { Environment } from '../runtime/config/config.ts';
import { withEnvFile } from '../runtime/config/env-file.ts';
import { type Context, DEFAULT_CONFIG, type ProcessContext } from './context.ts';

type Register = (program: Command, context: Context, exit: (code: 0 | 1) => void) => void;

/** In the order of the help. Each command is loaded on demand, so that commands start quickly. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  init: async () => (await import('./init.ts')).initCommand,
  validate: async () => (await import('./validate.ts')).validateCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  once: async () => (await import('./once.ts')).onceCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  types: async () => (await import('./types.ts')).typesCommand,
  events: async () => (await import('./events.ts')).eventsCommand,
  deliveries: async () => (await import('./deliveries.ts')).deliveriesCommand,
  sources: async () => (await import('./sources.ts')).sourcesCommand,
  subscriptions: async () => (await import('./subscriptions.ts')).subscriptionsCommand,
  console: async () => (await import('./console.ts')).consoleCommand,
  slack: async () => (await import('./slack.ts')).slackCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  replay: async () => (await import('./replay.ts')).replayCommand,
  explain: async () => (await import('./explain.ts')).explainCommand,
  preview: async () => (await import('./preview.ts')).previewCommand,
  render: async () => (await import('./render.ts')).renderCommand,
  backtest: async () => (await import('./backtest.ts')).backtestCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./backup.ts')).restoreCommand,
  export: async () => (await import('./move.ts')).exportCommand,
  import: async () => (await import('./move.ts')).importCommand,
  listen: async () => (await import('./listen.ts')).listenCommand,
  'test-endpoint': async () => (await import('./test-endpoint.ts')).testEndpointCommand,
  simulate: async () => (await import('./simulate.ts')).simulateCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  cost: async () => (await import('./cost.ts')).costCommand,
};

/** Old command names that still work but are not in the help. */
const ALIASES: ReadonlyMap<string, string> = new Map([['exam', 'test-endpoint']]);

const VERSION_FLAGS = ['-V', '--version'];

/** The named command; none for the version, all commands for help or an unknown name. */
function commandsFor([name = '']: readonly string[]): Promise<readonly Register[]> {
  if (VERSION_FLAGS.includes(name)) return Promise.resolve([]);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return Promise.all((command === undefined ? Object.values(COMMANDS) : [command]).map((load) => load()));
}

interface EnvironmentFlags {
  readonly config?: string;
  readonly secretEnv?: string;
}

/** `init` writes `.env` itself. */
function isConfigRead(command: Command): boolean {
  return command.opts<EnvironmentFlags>().config !== undefined && command.name() !== 'init';
}

/** TIDINGS_API_URL stands for `--api`, unless the command line names a data directory or a stack. */
function useApiOfEnvironment(command: Command, { TIDINGS_API_URL: url }: Environment): void {
  const isNamed = ['api', 'data', 'aws'].some((name) => command.getOptionValueSource(name) === 'cli');
  const hasApi = command.options.some(({ long }) => long === '--api');
  if (hasApi && !isNamed && url !== undefined && url !== '') command.setOptionValueWithSource('api', url, 'env');
}

/** The commands that need the machine itself do not have the option. */
const WITH_API =
  'with --api these commands work: events, explain, deliveries, subscriptions (except export), replay, status, sources (except forget and adopt), keys, backtest, preview';

/** `list events` is `List events.` */
function asSentence(summary: string): string {
  return summary === '' ? '' : `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** Returns the exit code: 0 success, 1 failure, 2 invalid usage or config. */
export async function run(args: readonly string[], version: string, process: ProcessContext): Promise<0 | 1 | 2> {
  const { terminal } = process;
  const readEnvironment = (configFile: string) => withEnvFile(configFile, process.environment);
  const environment = { ...process.environment };
  const context: Context = { ...process, version, environment, readEnvironment };
  let code: 0 | 1 = 0;
  const exit = (result: 0 | 1) => {
    code = result;
  };
  const program = new Command('tidings')
    .description('Events, webhooks and messages for a work-management API that has none.')
    .version(version)
    .showHelpAfterError('(see tidings --help or tidings <command> --help)')
    .exitOverride()
    // Commands are registered with the environment before their options are known.
    .hook('preAction', (_, command) => {
      const { config = DEFAULT_CONFIG, secretEnv } = command.opts<EnvironmentFlags>();
      if (isConfigRead(command) || secretEnv !== undefined) Object.assign(environment, readEnvironment(config));
      useApiOfEnvironment(command, environment);
    })
    // Wrap at the width of the terminal, not at the line ends of the source.
    .configureHelp({
      commandDescription: (command) => (command.description() || asSentence(command.summary())).replaceAll('\n', ' '),
      // The default of every flag is off: naming it adds nothing.
      optionDescription: (option) => new Help().optionDescription(option).replace(' (default: false)', ''),
    })
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) =>
        write(text.includes("unknown option '--api'") ? `${text.trimEnd()}; ${WITH_API}` : text),
    });
  const argv = args.map((arg, index) => (index === 0 ? (ALIASES.get(arg) ?? arg) : arg));
  for (const register of await commandsFor(argv)) register(program, context, exit);
  program.addHelpText('after', '\nExit codes: 0 success, 1 failure, 2 invalid usage or config.');
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already printed the error. Help and version end this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.err(`tidings: ${errorMessage(error)}`);
    return error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
  }
}
