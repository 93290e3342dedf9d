/**
 * Builds the message that a channel sends from a delivery, its events and its thread. Sends nothing. What a message for
 * people leaves out because it concerns others by now is opened as their delivery.
 */

import { createPeopleLookup } from '../events/people-lookup.ts';
import { describeKnownPeople } from '../messages/chat-person.ts';
import type { Delivery } from '../model/delivery.ts';
import { GiveUp } from '../model/errors.ts';
import { sourceName, type TidingsEvent } from '../model/event.ts';
import { listFormerNames } from '../model/former-names.ts';
import { incarnationOf, isIncarnation, type Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import {
  type ChannelRegistry,
  type KnownPerson,
  type OutboundMessage,
  type PersonalTarget,
  traitsOf,
} from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { ScanStateStore } from '../ports/scan-state-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { ThreadStore } from '../ports/thread-store.ts';
import type { AddressPorts } from './address-present.ts';
import { findRecipient } from './find-recipient.ts';
import { readDigestContent } from './open-digest.ts';
import type { Health } from './receivers/health-state.ts';

export interface BuildMessagePorts extends AddressPorts {
  readonly threads: ThreadStore;
  readonly snapshots: SnapshotStore;
  readonly scanStates: Pick<ScanStateStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'get' | 'gather'>;
  readonly channels: ChannelRegistry;
  /** The time zone in which messages show the times of a source. */
  readonly zoneOf: (source: string) => Promise<string>;
}

export interface BuildMessageOptions {
  readonly delivery: Delivery;
  /** Undefined if it was removed. */
  readonly subscription: Subscription | undefined;
  readonly health: Health;
  /** The events of the delivery that are still stored. */
  readonly events: readonly TidingsEvent[];
}

/** Undefined when every event is outdated, or nothing is open. */
export async function buildMessage(
  ports: BuildMessagePorts,
  options: BuildMessageOptions,
  at: Instant,
): Promise<OutboundMessage | undefined> {
  const { delivery, subscription, health, events } = options;
  if (subscription === undefined) {
    throw new GiveUp('TIDINGS_DELIVERY_SUBSCRIPTION_GONE', 'the subscription was removed before delivery');
  }
  const isOpenDigest = delivery.standing !== undefined;
  if (events.length === 0 && !isOpenDigest) {
    throw new GiveUp('TIDINGS_DELIVERY_EVENT_GONE', 'the event was pruned before delivery');
  }
  // Machines get everything that happened; people get what is true and concerns them now.
  const channel = traitsOf(ports.channels, subscription.to);
  const isForPeople = channel.audience === 'people';
  const personal = channel.personal?.(subscription.to.settings);
  const peopleKeys = channel.peopleKeys?.(subscription.to.settings) ?? [];
  const isOfPresent = delivery.mark === undefined && isForPeople;
  const current = isOfPresent ? await loadAndAddress(ports, delivery, subscription, events, at) : events;
  const content = isOpenDigest ? await readDigestContent(ports, delivery, subscription, current, at) : undefined;
  const chosen =
    content !== undefined && personal !== undefined && delivery.person !== undefined
      ? await keepConcerning(ports, personal, delivery.person, content.events, current)
      : (content?.events ?? current);
  const { events: named, people } = isForPeople
    ? await loadAndName(ports, chosen, peopleKeys)
    : { events: chosen, people: undefined };
  const [first, ...rest] = named;
  if (first === undefined) return undefined;
  const included: OutboundMessage['events'] = [first, ...rest];
  const subject = channel.hasThreads(subscription.to.settings) ? commonSubject(included) : undefined;
  const thread = subject === undefined ? undefined : await findThread(ports.threads, subscription, subject, at);
  const hasTemplate = subscription.template !== undefined;
  const reached = delivery.attempts.flatMap((attempt) => attempt.reached ?? []);
  return {
    subscription,
    events: included,
    delivery: delivery.id,
    at,
    // Unrendered events carry their instants in UTC and need no zone.
    timeZone: subscription.timeZone ?? (isForPeople || hasTemplate ? await ports.zoneOf(sourceName(first)) : 'UTC'),
    mark: delivery.mark,
    thread,
    reached: reached.length === 0 ? undefined : reached,
    muted: health.muted.length === 0 ? undefined : health.muted,
    fresh: content?.fresh,
    outdated: content?.outdated,
    recipient:
      delivery.person === undefined || personal === undefined
        ? undefined
        : await findRecipient(ports, delivery.person, personal.role, peopleKeys),
    person: delivery.person,
    people,
  };
}

/**
 * A renamed subscription continues the threads of its former names, which nobody else can have. Under its own name, those of a
 * subscription that had it before are of others, perhaps in another channel.
 */
async function findThread(
  threads: ThreadStore,
  subscription: Subscription,
  subject: string,
  now: Instant,
): Promise<string | undefined> {
  const own = await threads.get(subscription.name, subject);
  if (own !== undefined && isIncarnation(subscription, own.incarnation)) return own.thread;
  for (const name of listFormerNames(subscription, now)) {
    const former = await threads.get(name, subject);
    if (former !== undefined) return former.thread;
  }
  return undefined;
}

/** A digest that is sent hours after it was split lists what concerns its reader by then. `addressed` was checked before. */
async function keepConcerning(
  ports: BuildMessagePorts,
  personal: PersonalTarget,
  person: string,
  events: readonly TidingsEvent[],
  addressed: readonly TidingsEvent[],
): Promise<readonly TidingsEvent[]> {
  const peopleOf = createPeopleLookup(ports);
  const isConcerned = await Promise.all(
    events.map(async (event) => addressed.includes(event) || (await peopleOf(personal, event)).includes(person)),
  );
  return events.filter((_, index) => isConcerned[index]);
}

/** Imported at the first message for people: it loads the whole event catalogue, which webhooks do not need. */
async function loadAndAddress(
  ...present: Parameters<typeof import('./address-present.ts')['addressPresent']>
): Promise<readonly TidingsEvent[]> {
  const { addressPresent } = await import('./address-present.ts');
  return addressPresent(...present);
}

/** @param keys names and addresses that the settings of the channel have ids for */
async function loadAndName(
  ports: Pick<BuildMessagePorts, 'snapshots'>,
  events: readonly TidingsEvent[],
  keys: readonly string[],
): Promise<{ readonly events: readonly TidingsEvent[]; readonly people?: readonly KnownPerson[] }> {
  const { namePeople, readPeople } = await import('../messages/name-people.ts');
  const people = await readPeople(ports, events);
  const named = namePeople(events, people);
  return keys.length === 0
    ? { events: named }
    : { events: named, people: await describeKnownPeople(ports, people, keys) };
}

/** Saves the thread id if all events of the message are about one record. */
export async function saveThread(threads: ThreadStore, message: OutboundMessage, thread: string): Promise<void> {
  const subject = commonSubject(message.events);
  if (subject === undefined || thread === message.thread) return;
  const incarnation = incarnationOf(message.subscription);
  await threads.save(message.subscription.name, subject, {
    thread,
    ...(incarnation === undefined ? {} : { incarnation }),
  });
}

/** The record that all events are about; undefined when there are several. */
function commonSubject([first, ...rest]: OutboundMessage['events']): string | undefined {
  const nameOf = ({ source, subject }: TidingsEvent) => `${source} ${subject}`;
  return rest.every((event) => nameOf(event) === nameOf(first)) ? nameOf(first) : undefined;
}
