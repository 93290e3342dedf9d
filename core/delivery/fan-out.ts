/**
 * Splits the open digest of a personal subscription into one delivery for each person who has something open. Safe to
 * repeat: ids are derived from the digest and the person. Sends nothing.
 */

import { createPeopleLookup } from '../events/people-lookup.ts';
import { dayIn } from '../model/calendar.ts';
import { type Delivery, forPerson, type OpenDigest } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Clock } from '../model/time.ts';
import { type ChannelRegistry, type PersonalTarget, traitsOf } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { findDigest } from './find-digest.ts';
import { isPostponed } from './retry.ts';

export interface FanOutPorts {
  readonly deliveries: DeliveryStore;
  readonly snapshots: Pick<SnapshotStore, 'listOpen' | 'getMany'>;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
  readonly zoneOf: (source: string) => Promise<string>;
}

/**
 * Returns whether the delivery was a digest for all people, which is finished now: tick queues the deliveries of the people.
 * Before another delivery of a person is gathered, the digest of that day is split, so that both become one message.
 */
export async function fanOut(ports: FanOutPorts, delivery: Delivery, subscription: Subscription): Promise<boolean> {
  const personal = traitsOf(ports.channels, subscription.to).personal?.(subscription.to.settings);
  if (personal === undefined || delivery.mark !== undefined) return false;
  if (delivery.person === undefined) {
    if (delivery.standing === undefined) return false;
    await split(ports, delivery, subscription, personal);
    return true;
  }
  if (delivery.status === 'waiting' && delivery.standing === undefined && subscription.digest !== undefined) {
    const today = await findToday(ports, delivery.person, subscription);
    if (today !== undefined) await split(ports, today, subscription, personal);
  }
  return false;
}

/** The digest of this day for all people, if its time has come and it was not split yet. */
async function findToday(
  { deliveries, clock, zoneOf }: FanOutPorts,
  person: string,
  subscription: Subscription,
): Promise<Delivery | undefined> {
  const source = person.slice(0, person.indexOf('/'));
  const now = clock.now();
  const day = dayIn(subscription.timeZone ?? (await zoneOf(source)), now);
  const { own: digest } = await findDigest(deliveries, subscription, { source, day }, now);
  return digest?.status === 'waiting' && !isPostponed(digest, now) ? digest : undefined;
}

async function split(
  ports: FanOutPorts,
  digest: Delivery,
  subscription: Subscription,
  personal: PersonalTarget,
): Promise<void> {
  const { deliveries, clock } = ports;
  const now = clock.now();
  for (const part of digest.standing ?? []) {
    for (const [person, subjects] of await groupByPerson(ports, part, subscription, personal)) {
      const own: Delivery = {
        ...forPerson(digest, person),
        subscription: subscription.name,
        status: 'waiting',
        events: [],
        standing: [{ ...part, subjects }],
        createdAt: now,
        dueAt: now,
        attempts: [],
      };
      if ((await deliveries.get(own.id)) === undefined) await deliveries.gather(own, []);
    }
  }
  // Last: if the process dies before, the job returns and splits it again.
  const latest = (await deliveries.get(digest.id, true)) ?? digest;
  await deliveries.update(latest, { ...latest, status: 'settled', settledAt: now, dueAt: null });
}

async function groupByPerson(
  ports: FanOutPorts,
  { source }: OpenDigest,
  subscription: Subscription,
  personal: PersonalTarget,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { listOpenEvents } = await import('../events/open-events.ts');
  const peopleOf = createPeopleLookup(ports);
  const subjectsByPerson = new Map<string, Set<string>>();
  const add = async (event: TidingsEvent) => {
    for (const person of await peopleOf(personal, event)) {
      const subjects = subjectsByPerson.get(person) ?? new Set();
      subjectsByPerson.set(person, subjects.add(event.subject));
    }
  };
  const at = ports.clock.now();
  for (const event of await listOpenEvents(ports, subscription, source, at)) await add(event);
  return new Map([...subjectsByPerson].map(([person, subjects]) => [person, [...subjects]]));
}
