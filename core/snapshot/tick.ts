/**
 * Does what only the passing of time makes due: puts deliveries whose moment has come on the queue.
 * Makes no attempt itself and asks nothing of the API.
 */

import { QUEUE_GRACE } from '../model/delivery.ts';
import { type Clock, plus } from '../model/time.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Queue } from '../ports/queue.ts';

export interface TickPorts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly clock: Clock;
}

/** As many as fit one round of a small function; what is left is due at the next one still. */
const BATCH = 500;

/** Returns how many deliveries were queued. */
export async function tick({ ledger, queue, clock }: TickPorts): Promise<number> {
  const now = clock.now();
  const due = await ledger.due(now, BATCH);
  for (const moment of due) {
    // Queue first, move second: killed between the two, the delivery is queued twice for the same attempt,
    // and the second job is stale. The other way round it would wait for nothing.
    await queue.send([{ delivery: moment.delivery, attempt: moment.attempt, group: moment.subscription }], now);
    await ledger.postpone(moment, plus(now, QUEUE_GRACE));
  }
  return due.length;
}
