/**
 * Addresses the events of a message for people at the time of sending: leaves out what the subscription does not want any
 * more, or what no longer concerns its reader, and opens the deliveries of those whom it concerns instead. Sends nothing.
 */

import { deliverAt } from '../events/deliver-at.ts';
import { divideSubscriptions } from '../events/divided-subscriptions.ts';
import { openTypes } from '../events/open-events.ts';
import { createPeopleLookup, isUndone, PERSON_FIELDS } from '../events/people-lookup.ts';
import { compileMatcher } from '../filters/match.ts';
import { describePresent, isAboutState, type PresentEvent, type PresentPorts } from '../messages/describe-present.ts';
import { type Delivery, forPerson, ofIncarnation, openAgain, openDelivery } from '../model/delivery.ts';
import { sourceName, type TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import { isExpired, type Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';

export interface AddressPorts extends PresentPorts {
  readonly deliveries: Pick<DeliveryStore, 'get' | 'gather'>;
  readonly subscriptions: Pick<SubscriptionStore, 'list'>;
  readonly channels: ChannelRegistry;
  readonly zoneOf: (source: string) => Promise<string>;
  /** Lets other work run between two filters. @default - they are matched in one go */
  readonly pace?: Pace;
}

type PeopleOf = ReturnType<typeof createPeopleLookup>;

/** The events of the delivery for its readers, as they are now. Safe to repeat: ids are derived from event and reader. */
export async function addressPresent(
  ports: AddressPorts,
  { person }: Pick<Delivery, 'person'>,
  subscription: Subscription,
  events: readonly TidingsEvent[],
  at: Instant,
): Promise<readonly TidingsEvent[]> {
  const wants = matcherOf(subscription);
  const peopleOf = createPeopleLookup(ports);
  const kept: TidingsEvent[] = [];
  for (const { recorded, present } of await describePresent(ports, events)) {
    // The filter may have been narrowed since. What happened is judged by what it was, a state by what it is.
    if (!wants(isAboutState(present) ? present : recorded)) {
      if (wants(recorded)) await openForOthers(ports, present, at);
      continue;
    }
    const { readers, added } = await findReaders(ports, subscription, { recorded, present }, peopleOf);
    // The subscription may send to a team by now, or to each person: then the delivery is not one of its own.
    const isOwn = readers === undefined ? person === undefined : person !== undefined && readers.includes(person);
    if (isOwn) kept.push(present);
    // An open digest is split among the people whom its records concern by then.
    if (listsOpen(subscription, present)) continue;
    const { name, renamedFrom } = subscription;
    const delivery = ofIncarnation(openDelivery(present, name, at, at, renamedFrom), subscription);
    if (!isOwn) await openMissing(ports, delivery, readers);
    else if (added.length > 0) await openMissing(ports, delivery, added);
  }
  return kept;
}

function matcherOf(subscription: Subscription): (event: TidingsEvent) => boolean {
  const match = compileMatcher([subscription]);
  return (event) => match(event).length > 0;
}

interface Readers {
  /** Undefined for a team. The people whom the event concerns now; if the token's role hides them, or a project has lost its manager, those of then. */
  readonly readers: readonly string[] | undefined;
  /** Those whom a state did not concern when it began. */
  readonly added: readonly string[];
}

async function findReaders(
  { channels }: Pick<AddressPorts, 'channels'>,
  { to }: Subscription,
  { recorded, present }: PresentEvent,
  peopleOf: PeopleOf,
): Promise<Readers> {
  const personal = traitsOf(channels, to).personal?.(to.settings);
  if (personal === undefined) return { readers: undefined, added: [] };
  const { role } = personal;
  const people = await peopleOf(personal, present);
  const isKnown =
    role === 'projectmanager'
      ? people.some((person) => !person.endsWith('/'))
      : present.data.record[PERSON_FIELDS[role]] !== undefined;
  const before = present === recorded ? people : await peopleOf(personal, recorded);
  const readers = (isKnown ? people : before).filter((person) => !isUndone(role, present, person));
  return { readers, added: isAboutState(present) ? readers.filter((person) => !before.includes(person)) : [] };
}

const listsOpen = (subscription: Subscription, event: TidingsEvent) =>
  openTypes(subscription).some(({ type }) => type === event.type);

/** The record has changed so that other subscriptions match it: they send what this one leaves out. */
async function openForOthers(ports: AddressPorts, event: TidingsEvent, at: Instant): Promise<void> {
  const peopleOf = createPeopleLookup(ports);
  const zone = await ports.zoneOf(sourceName(event));
  const { match } = divideSubscriptions(await ports.subscriptions.list()).all;
  const isLeftOut = (one: Subscription) =>
    traitsOf(ports.channels, one.to).audience !== 'people' || isExpired(one, at) || listsOpen(one, event);
  for (const subscription of await match(event, ports.pace ?? UNPACED, { isLeftOut })) {
    const { name, renamedFrom, to } = subscription;
    const channel = traitsOf(ports.channels, to);
    const { dueAt = at, notBefore } = deliverAt(subscription, channel, event, { now: at, zone });
    const delivery = ofIncarnation(openDelivery(event, name, at, dueAt, renamedFrom), subscription);
    const personal = channel.personal?.(to.settings);
    const people = personal === undefined ? undefined : await peopleOf(personal, event);
    await openMissing(ports, notBefore === undefined ? delivery : { ...delivery, notBefore }, people);
  }
}

/** @param people for whom. @default - for all receivers of the subscription */
async function openMissing(
  { deliveries }: Pick<AddressPorts, 'deliveries'>,
  delivery: Delivery,
  people: readonly string[] | undefined,
): Promise<void> {
  const wanted = people === undefined ? [delivery] : people.map((person) => forPerson(delivery, person));
  for (const one of wanted) {
    let missing = one;
    let stored = await deliveries.get(missing.id);
    // It may have been handed back to a person whose own message left it out.
    while (stored !== undefined && (await wasOmitted(deliveries, stored, delivery.events))) {
      missing = openAgain(one, stored);
      stored = await deliveries.get(missing.id);
    }
    if (stored === undefined) await deliveries.gather(missing, []);
  }
}

/** Whether the message that carried the delivery was sent, or skipped, without these events. */
async function wasOmitted(
  deliveries: Pick<DeliveryStore, 'get'>,
  stored: Delivery,
  events: readonly string[],
): Promise<boolean> {
  let carrier: Delivery | undefined = stored;
  while (carrier?.into !== undefined) carrier = await deliveries.get(carrier.into);
  const omitted = carrier?.attempts.at(-1)?.omitted ?? [];
  return carrier?.status === 'settled' && events.every((event) => omitted.includes(event));
}
