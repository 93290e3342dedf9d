/**
 * Turns transitions into recorded events and open deliveries, and puts those on the queue.
 * Harmless to repeat: ids follow from the transition, and what is recorded already stays as it is.
 */

import { openDelivery } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Transition } from '../model/snapshot.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Clock, Duration } from '../model/time.ts';
import type { Announcement, Ledger } from '../ports/ledger.ts';
import type { Queue } from '../ports/queue.ts';
import type { ChangeFeed } from '../ports/snapshot-store.ts';
import { deliverAt } from '../subscriptions/deliver-at.ts';
import { compileMatcher } from '../subscriptions/match.ts';
import { deriveEvents } from './derive.ts';
import type { EventType } from './event-type.ts';

export interface AnnouncePorts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly clock: Clock;
  /** Event types of the config's own. */
  readonly customEvents: readonly EventType[];
  /** The zone of a source: digests and quiet hours go by its clocks. */
  readonly zoneOf: (source: string) => Promise<string>;
  /** How long chat and mail gather, whatever a subscription says. @default - as each says */
  readonly window?: Duration;
}

/** Returns the events of these transitions, in order, whether or not they were recorded before. */
export async function announce(
  ports: AnnouncePorts,
  transitions: readonly Transition[],
): Promise<readonly TidingsEvent[]> {
  const { ledger, queue, clock, customEvents } = ports;
  const match = compileMatcher(await ledger.subscriptions());
  const now = clock.now();
  const announcements: Announcement[] = [];
  const zoneOf = askedOnce(ports.zoneOf);
  for (const transition of transitions) {
    for (const event of deriveEvents(transition, customEvents)) {
      const zone = await zoneOf(transition.after.key.source);
      const wanted = match(event).filter((subscription) => !isAbout(event, subscription));
      const deliveries = wanted.map((subscription) => {
        const told = deliverAt(subscription, now, subscription.timeZone ?? zone, ports.window);
        return openDelivery(event, subscription.name, now, told);
      });
      announcements.push({ event, deliveries });
    }
  }
  await ledger.record(announcements);
  // Killed here, the deliveries wait on the agenda: tick queues what nobody queued.
  const jobs = announcements
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ status }) => status === 'pending')
    .map(({ id, subscription }) => ({ delivery: id, attempt: 1, group: subscription }));
  await queue.send(jobs, now);
  return announcements.map(({ event }) => event);
}

/** Where no zone is configured each answer costs a read, and a batch is of one source mostly. */
function askedOnce(ask: AnnouncePorts['zoneOf']): AnnouncePorts['zoneOf'] {
  const known = new Map<string, Promise<string>>();
  return (source) => {
    const zone = known.get(source) ?? ask(source);
    known.set(source, zone);
    return zone;
  };
}

/** A receiver that fails cannot be told so: it would fail at that as well, and that would be news again. */
function isAbout({ subject }: TidingsEvent, { name }: Subscription): boolean {
  return subject === `subscription/${name}`;
}

const CONSUMER = 'announce';
const BATCH = 200;

/** Announces one batch of the feed. Returns its events, or undefined when the feed held nothing new. */
export async function announceFeed(
  ports: AnnouncePorts & { readonly feed: ChangeFeed },
): Promise<readonly TidingsEvent[] | undefined> {
  const entries = await ports.feed.read(CONSUMER, BATCH);
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const events = await announce(
    ports,
    entries.map(({ transition }) => transition),
  );
  await ports.feed.acknowledge(CONSUMER, last.position);
  return events;
}
