/** Makes what is handed to a channel from a delivery and what is known around it. Sends nothing. */

import type { Delivery } from '../model/delivery.ts';
import { GiveUp } from '../model/errors.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import { type ChannelRegistry, type OutboundMessage, traitsOf } from '../ports/channel.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { ThreadStore } from '../ports/thread-store.ts';
import type { Health } from './health.ts';

export interface BuildMessagePorts {
  readonly threads: ThreadStore;
  readonly snapshots: SnapshotStore;
  readonly channels: ChannelRegistry;
  /** The zone in which the times of a source are told. */
  readonly zoneOf: (source: string) => Promise<string>;
}

export interface BuildMessageOptions {
  readonly delivery: Delivery;
  /** Undefined when it was removed. */
  readonly subscription: Subscription | undefined;
  readonly health: Health;
  /** Those of the delivery that are still kept. */
  readonly events: readonly TidingsEvent[];
}

/** Undefined when there is nothing left to tell. */
export async function buildMessage(
  ports: BuildMessagePorts,
  order: BuildMessageOptions,
  at: Instant,
): Promise<OutboundMessage | undefined> {
  const { delivery, subscription, health, events } = order;
  if (subscription === undefined) {
    throw new GiveUp('TIDINGS_DELIVERY_SUBSCRIPTION_GONE', 'the subscription was removed before this was delivered');
  }
  if (events.length === 0) {
    throw new GiveUp('TIDINGS_DELIVERY_EVENT_GONE', 'the event is kept no longer: it was pruned before delivery');
  }
  // A machine wants to know what happened; people, what they have to know now.
  const channel = traitsOf(ports.channels, subscription.to);
  const isForPeople = channel.audience === 'people';
  const isNow = delivery.mark === undefined && isForPeople;
  const [first, ...rest] = isNow ? await stillTrue(ports, events) : events;
  if (first === undefined) return undefined;
  const told: OutboundMessage['events'] = [first, ...rest];
  const subject = channel.hasThreads(subscription.to.settings) ? commonSubject(told) : undefined;
  const thread = subject === undefined ? undefined : await ports.threads.get(subscription.name, subject);
  const hasTemplate = subscription.template !== undefined;
  const reached = delivery.attempts.flatMap((attempt) => attempt.reached ?? []);
  return {
    subscription,
    events: told,
    delivery: delivery.id,
    at,
    // Unrendered events carry their instants in UTC: no zone is looked up for them.
    timeZone: subscription.timeZone ?? (isForPeople || hasTemplate ? await ports.zoneOf(sourceName(first)) : 'UTC'),
    ...(delivery.mark === undefined ? {} : { mark: delivery.mark }),
    ...(thread === undefined ? {} : { thread }),
    ...(reached.length === 0 ? {} : { reached }),
    ...(health.muted.length === 0 ? {} : { muted: health.muted }),
  };
}

/** Loaded with the first message for people: it knows all types of events, and a webhook needs none of them. */
async function stillTrue(ports: BuildMessagePorts, events: readonly TidingsEvent[]): Promise<readonly TidingsEvent[]> {
  const { dropOutdated } = await import('../messages/drop-outdated.ts');
  return dropOutdated(ports, events);
}

/** Kept where all of the message is about one record. */
export async function saveThread(threads: ThreadStore, parcel: OutboundMessage, thread: string): Promise<void> {
  const subject = commonSubject(parcel.events);
  if (subject === undefined || thread === parcel.thread) return;
  await threads.save(parcel.subscription.name, subject, thread);
}

/** The record all of them are about; undefined when there are several. */
function commonSubject([first, ...rest]: OutboundMessage['events']): string | undefined {
  const nameOf = ({ source, subject }: TidingsEvent) => `${source} ${subject}`;
  return rest.every((event) => nameOf(event) === nameOf(first)) ? nameOf(first) : undefined;
}

const sourceName = ({ source }: TidingsEvent) => source.slice(source.lastIndexOf('/') + 1);
