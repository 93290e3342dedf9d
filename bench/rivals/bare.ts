/** The floor of the comparison: bare POSTs in a process of their own. */

import type { Contender } from './contender.ts';
import type { Accepted } from './load.ts';
import { startLoadProcess } from './load-process.ts';

export const bare: Contender = {
  name: 'bare POSTs',
  accept: 'none',
  async open(endpoints) {
    const { pid, ask, stop } = await startLoadProcess('bare-process.ts', { endpoints });
    return {
      pids: [pid],
      run: async (load) => (await ask('POST', '/loads', load)) as readonly Accepted[],
      close: stop,
    };
  },
};
