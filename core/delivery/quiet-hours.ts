/** Decides whether an attempt must wait for the end of quiet hours. They bind every attempt, retries included. */

import { attemptsMade, type Delivery } from '../model/delivery.ts';
import { sourceName } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Clock, Instant } from '../model/time.ts';
import type { EventStore } from '../ports/event-store.ts';
import { afterQuiet } from '../subscriptions/deliver-at.ts';

export interface QuietHoursPorts {
  readonly events: Pick<EventStore, 'getMany'>;
  readonly clock: Clock;
  readonly zoneOf: (source: string) => Promise<string>;
}

/** The end of the quiet hours; undefined outside of them. What a person has just asked for does not wait. */
export async function endOfQuietHours(
  { events, clock, zoneOf }: QuietHoursPorts,
  delivery: Delivery,
  subscription: Subscription | undefined,
): Promise<Instant | undefined> {
  if (subscription?.quiet === undefined || isRequested(delivery)) return undefined;
  const [first] = subscription.timeZone === undefined ? await events.getMany(delivery.events.slice(0, 1)) : [];
  const zone = subscription.timeZone ?? (first === undefined ? 'UTC' : await zoneOf(sourceName(first)));
  const now = clock.now();
  const end = afterQuiet(subscription.quiet, now, zone);
  return end > now ? end : undefined;
}

const isRequested = (delivery: Delivery) =>
  delivery.mark === 'test' || (delivery.mark === 'replay' && attemptsMade(delivery) === 0);
