/** Lets deliveries with a booked send slot book another one, when slots that were booked before do not count any more. */

import { QUEUE_AHEAD, QUEUE_GRACE } from '../model/delivery.ts';
import { type Clock, plus } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import { readPages } from './read-pages.ts';

export interface UnbookPorts {
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
}

/** Makes them due now. If the process dies midway, the others are sent in their old slots, or book again when these come. */
export async function unbookSlots({ deliveries, clock }: UnbookPorts, subscription: string): Promise<void> {
  const now = clock.now();
  // Deliveries due before that may already be queued.
  const soon = plus(now, QUEUE_AHEAD + QUEUE_GRACE);
  for await (const page of readPages(deliveries, { status: 'pending', subscription, only: 'postponed' })) {
    const booked = page.filter(({ slot, dueAt }) => slot !== undefined && dueAt !== null && dueAt > soon);
    await Promise.all(
      booked.map(({ slot, ...delivery }) => deliveries.update({ ...delivery, slot }, { ...delivery, dueAt: now })),
    );
  }
}
