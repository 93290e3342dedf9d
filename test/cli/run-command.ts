/** Runs a command in this process, with a fixed clock and without environment variables. For a child process see e2e/command.ts. */

import { run } from '../../cli/program.ts';
import { terminal } from '../../cli/terminal.ts';
import { fixedClock, type Instant } from '../../core/model/time.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCommandAt(
  now: Instant,
  argv: readonly string[],
  stop: AbortSignal = new AbortController().signal,
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const code = await run(argv, '0.0.0', {
    terminal: terminal(stream('stdout'), stream('stderr'), {}),
    environment: {},
    clock: fixedClock(now),
    pid: 1,
    random: () => 0.5,
    stop,
  });
  return { code, ...written };
}
