/** Decides whether an attempt must wait: for the start of its readers' day, or for the end of quiet hours. */

import { afterQuiet } from '../events/deliver-at.ts';
import { attemptsMade, type Delivery } from '../model/delivery.ts';
import { sourceName } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import { type Clock, type Duration, HOUR, type Instant, plus } from '../model/time.ts';
import type { EventStore } from '../ports/event-store.ts';

export interface QuietHoursPorts {
  readonly events: Pick<EventStore, 'getMany'>;
  readonly clock: Clock;
  readonly zoneOf: (source: string) => Promise<string>;
}

/** A day starts within a day, and zones shift by up to two hours: a later time comes from a clock that ran ahead. */
const MAX_DAY_START_DISTANCE: Duration = 26 * HOUR;

/** Whether the day of its readers has not started. */
export function isTooEarly({ notBefore }: Delivery, now: Instant): boolean {
  return notBefore !== undefined && notBefore > now && notBefore <= plus(now, MAX_DAY_START_DISTANCE);
}

/**
 * When the attempt may be made; undefined: now. Quiet hours bind every attempt, retries included. What a person has just
 * asked for does not wait.
 */
export async function earliestAttempt(
  ports: QuietHoursPorts,
  delivery: Delivery,
  subscription: Subscription | undefined,
): Promise<Instant | undefined> {
  if (isTooEarly(delivery, ports.clock.now())) return delivery.notBefore;
  return endOfQuietHours(ports, delivery, subscription);
}

/** The end of the quiet hours; undefined outside of them. */
async function endOfQuietHours(
  { events, clock, zoneOf }: QuietHoursPorts,
  delivery: Delivery,
  subscription: Subscription | undefined,
): Promise<Instant | undefined> {
  if (subscription?.quiet === undefined || isRequested(delivery)) return undefined;
  const zone = subscription.timeZone ?? (await zoneOfDelivery({ events, zoneOf }, delivery));
  const now = clock.now();
  const end = afterQuiet(subscription.quiet, now, zone);
  return end > now ? end : undefined;
}

/** The zone of the source of its first event. */
export async function zoneOfDelivery(
  { events, zoneOf }: Pick<QuietHoursPorts, 'events' | 'zoneOf'>,
  delivery: Delivery,
): Promise<string> {
  const [first] = await events.getMany(delivery.events.slice(0, 1));
  const source = first === undefined ? delivery.standing?.[0]?.source : sourceName(first);
  return source === undefined ? 'UTC' : zoneOf(source);
}

const isRequested = (delivery: Delivery) =>
  delivery.mark === 'test' || (delivery.mark === 'replay' && attemptsMade(delivery) === 0);
