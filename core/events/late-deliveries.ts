/**
 * Deliveries of owners who get an event many times, such as a key with a thousand subscriptions. Where each delivery takes a request to the
 * store, they are opened in work of their own: announcing would take minutes with them, and all other receivers would wait for it. The same
 * holds for owners with filters that take long: their events are matched in that work.
 */

import { compileSubscriptions } from '../filters/match.ts';
import type { TidingsEvent } from '../model/event.ts';
import { sourceName } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import { isExpired, type Subscription } from '../model/subscription.ts';
import type { Clock } from '../model/time.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Queue } from '../ports/queue.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import { isWithheld, subscriptionOf } from './about-subscription.ts';
import { createDeliveryOpener, type DeliveryOpenerPorts, firstJobs } from './open-deliveries.ts';

/** An owner with more subscriptions is served after others. */
export const MANY_SUBSCRIPTIONS = 20;

/** Deliveries of all owners together that are opened with those of the operator: about a second for a batch. */
const MAX_OPENED_AT_ONCE = 400;

/** A function with a third of a CPU opens as many in about a second, and their names fit in a message. */
const MAX_NAMES = 250;

export interface LateDeliveries {
  /** The id of the event, which is recorded. */
  readonly event: string;
  readonly owner: string;
  /** The names of those of its subscriptions that may match the event. */
  readonly subscriptions: readonly string[];
}

/** An event, and the subscriptions that get it. */
export interface WantedEvent {
  readonly event: TidingsEvent;
  readonly wanted: readonly Subscription[];
}

interface SplitBatch {
  /** With those whose deliveries are opened at once. */
  readonly direct: readonly WantedEvent[];
  readonly late: readonly LateDeliveries[];
}

/** Separates the subscriptions whose deliveries are opened later. Those of the operator are never late. */
export function splitLate(batch: readonly WantedEvent[]): SplitBatch {
  const grouped = batch.map(({ event, wanted }) => ({ event, wanted, groups: groupByOwner(wanted) }));
  const counts = new Map<string, number>();
  for (const { owner, own } of grouped.flatMap(({ groups }) => groups))
    if (own.length <= MANY_SUBSCRIPTIONS) counts.set(owner, (counts.get(owner) ?? 0) + own.length);
  const left = shareOut(counts);
  const late: LateDeliveries[] = [];
  const direct = grouped.map(({ event, wanted, groups }) => {
    const owners = new Set<string | undefined>();
    for (const { owner, own } of groups) {
      const rest = (left.get(owner) ?? 0) - own.length;
      if (own.length <= MANY_SUBSCRIPTIONS && rest >= 0) {
        left.set(owner, rest);
      } else {
        owners.add(owner);
        late.push(...lateOf(event, owner, own));
      }
    }
    return { event, wanted: owners.size === 0 ? wanted : wanted.filter(({ owner }) => !owners.has(owner)) };
  });
  return { direct, late };
}

const groupByOwner = (wanted: readonly Subscription[]) =>
  [...Map.groupBy(wanted, ({ owner }) => owner)].flatMap(([owner, own]) =>
    owner === undefined ? [] : [{ owner, own }],
  );

/** How many deliveries of each owner are opened at once: the same number of each, but no more than it has. One at least. */
function shareOut(counts: ReadonlyMap<string, number>): Map<string, number> {
  const shares = new Map<string, number>();
  let left = MAX_OPENED_AT_ONCE;
  for (const [owner, count] of [...counts].sort(([, one], [, other]) => one - other)) {
    const share = Math.min(count, Math.max(1, Math.floor(left / (counts.size - shares.size))));
    shares.set(owner, share);
    left -= share;
  }
  return shares;
}

/** Leaves the deliveries of an owner to later. */
export const lateOf = (
  { id }: Pick<TidingsEvent, 'id'>,
  owner: string,
  subscriptions: readonly Subscription[],
): readonly LateDeliveries[] =>
  namesInParts(subscriptions).map((names) => ({ event: id, owner, subscriptions: names }));

const parts = new WeakMap<readonly Subscription[], readonly (readonly string[])[]>();

/** Once for each list: an owner with costly filters has the same one for all events of a type. */
function namesInParts(subscriptions: readonly Subscription[]): readonly (readonly string[])[] {
  const known = parts.get(subscriptions);
  if (known !== undefined) return known;
  const names = subscriptions.map(({ name }) => name);
  const split = Array.from({ length: Math.ceil(names.length / MAX_NAMES) }, (_, n) =>
    names.slice(n * MAX_NAMES, (n + 1) * MAX_NAMES),
  );
  parts.set(subscriptions, split);
  return split;
}

export interface OpenLatePorts extends DeliveryOpenerPorts {
  readonly events: EventStore;
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly queue: Pick<Queue, 'send'>;
  readonly clock: Clock;
  readonly zoneOf: (source: string) => Promise<string>;
  /** Called between two filters. @default - all in one go */
  readonly betweenFilters?: Pace;
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
  const matched = await compileSubscriptions(own).match(event, ports.betweenFilters ?? UNPACED);
  const wanted = matched.filter((one) => !isWithheld(event, one, () => ownerOfSubject));
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
