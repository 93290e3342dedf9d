/**
 * Opens deliveries because a person asked: events sent again, or one made up to see whether it arrives. They go the way
 * of all deliveries, to one subscription alone, and are marked.
 */

import { eventTypes } from '../events/catalogue.ts';
import { exampleEvent } from '../events/examples.ts';
import { type Delivery, type DeliveryMark, deliveryId, openDelivery } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import { type Clock, DAY, type Instant, plus } from '../model/time.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Queue } from '../ports/queue.ts';
import { backtest } from '../subscriptions/backtest.ts';
import { compileGlob } from '../subscriptions/match.ts';

export interface ReplayPorts {
  readonly events: EventStore;
  readonly queue: Queue;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
}

/**
 * Sends recorded events once more, with the ids they have. Asking twice in one millisecond asks once. Returns the
 * deliveries in the order of the events.
 */
export async function replay(
  ports: ReplayPorts,
  subscription: Subscription,
  events: readonly TidingsEvent[],
): Promise<readonly Delivery[]> {
  const now = ports.clock.now();
  const gathersAt = traitsOf(ports.channels, subscription.to).gathers ? now : undefined;
  const deliveries = events.map((event) => marked(event, subscription, 'replay', now, gathersAt));
  await ports.events.record(
    events.flatMap((event, index) => ({ event, deliveries: deliveries.slice(index, index + 1) })),
  );
  await enqueue(ports.queue, deliveries, now);
  return deliveries;
}

/** People are told of many in one message, as always; a machine gets each. */
function marked(
  event: TidingsEvent,
  { name }: Subscription,
  mark: DeliveryMark,
  now: Instant,
  gathersAt?: Instant,
): Delivery {
  const id = deliveryId(mark, event.id, name, now);
  return { ...openDelivery(event, name, now, gathersAt), id, mark };
}

async function enqueue(queue: Queue, deliveries: readonly Delivery[], now: Instant): Promise<void> {
  await queue.send(
    deliveries.map(({ id, subscription }) => ({ delivery: id, attempt: 1, group: subscription })),
    now,
  );
}

/** Opens the delivery of an event that never happened. It is not queued: whoever asked makes the attempt and watches. */
export async function openTest(
  { events, clock }: Omit<ReplayPorts, 'queue'>,
  subscription: Subscription,
  type: string | undefined,
): Promise<Delivery | undefined> {
  const now = clock.now();
  const model = await modelEvent(events, subscription, type, now);
  if (model === undefined) return undefined;
  const id = `evt_${deliveryId('test', subscription.name, now).slice('dlv_'.length)}`;
  const event: TidingsEvent = { ...model, id, time: now, test: true };
  const delivery = marked(event, subscription, 'test', now);
  await events.record([{ event, deliveries: [delivery] }]);
  return delivery;
}

/** How far back a real event is looked for: enough to find one, not to read them all. */
const LOOK_BACK = 7 * DAY;

/** The newest event it would get, so that the test looks as the real thing does; else an example. */
async function modelEvent(
  events: EventStore,
  subscription: Subscription,
  type: string | undefined,
  now: Instant,
): Promise<TidingsEvent | undefined> {
  const wanted = compileGlob(type ?? '*');
  const { received } = await backtest(events, subscription, { since: plus(now, -LOOK_BACK), until: now });
  const recorded = received.findLast((event) => wanted(event.type));
  if (recorded !== undefined) return recorded;
  const globs = subscription.events.map(compileGlob);
  const example = eventTypes.find((one) => wanted(one.type) && globs.some((wants) => wants(one.type)));
  return example === undefined ? undefined : exampleEvent(example);
}
