/** Runs the command line as a user does: the real entry point in a child process. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CommandResult } from '../cli/run-command.ts';

const root = join(import.meta.dirname, '../..');

/** The arguments of Node that run it from the sources. */
export const COMMAND = ['--import', join(root, 'bin/node-version.mjs'), join(root, 'bin/tidings.ts')];

export function start(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  cwd: string = process.cwd(),
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [...COMMAND, ...argv], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...environment },
  });
}

export async function tidings(argv: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  const child = start(argv, environment);
  const code = new Promise<number | null>((ended) => child.on('close', ended));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
