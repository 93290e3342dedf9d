/** `tidings serve`: runs the service until it is stopped, and reloads its config on SIGHUP. */

import { type Command, Option } from 'commander';
import { loadConfig } from '../runtime/config/load.ts';
import { runService } from '../service/run-service.ts';
import { LOG_FORMATS, type LogFormat } from '../service/service-log.ts';
import type { Context, ExitCode } from './context.ts';
import { operatorOf } from './operator.ts';
import { configOption, dataOption, readPort } from './options.ts';

interface ServeFlags {
  readonly config: string;
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly log: LogFormat;
}

export const DEFAULT_PORT = 4020;

export function serveCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('serve')
    .summary('run as a service, on the schedule of the config')
    .description(
      'Polls, announces and delivers until SIGTERM or Ctrl-C, then finishes the attempts in flight and exits. SIGHUP reloads\n' +
        'the config and .env: a valid config takes effect, an invalid one is reported and the old one stays.',
    )
    .addOption(configOption())
    .addOption(dataOption())
    .option('--host <address>', 'address to listen on; others than loopback are open to the network', '127.0.0.1')
    .option(
      '-p, --port <number>',
      'port for the console, the API, /health and /metrics; 0 selects a free port',
      readPort,
      DEFAULT_PORT,
    )
    .addOption(new Option('--log <format>', 'format of the log').choices(LOG_FORMATS).default('text'))
    .action(async (flags: ServeFlags) => {
      const load = () => {
        const environment = context.readEnvironment(flags.config);
        return { config: loadConfig(flags.config, environment), environment };
      };
      await runService(load, flags, { ...context, operator: operatorOf(context) });
      exit(0);
    });
}
