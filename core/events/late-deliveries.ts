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

/** Deliveries of one owner that are opened with those of others: about a second for a batch, with two subscriptions of a hundred changes. */
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

interface SplitSubscriptions {
  /** Those whose deliveries are opened at once. */
  readonly direct: readonly Subscription[];
  readonly late: readonly LateDeliveries[];
}

/** Separates, for each event of a batch in turn, the subscriptions whose deliveries are opened later. */
type SplitLate = (event: Pick<TidingsEvent, 'id'>, wanted: readonly Subscription[]) => SplitSubscriptions;

/** Use one for all events of a batch: it counts what is opened for each owner. */
export function createLateSplit(): SplitLate {
  const opened = new Map<string, number>();
  return (event, wanted) => {
    const late = new Map<string, readonly LateDeliveries[]>();
    for (const [owner, own] of Map.groupBy(wanted, (one) => one.owner)) {
      // Those of the operator are never late.
      if (owner === undefined) continue;
      const all = (opened.get(owner) ?? 0) + own.length;
      if (own.length > MANY_SUBSCRIPTIONS || all > MAX_OPENED_AT_ONCE) late.set(owner, lateOf(event, owner, own));
      else opened.set(owner, all);
    }
    if (late.size === 0) return { direct: wanted, late: [] };
    const isLate = ({ owner }: Subscription) => owner !== undefined && late.has(owner);
    return { direct: wanted.filter((one) => !isLate(one)), late: [...late.values()].flat() };
  };
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
