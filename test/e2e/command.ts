/** Runs the command line as a user would: the real entry, in a process of its own; or its commands in this one. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../cli/program.ts';
import { terminal } from '../../cli/terminal.ts';
import { fixedClock, type Instant } from '../../core/model/time.ts';

const root = join(import.meta.dirname, '../..');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function start(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  cwd: string = process.cwd(),
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(
    process.execPath,
    ['--import', join(root, 'bin/node-version.mjs'), join(root, 'bin/tidings.ts'), ...argv],
    {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...environment },
    },
  );
}

export async function tidings(argv: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = start(argv, environment);
  const code = new Promise<number | null>((ended) => child.on('close', ended));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

/** The same commands without a process, at an instant of the test's own: for many small questions. */
export async function tidingsAt(
  now: Instant,
  argv: readonly string[],
  stop: AbortSignal = new AbortController().signal,
): Promise<Ended> {
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
