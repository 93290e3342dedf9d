/** What the API shows of the journal while it answers from a replica. */

import type { Simulator } from '../../simulator/simulator.ts';
import type { ScheduledFault } from './fault-schedule.ts';

/** Returns a function that finds the last journal entry that the API shows: a replica lags behind. */
export function followReplica({ account }: Simulator, activeFault: () => ScheduledFault | undefined): () => number {
  let shown = 0;
  let lagging: ScheduledFault | undefined;
  return () => {
    const fault = activeFault();
    const lag = fault?.faults?.replicaLag;
    // When the lag begins, the replica is up to date.
    if (fault === undefined || typeof lag !== 'object' || fault !== lagging) {
      lagging = fault;
      shown = account.journal.last;
      return shown;
    }
    const until = account.clock.now() - lag.ms;
    for (const { at } of account.journal.read({ since: shown })) {
      if (Date.parse(at) > until) break;
      shown += 1;
    }
    return shown;
  };
}
