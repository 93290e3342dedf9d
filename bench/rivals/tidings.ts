/** Tidings as a contender: `tidings serve` in a process of its own, with an account that does not change by itself. */

import { startAccount } from '../account.ts';
import type { Contender, OpenContender } from './contender.ts';
import { type Accepted, runLoad } from './load.ts';
import { type LoadProcess, startLoadProcess } from './load-process.ts';
import { messageTask } from './message.ts';
import type { TidingsProcessOptions } from './tidings-process.ts';

/** New tasks are committed in the process, as a poll does: this is how Tidings gets its events. */
export const tidingsInProcess: Contender = {
  name: 'Tidings',
  accept: 'commit in process',
  async open(endpoints) {
    const { ask, ...started } = await startTidings(endpoints);
    return { ...started, run: async (load) => (await ask('POST', '/loads', load)) as readonly Accepted[] };
  },
};

/** The same, and every commit is on the disk before the call returns. */
export const tidingsFlushing: Contender = {
  name: 'Tidings',
  accept: 'commit in process, synchronous = FULL',
  async open(endpoints) {
    const { ask, ...started } = await startTidings(endpoints, true);
    return { ...started, run: async (load) => (await ask('POST', '/loads', load)) as readonly Accepted[] };
  },
};

/** New tasks arrive over HTTP at an intake that only the benchmark has, so that accepting costs what it costs the others. */
export const tidingsOverHttp: Contender = {
  name: 'Tidings',
  accept: 'HTTP, intake of the benchmark',
  async open(endpoints) {
    const { ask, ...started } = await startTidings(endpoints);
    return {
      ...started,
      run: (load) =>
        runLoad(load, async (number) => {
          const { record } = messageTask(number, new Date().toISOString());
          return ((await ask('POST', '/messages', record)) as { id: string }).id;
        }),
    };
  },
};

interface StartedTidings extends Required<Omit<OpenContender, 'run'>> {
  readonly ask: LoadProcess['ask'];
}

async function startTidings(endpoints: readonly string[], flushes = false): Promise<StartedTidings> {
  const account = await startAccount(50);
  const options: TidingsProcessOptions = { endpoints, source: account, flushes };
  const { pid, ask, stop } = await startLoadProcess('tidings-process.ts', options).catch(async (error: unknown) => {
    await account.stop();
    throw error;
  });
  return {
    pids: [pid],
    ask,
    async assertSettled() {
      const [pending] = (await ask('GET', '/pending')) as readonly unknown[];
      if (pending !== undefined) throw new Error(`Tidings: no outcome is stored of ${JSON.stringify(pending)}`);
    },
    close: async () => {
      await stop();
      await account.stop();
    },
  };
}
