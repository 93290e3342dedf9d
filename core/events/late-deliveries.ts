/**
 * Deliveries of owners who get an event many times, such as a key with a thousand subscriptions. Where each delivery takes a request to the
 * store, they are opened in work of their own: announcing would take minutes with them, and all other receivers would wait for it.
 */

import { compileMatcher } from '../filters/match.ts';
import type { TidingsEvent } from '../model/event.ts';
import { sourceName } from '../model/event.ts';
import { isExpired, type Subscription } from '../model/subscription.ts';
import type { Clock } from '../model/time.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Queue } from '../ports/queue.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import { isWithheld, subscriptionOf } from './about-subscription.ts';
import { createDeliveryOpener, type DeliveryOpenerPorts, firstJobs } from './open-deliveries.ts';

/** An owner with more subscriptions is served after others. */
export const MANY_SUBSCRIPTIONS = 20;

/** A function with a third of a CPU opens as many in about a second, and their names fit in a message. */
const MAX_NAMES = 250;

export interface LateDeliveries {
  /** The id of the event, which is recorded. */
  readonly event: string;
  readonly owner: string;
  /** The names of those of its subscriptions that match the event. */
  readonly subscriptions: readonly string[];
}

export interface SplitSubscriptions {
  /** Those whose deliveries are opened at once. */
  readonly direct: readonly Subscription[];
  readonly late: readonly LateDeliveries[];
}

/** @param wanted the subscriptions that get the event */
export function splitLate({ id }: Pick<TidingsEvent, 'id'>, wanted: readonly Subscription[]): SplitSubscriptions {
  if (wanted.length <= MANY_SUBSCRIPTIONS) return { direct: wanted, late: [] };
  const byOwner = Map.groupBy(wanted, ({ owner }) => owner);
  const isLate = ({ owner }: Subscription) =>
    owner !== undefined && (byOwner.get(owner)?.length ?? 0) > MANY_SUBSCRIPTIONS;
  const late = [...byOwner].flatMap(([owner, own]) => {
    if (owner === undefined || own.length <= MANY_SUBSCRIPTIONS) return [];
    return inParts(own).map((part) => ({ event: id, owner, subscriptions: part.map(({ name }) => name) }));
  });
  return { direct: wanted.filter((one) => !isLate(one)), late };
}

const inParts = (all: readonly Subscription[]): readonly (readonly Subscription[])[] =>
  Array.from({ length: Math.ceil(all.length / MAX_NAMES) }, (_, n) => all.slice(n * MAX_NAMES, (n + 1) * MAX_NAMES));

export interface OpenLatePorts extends DeliveryOpenerPorts {
  readonly events: EventStore;
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly queue: Pick<Queue, 'send'>;
  readonly clock: Clock;
  readonly zoneOf: (source: string) => Promise<string>;
}

/**
 * Opens and queues them. Returns how many there are. Safe to repeat: existing deliveries are not overwritten. The subscriptions are matched
 * again: one may have been removed since, and another key may have taken its name.
 */
export async function openLate(ports: OpenLatePorts, { event: id, owner, ...late }: LateDeliveries): Promise<number> {
  const event = await ports.events.get(id);
  // It has expired: the message was lost for weeks.
  if (event === undefined) return 0;
  const now = ports.clock.now();
  const stored = await Promise.all(late.subscriptions.map((name) => ports.subscriptions.get(name)));
  const own = stored.flatMap((one) => (one === undefined || one.owner !== owner || isExpired(one, now) ? [] : [one]));
  const about = subscriptionOf(event);
  const ownerOfSubject = about === undefined ? undefined : (await ports.subscriptions.get(about))?.owner;
  const match = compileMatcher(own);
  const wanted = match(event).filter((one) => !isWithheld(event, one, () => ownerOfSubject));
  const zone = await ports.zoneOf(sourceName(event));
  const open = createDeliveryOpener(ports, now);
  const deliveries = (await Promise.all(wanted.map((one) => open(event, one, zone)))).flat();
  if (deliveries.length === 0) return 0;
  await ports.events.record([{ event, deliveries }]);
  // If the process dies here, the deliveries are on the agenda and the next tick queues them.
  await ports.queue.send(
    firstJobs(deliveries, () => owner),
    now,
  );
  return deliveries.length;
}
