/** Opens the deliveries of an event for a subscription: for whom they are, and when they are due. Writes nothing. */

import { type Delivery, forPerson, ofIncarnation, openDelivery } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Duration, Instant } from '../model/time.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import { jobFor, type NewJob } from '../ports/queue.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { eventTypeOf } from './catalogue.ts';
import { deliverAt } from './deliver-at.ts';
import { createPeopleLookup, noOneOf } from './people-lookup.ts';

export interface DeliveryOpenerPorts {
  /** The projects, for their managers. */
  readonly snapshots: SnapshotStore;
  readonly channels: ChannelRegistry;
  /** Overrides the gathering window of all subscriptions. @default - each subscription's own */
  readonly window?: Duration;
}

/** @param zone that of the event's source */
type OpenDeliveries = (event: TidingsEvent, subscription: Subscription, zone: string) => Promise<readonly Delivery[]>;

/** Remembers the people it found: use one for all events of a batch. */
export function createDeliveryOpener(ports: DeliveryOpenerPorts, now: Instant): OpenDeliveries {
  const peopleOf = createPeopleLookup(ports);
  return async (event, subscription, zone) => {
    const channel = traitsOf(ports.channels, subscription.to);
    const { dueAt, notBefore, because } = deliverAt(subscription, channel, event, { now, zone, window: ports.window });
    const { name, renamedFrom } = subscription;
    const delivery = ofIncarnation(openDelivery(event, name, now, dueAt, renamedFrom), subscription);
    const timed = notBefore === undefined ? delivery : { ...delivery, notBefore };
    const personal = channel.personal?.(subscription.to.settings);
    if (personal === undefined) return [timed];
    const people = await peopleOf(personal, event);
    // A state that waits for hours may concern a person by then, who is found when it is sent.
    const waits = because !== undefined && because !== 'gathering' && eventTypeOf(event.type)?.holds !== undefined;
    const readers = people.length === 0 && waits ? [noOneOf(event)] : people;
    return readers.map((person) => forPerson(timed, person));
  };
}

/** The jobs of deliveries that are due at once. */
export function firstJobs(
  deliveries: readonly Delivery[],
  ownerOf: (subscription: string) => string | undefined,
): readonly NewJob[] {
  return deliveries
    .filter(({ status }) => status === 'pending')
    .map((delivery) => jobFor(delivery, ownerOf(delivery.subscription)));
}
