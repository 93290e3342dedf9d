/** Lets deliveries with a booked send slot book another one, when slots that were booked before do not count any more. */

import { QUEUE_AHEAD, QUEUE_GRACE } from '../model/delivery.ts';
import { type Clock, type Duration, plus } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import { readPages } from './read-pages.ts';

export interface UnbookPorts {
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
}

interface UnbookOptions {
  /** The interval of the slots that count. @default - none counts */
  readonly interval?: Duration | undefined;
  /** Whether there is time to change another page: a key may have booked hundreds of thousands. */
  readonly mayGoOn: () => boolean;
}

/**
 * Makes them due now, the oldest first. Returns whether these were all. The others are sent in their old slots, or book again when these
 * come.
 */
export async function unbookSlots(
  { deliveries, clock }: UnbookPorts,
  subscription: string,
  { interval, mayGoOn }: UnbookOptions,
): Promise<boolean> {
  const now = clock.now();
  // Deliveries due before that may already be queued.
  const soon = plus(now, QUEUE_AHEAD + QUEUE_GRACE);
  for await (const page of readPages(deliveries, { status: 'pending', subscription, only: 'postponed' })) {
    const booked = page.filter(
      ({ slot, dueAt }) => slot !== undefined && slot.interval !== interval && dueAt !== null && dueAt > soon,
    );
    if (booked.length === 0) continue;
    if (!mayGoOn()) return false;
    await Promise.all(
      booked.map(({ slot, ...delivery }) => deliveries.update({ ...delivery, slot }, { ...delivery, dueAt: now })),
    );
  }
  return true;
}
