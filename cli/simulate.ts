/** `tidings simulate`: runs a simulated API on this machine until Ctrl-C. */

import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { errorMessage, UsageError } from '../core/model/errors.ts';
import { type CommandValues, simulate, simulateOptions } from '../simulator/command.ts';
import type { Context, ExitCode } from './context.ts';

export function simulateCommand(program: Command, { terminal, stop }: Context, exit: (code: ExitCode) => void): void {
  const command = program
    .command('simulate')
    .summary('run a simulated API on this machine, with data, users and faults')
    .description('Serves the API with generated data until Ctrl-C. See docs/simulator.md.');
  for (const { flags, description, default: fallback, repeated = false } of simulateOptions) {
    const option = new Option(flags, description);
    if (fallback !== undefined) option.default(fallback);
    if (repeated) option.argParser((value: string, earlier: readonly string[] = []) => [...earlier, value]);
    command.addOption(option);
  }
  command.action(async (values: CommandValues) => {
    const simulator = await simulate(values, (text) => terminal.out(text.trimEnd())).catch((error: unknown) => {
      throw new UsageError('TIDINGS_SIMULATOR_UNUSABLE', `the simulator could not start: ${errorMessage(error)}`, {
        cause: error,
      });
    });
    if (!stop.aborted) await once(stop, 'abort');
    await simulator.stop();
    exit(0);
  });
}
