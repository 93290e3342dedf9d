/** A receiver in a process of its own, so that its work is not counted as ours. */

import { request } from 'undici';
import { startProcess } from './start-process.ts';

export interface Sink {
  readonly url: string;
  /** Accepts requests and never responds. It has another origin, so that connections are not shared. */
  readonly hangingUrl: string;
  /** Arrivals since the previous call. */
  arrivals(): Promise<readonly Arrival[]>;
  stop(): Promise<void>;
}

/** Message id, time as in `steadyNow`, path and size of the body. */
export type Arrival = readonly [id: string, at: number, path: string, bytes: number];

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
      return (await answer.body.json()) as Arrival[];
    },
    stop,
  };
}

/** A receiver that floods its clients with 1xx responses. */
export async function startFlood(): Promise<Pick<Sink, 'url' | 'stop'>> {
  const { announced, stop } = await startProcess<{ url: string }>('flood-process.ts');
  return { ...announced, stop };
}
