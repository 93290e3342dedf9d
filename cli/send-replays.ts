/**
 * Sends replayed deliveries and reports each of them once. `serve` may make some of the attempts at the same time, so the
 * results are read from the store.
 */

import type { DeliveryResult } from '../core/delivery/deliver.ts';
import { tick } from '../core/delivery/tick.ts';
import { type Delivery, QUEUE_AHEAD, QUEUE_GRACE } from '../core/model/delivery.ts';
import { type Duration, plus, SECOND } from '../core/model/time.ts';
import type { Embedded } from '../runtime/embedded/embedded.ts';
import { deliverAll } from '../runtime/embedded/pipeline.ts';
import { createSignal } from '../runtime/embedded/signal.ts';

/** How many events ended how. */
export interface ReplaySummary {
  accepted: number;
  /** The first attempt failed; others follow. */
  retrying: number;
  failed: number;
  /** The subscription is paused or disabled. */
  held: number;
  /** No attempt was made yet: the receiver is paused, or the command was stopped. */
  waiting: number;
}

/** Longer than an attempt of another process takes. */
const MAX_IDLE: Duration = 30 * SECOND;

const READ_EVERY: Duration = SECOND / 4;

/** Ends when each delivery had its first attempt, is held, or waits for longer than it was scheduled. */
export async function sendReplays(
  embedded: Embedded,
  opened: readonly Delivery[],
  report: (result: DeliveryResult) => void,
  stop: AbortSignal,
): Promise<ReplaySummary> {
  const { clock, lanes } = embedded;
  const names = new Set(opened.map(({ subscription }) => subscription));
  // Only the lane of this subscription: other deliveries are left to serve.
  const room = (group: string, now: number) => (names.has(group) ? lanes.room(group, now) : 0);
  const lastSlot = opened.reduce((last, { dueAt }) => (dueAt !== null && dueAt > last ? dueAt : last), clock.now());
  const longest = plus(lastSlot, QUEUE_AHEAD + QUEUE_GRACE);
  const summary: ReplaySummary = { accepted: 0, retrying: 0, failed: 0, held: 0, waiting: 0 };
  const reported = new Set<string>();
  let left = opened.map(({ id }) => id);
  for (let changedAt = performance.now(); ; ) {
    await tick(embedded);
    await deliverAll({ ...embedded, lanes: { ...lanes, room } }, {}, { signal: stop });
    const open: Delivery[] = [];
    for (const id of left) {
      const carrier = await findCarrier(embedded, id);
      if (carrier === undefined || isOver(carrier)) await addResult(carrier);
      else open.push({ ...carrier, id });
    }
    if (open.length < left.length) changedAt = performance.now();
    left = open.map(({ id }) => id);
    const isIdle = performance.now() - changedAt > MAX_IDLE;
    if (isIdle || stop.aborted || open.every(({ dueAt }) => (dueAt ?? '') > longest)) break;
    await createSignal().wait(READ_EVERY, stop);
  }
  return { ...summary, waiting: left.length };

  async function addResult(carrier: Delivery | undefined): Promise<void> {
    summary[carrier === undefined ? 'failed' : kindOf(carrier)] += 1;
    const attempt = carrier?.attempts.at(-1);
    if (carrier === undefined || attempt === undefined || reported.has(carrier.id)) return;
    reported.add(carrier.id);
    report({ delivery: carrier, attempt, events: await embedded.events.getMany(carrier.events) });
  }
}

/** The delivery itself, or the group that carries its event. */
async function findCarrier({ deliveries }: Pick<Embedded, 'deliveries'>, id: string): Promise<Delivery | undefined> {
  const delivery = await deliveries.get(id);
  return delivery?.into === undefined ? delivery : findCarrier({ deliveries }, delivery.into);
}

const isOver = ({ status, attempts }: Delivery) =>
  (status !== 'pending' && status !== 'waiting') || attempts.length > 0;

function kindOf({ status }: Delivery): 'accepted' | 'retrying' | 'failed' | 'held' {
  if (status === 'settled') return 'accepted';
  return status === 'failed' || status === 'held' ? status : 'retrying';
}
