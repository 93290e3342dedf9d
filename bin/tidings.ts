/** Entry point of the command line: connects the process to cli/. */

import { askOnTerminal } from '../cli/ask.ts';
import { run } from '../cli/program.ts';
import packageJson from '../package.json' with { type: 'json' };
import { systemClock } from '../runtime/system-clock.ts';
import { terminal } from '../runtime/terminal/terminal.ts';

/** Time to finish attempts in flight. Slower receivers get another attempt after the restart. */
const SHUTDOWN_TIMEOUT_MS = 9_000;

/** Signalling a process group reaches this process twice, directly and through the launcher: within this time it counts once. */
const SAME_SIGNAL_MS = 250;

const stop = new AbortController();
let stoppedAt = 0;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    const now = performance.now();
    if (!stop.signal.aborted) {
      stoppedAt = now;
      stop.abort();
      setTimeout(() => process.exit(0), SHUTDOWN_TIMEOUT_MS).unref();
    } else if (now - stoppedAt > SAME_SIGNAL_MS) {
      // A second Ctrl-C exits at once.
      process.exit(1);
    }
  });
}
/** Whether lines could not be written, such as to a full disk. */
let isOutputLost = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    // `tidings events | head` closes the pipe early, which is not an error.
    if (code === 'EPIPE' && stream === process.stdout) process.exit(0);
    isOutputLost = true;
  });
}
// `serve` goes on without its log, until it is stopped. Any other command has failed.
process.on('exit', () => {
  if (isOutputLost && !stop.signal.aborted) process.exitCode ||= 1;
});

process.exitCode = await run(process.argv.slice(2), packageJson.version, {
  terminal: terminal(process.stdout, process.stderr, process.env),
  environment: process.env,
  clock: systemClock,
  pid: process.pid,
  random: Math.random,
  stop: stop.signal,
  ...(process.stdin.isTTY ? { ask: askOnTerminal(process.stdin, process.stderr, stop.signal) } : {}),
  onReload: (listener) => {
    process.on('SIGHUP', listener);
    return () => process.off('SIGHUP', listener);
  },
});
