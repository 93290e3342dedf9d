/** A receiver in a process of its own, so that its work is not counted as ours. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';

export interface Sink {
  readonly url: string;
  /** Accepts requests and never responds. It has another origin, so that connections are not shared. */
  readonly hangingUrl: string;
  /** Arrivals since the previous call: webhook id and time, see `steadyNow`. */
  arrivals(): Promise<readonly (readonly [id: string, at: number])[]>;
  stop(): Promise<void>;
}

/** Milliseconds of the machine's steady clock, the same in every process. */
export function steadyNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export async function startSink(): Promise<Sink> {
  const script = join(import.meta.dirname, 'sink-process.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, hangingUrl } = JSON.parse(String(line)) as { url: string; hangingUrl: string };
  return {
    url,
    hangingUrl,
    async arrivals() {
      const answer = await request(`${url}/arrivals`);
      return (await answer.body.json()) as [string, number][];
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
