/** Runs ticks while more is due and time is left, and measures how late they are. */

import { type QueuedAttempts, TICK_BATCH, type TickPorts, tick } from '../../core/delivery/tick.ts';
import { QUEUE_AHEAD } from '../../core/model/delivery.ts';
import { between, type Instant, SECOND } from '../../core/model/time.ts';
import type { Invocation } from './lambda-handler.ts';

/** A full batch takes seconds; no batch starts with less time left. */
const MIN_BATCH_TIME = 20 * SECOND;

/** The minute of the day, in UTC: a sweep reads all subscriptions. */
const SWEEP_AT = '03:40';

export interface TickAllPorts extends TickPorts {
  /** Opens the deliveries of the next digests. */
  readonly openDigests: () => Promise<void>;
  /** Finds what may be deleted. @default - nothing is looked for */
  readonly sweep?: () => Promise<void>;
}

export async function tickAll(ports: TickAllPorts, call: Invocation): Promise<void> {
  const { log, count, timeLeft } = call;
  const startedAt = ports.clock.now();
  let oldest = startedAt;
  // Queues jobs up to the next tick: SQS delays each of them until its exact second.
  const observed = observeDue({ ...ports, ahead: QUEUE_AHEAD }, (at) => {
    if (at < oldest) oldest = at;
  });
  const queued: QueuedAttempts = new Set();
  let total = 0;
  const mayGoOn = () => timeLeft() >= MIN_BATCH_TIME;
  for (;;) {
    const due = await tick(observed, queued, mayGoOn);
    total += due;
    if (due < TICK_BATCH || !mayGoOn()) break;
  }
  // After the deliveries that are due: a fault here delays none of them.
  await ports.openDigests();
  // A day that is left out follows with the next one.
  if (startedAt.slice(11, 16) === SWEEP_AT) await ports.sweep?.();
  count('oldestDue', Math.round(between(oldest, startedAt) / SECOND));
  if (total > 0) log.info('processed due entries', { due: total, oldest });
}

type DueArguments = Parameters<TickPorts['agenda']['due']>;

/** Observes every agenda entry that is read. Reading them again to measure would cost read units. */
function observeDue(ports: TickPorts, observe: (at: Instant) => void): TickPorts {
  const { agenda } = ports;
  const due = async (...args: DueArguments) => {
    const entries = await agenda.due(...args);
    for (const { at } of entries) observe(at);
    return entries;
  };
  return { ...ports, agenda: { ...agenda, due } };
}
