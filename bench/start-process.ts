/** Starts a script of this folder in a process of its own. The script prints what others need to know as one line of JSON. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export interface StartedProcess<Announced> {
  readonly announced: Announced;
  readonly pid: number;
  stop(): Promise<void>;
}

/** @param script its path, from this folder */
export async function startProcess<Announced>(
  script: string,
  argv: readonly string[] = [],
): Promise<StartedProcess<Announced>> {
  const root = join(import.meta.dirname, '..');
  const nodeOptions = ['--import', join(root, 'bin/node-version.mjs')];
  const child = spawn(process.execPath, [...nodeOptions, resolve(import.meta.dirname, script), ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text)),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${script} ended with ${code} before it was ready`))),
  ]);
  return {
    announced: JSON.parse(line) as Announced,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
