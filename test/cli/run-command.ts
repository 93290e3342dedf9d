/** Runs a command in this process, without the process's environment variables. For a child process see e2e/command.ts. */

import type { ProcessContext } from '../../cli/context.ts';
import { run } from '../../cli/program.ts';
import { type Clock, fixedClock, type Instant } from '../../core/model/time.ts';
import type { Environment } from '../../runtime/config/config.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { terminal } from '../../runtime/terminal/terminal.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** @default - the clock of this machine */
  readonly clock?: Clock;
  /** @default - no variables */
  readonly environment?: Environment;
  /** @default - never aborts */
  readonly stop?: AbortSignal;
  /** @default - nobody can be asked */
  readonly ask?: ProcessContext['ask'];
  /** @default - the process cannot be asked to reload */
  readonly onReload?: ProcessContext['onReload'];
  /** Gets each text that the command writes, as it writes it. @default - only the result has the output */
  readonly onWrite?: (stream: 'stdout' | 'stderr', text: string) => void;
}

export async function runCommand(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const {
    clock = systemClock,
    environment = {},
    stop = new AbortController().signal,
    ask,
    onReload,
    onWrite,
  } = options;
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
      onWrite?.(name, text);
    },
  });
  const code = await run(argv, '0.0.0', {
    terminal: terminal(stream('stdout'), stream('stderr'), {}),
    environment,
    clock,
    pid: 1,
    // The shortest delays between retries.
    random: () => 0,
    stop,
    ask,
    onReload,
  });
  return { code, ...written };
}

export function runCommandAt(now: Instant, argv: readonly string[], stop?: AbortSignal): Promise<CommandResult> {
  return runCommand(argv, { clock: fixedClock(now), ...(stop === undefined ? {} : { stop }) });
}
