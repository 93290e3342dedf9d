/** Decides whether an attempt must wait: for the start of its readers' day, or for the end of quiet hours. */

import { afterQuiet } from '../events/deliver-at.ts';
import { attemptsMade, type Delivery } from '../model/delivery.ts';
import { sourceName } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import { type Clock, type Duration, HOUR, type Instant, plus } from '../model/time.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Wait } from './unattempted.ts';

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
 * What the attempt waits for; undefined: it may be made now. Quiet hours bind every attempt, retries included. What a person
 * has just asked for does not wait.
 */
export async function findDayWait(
  { events, clock, zoneOf }: QuietHoursPorts,
  delivery: Delivery,
  subscription: Subscription | undefined,
): Promise<Wait | undefined> {
  const now = clock.now();
  const { notBefore } = delivery;
  if (notBefore !== undefined && isTooEarly(delivery, now)) return { until: notBefore, because: 'day-start' };
  if (subscription?.quiet === undefined || isRequested(delivery)) return undefined;
  const zone = subscription.timeZone ?? (await zoneOfDelivery({ events, zoneOf }, delivery));
  const until = afterQuiet(subscription.quiet, now, zone);
  return until > now ? { until, because: 'quiet-hours' } : undefined;
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
