/** Ticks as long as there is more that is due and time for it, and notices how late it is. */

import { QUEUE_AHEAD } from '../../core/model/delivery.ts';
import { between, type Instant, SECOND } from '../../core/model/time.ts';
import { type QueuedAttempts, TICK_BATCH, type TickPorts, tick } from '../../core/snapshot/tick.ts';
import type { Invocation } from './lambda-handler.ts';
import { logCommits } from './log-commits.ts';

/** A full batch takes seconds; with less than this left, none is begun. */
const MIN_BATCH_TIME = 20 * SECOND;

export async function tickAll(ports: TickPorts, call: Invocation): Promise<void> {
  const { log, count, timeLeft } = call;
  const startedAt = ports.clock.now();
  let oldest = startedAt;
  // To the next one. What becomes due in between is handed over by the queue, to the second.
  const telling = { ...ports, snapshots: logCommits(ports.snapshots, call), ahead: QUEUE_AHEAD };
  const observed = observeDue(telling, (at) => {
    if (at < oldest) oldest = at;
  });
  const queued: QueuedAttempts = new Set();
  let total = 0;
  for (;;) {
    const due = await tick(observed, queued);
    total += due;
    if (due < TICK_BATCH || timeLeft() < MIN_BATCH_TIME) break;
  }
  count('oldestDue', Math.round(between(oldest, startedAt) / SECOND));
  if (total > 0) log.info('dealt with what was due', { due: total, oldest });
}

type Due = Parameters<TickPorts['agenda']['due']>;

/** Tells of every moment of the agenda that is read: reading it once more only to measure it would be paid for. */
function observeDue(ports: TickPorts, tell: (at: Instant) => void): TickPorts {
  const seen = <Moment extends { readonly at: Instant }>(moments: readonly Moment[]) => {
    for (const { at } of moments) tell(at);
    return moments;
  };
  const { snapshots, agenda } = ports;
  return {
    ...ports,
    snapshots: { ...snapshots, due: async (...asked: Due) => seen(await snapshots.due(...asked)) },
    agenda: { ...agenda, due: async (...asked: Due) => seen(await agenda.due(...asked)) },
  };
}
