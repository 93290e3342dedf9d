/** The command line's entry: hands the process over to cli/. */

import { run } from '../cli/program.ts';
import { terminal } from '../cli/terminal.ts';
import packageJson from '../package.json' with { type: 'json' };
import { systemClock } from '../runtime/system-clock.ts';

/** Time for the attempts in hand; a receiver that takes longer is met again after the restart. */
const LAST_CALL_MS = 9_000;

/** Whoever ends a group of processes tells us and the launcher, which hands it on: so soon after the first it is the same. */
const SAME_SIGNAL_MS = 250;

const stop = new AbortController();
let stoppedAt = 0;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    const now = performance.now();
    if (!stop.signal.aborted) {
      stoppedAt = now;
      stop.abort();
      setTimeout(() => process.exit(0), LAST_CALL_MS).unref();
    } else if (now - stoppedAt > SAME_SIGNAL_MS) {
      // The second Ctrl-C means now.
      process.exit(1);
    }
  });
}
// `tidings events | head` closes the pipe early: that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await run(process.argv.slice(2), packageJson.version, {
  terminal: terminal(process.stdout, process.stderr, process.env),
  environment: process.env,
  clock: systemClock,
  pid: process.pid,
  random: Math.random,
  stop: stop.signal,
});
