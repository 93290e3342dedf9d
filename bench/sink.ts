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
  const { announced, stop } = await startProcess<{ url: string; hangingUrl: string }>('sink-process.ts');
  const { url } = announced;
  return {
    ...announced,
    async arrivals() {
      const answer = await request(`${url}/arrivals`);
      return (await answer.body.json()) as [string, number][];
    },
    stop,
  };
}

/** A receiver that floods its clients with 1xx responses. */
export async function startFlood(): Promise<Pick<Sink, 'url' | 'stop'>> {
  const { announced, stop } = await startProcess<{ url: string }>('flood-process.ts');
  return { ...announced, stop };
}

/** Starts a script of this folder, which prints its addresses as JSON. */
async function startProcess<Addresses>(script: string) {
  const path = join(import.meta.dirname, script);
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    announced: JSON.parse(String(line)) as Addresses,
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
