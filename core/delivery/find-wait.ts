/** Decides whether an attempt must wait: for the start of its readers' day, or for the end of quiet hours or of a snooze. */

import { afterQuiet } from '../events/deliver-at.ts';
import { attemptsMade, type Delivery } from '../model/delivery.ts';
import { sourceName, type TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import { type Clock, type Duration, HOUR, type Instant, plus } from '../model/time.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Health } from './receivers/health-state.ts';
import { snoozeEnd, snoozeKey } from './receivers/snooze.ts';
import type { Wait } from './unattempted.ts';

export interface WaitPorts {
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

/** Reads the events of a delivery. */
export type EventsOf = (delivery: Delivery) => Promise<readonly TidingsEvent[]>;

/** What the attempt waits for; undefined: it may be made now, as far as its receiver lets it. */
export async function findWait(
  ports: WaitPorts & { readonly eventsOf: EventsOf },
  delivery: Delivery,
  subscription: Subscription | undefined,
  health: Health,
): Promise<Wait | undefined> {
  return (await findDayWait(ports, delivery, subscription)) ?? findSnoozeWait(ports, delivery, health);
}

/** Until when the delivery is snoozed; undefined: it is not. Tests are always sent. */
export async function findSnoozeWait(
  { eventsOf, clock }: { readonly eventsOf: EventsOf; readonly clock: Clock },
  delivery: Delivery,
  health: Health,
): Promise<Wait | undefined> {
  if (health.snoozes === undefined || delivery.mark === 'test') return undefined;
  const events = await eventsOf(delivery);
  const until = snoozeEnd(health, events.map(snoozeKey), clock.now(), delivery.person);
  return until === undefined ? undefined : { until, because: 'snoozed' };
}

/** Quiet hours bind every attempt, retries included. What a person has just asked for does not wait. */
async function findDayWait(
  { events, clock, zoneOf }: WaitPorts,
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
  { events, zoneOf }: Pick<WaitPorts, 'events' | 'zoneOf'>,
  delivery: Delivery,
): Promise<string> {
  const [first] = await events.getMany(delivery.events.slice(0, 1));
  const source = first === undefined ? delivery.standing?.[0]?.source : sourceName(first);
  return source === undefined ? 'UTC' : zoneOf(source);
}

const isRequested = (delivery: Delivery) =>
  delivery.mark === 'test' || (delivery.mark === 'replay' && attemptsMade(delivery) === 0);
