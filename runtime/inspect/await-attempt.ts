/** Waits until another process records an attempt at a delivery, by polling the store. Makes no attempt itself. */

import type { DeliveryResult } from '../../core/delivery/deliver.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import type { DeliveryStore } from '../../core/ports/delivery-store.ts';
import type { EventStore } from '../../core/ports/event-store.ts';
import { createSignal } from '../embedded/signal.ts';

export interface AwaitOptions {
  readonly stop: AbortSignal;
  /** @default 30 s */
  readonly wait?: Duration;
  /** Time between two reads of the store. The first ones are closer: most receivers respond at once. @default 0.5 s */
  readonly every?: Duration;
}

/** The next ones are twice as long, up to `every`. */
const FIRST_PAUSE: Duration = 25;

/** Undefined when no attempt was recorded in time. */
export async function awaitAttempt(
  { deliveries, events }: { readonly deliveries: DeliveryStore; readonly events: EventStore },
  id: string,
  { stop, wait = 30 * SECOND, every = SECOND / 2 }: AwaitOptions,
): Promise<DeliveryResult | undefined> {
  const deadline = performance.now() + wait;
  const signal = createSignal();
  for (let pause = Math.min(FIRST_PAUSE, every); ; pause = Math.min(2 * pause, every)) {
    const delivery = await deliveries.get(id);
    const attempt = delivery?.attempts.at(-1);
    if (delivery !== undefined && attempt !== undefined) {
      return { delivery, attempt, events: await events.getMany(delivery.events) };
    }
    if (stop.aborted || performance.now() + pause > deadline) return undefined;
    await signal.wait(pause, stop);
  }
}
