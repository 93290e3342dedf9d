/** The command line: its commands, its help, and what each way of ending means. */

import { Command, CommanderError } from 'commander';
import { ConfigError, messageOf, UsageError } from '../core/model/errors.ts';
import { backtestCommand } from './backtest.ts';
import { checkCommand } from './check.ts';
import type { Context } from './context.ts';
import { costCommand } from './cost.ts';
import { deliveriesCommand } from './deliveries.ts';
import { demoCommand } from './demo.ts';
import { eventsCommand } from './events.ts';
import { examCommand } from './exam.ts';
import { explainCommand } from './explain.ts';
import { listenCommand } from './listen.ts';
import { onceCommand } from './once.ts';
import { previewCommand } from './preview.ts';
import { renderCommand } from './render.ts';
import { replayCommand } from './replay.ts';
import { serveCommand } from './serve.ts';
import { simulateCommand } from './simulate.ts';
import { statusCommand } from './status.ts';
import { subscriptionsCommand } from './subscriptions.ts';
import { typesCommand } from './types.ts';

/** 0 done, 1 the work failed, 2 bad usage or config. */
export async function run(argv: readonly string[], version: string, context: Context): Promise<0 | 1 | 2> {
  const { terminal } = context;
  let code: 0 | 1 = 0;
  const exit = (result: 0 | 1) => {
    code = result;
  };
  const program = new Command('tidings')
    .description('Events, webhooks and messages for a work-management API that has none.')
    .version(version)
    .showHelpAfterError('(tidings --help, or tidings <command> --help, tells more)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    });
  const commands = [
    checkCommand,
    onceCommand,
    serveCommand,
    statusCommand,
    typesCommand,
    eventsCommand,
    deliveriesCommand,
    subscriptionsCommand,
    replayCommand,
    explainCommand,
    previewCommand,
    renderCommand,
    backtestCommand,
    listenCommand,
    examCommand,
    simulateCommand,
    demoCommand,
    costCommand,
  ];
  for (const register of commands) register(program, context, exit);
  program.addHelpText('after', '\nExit codes: 0 done, 1 the work failed, 2 bad usage or config.');
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has said what is wrong by then; help and version end this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.err(`tidings: ${messageOf(error)}`);
    return error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
  }
}
