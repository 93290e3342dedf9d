/** Explains one event: the rule behind it, and for each subscription and reader its delivery, or why there is none. Reads only. */

import { eventTypeOf } from '../events/catalogue.ts';
import type { EventType } from '../events/event-type.ts';
import { explainMatch, type MatchExplanation } from '../filters/explain-match.ts';
import { type Delivery, isDeliveryOf } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { Subscription } from '../model/subscription.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { type DeliveryReader, describeReader } from './describe-reader.ts';
import { type Delay, type ExplainWaitPorts, explainWait } from './explain-wait.ts';
import { pauseOf, type ReceiverPause } from './receivers/health.ts';
import { readHealth } from './receivers/subscription-state.ts';

export interface EventExplainPorts extends ExplainWaitPorts {
  readonly snapshots: Pick<SnapshotStore, 'get' | 'getMany' | 'list'>;
  readonly deliveries: Pick<DeliveryStore, 'listByEvent'>;
  /** The custom event types of the config. */
  readonly customEvents: readonly EventType[];
  /** The effective subscriptions. */
  readonly subscriptions: readonly Subscription[];
  /** Whether other subscriptions, also removed ones, are left out. @default false */
  readonly isPartial?: boolean;
}

export interface ExplainedSubscription {
  readonly subscription: string;
  /** Whether its current filters match the event; null if the subscription was removed, also if another one has its name now. */
  readonly verdict: MatchExplanation | null;
  /** Null if none was opened: at that time the subscription did not exist or did not match. */
  readonly delivery: Delivery | null;
  /** Those that carried the event to the same reader before, oldest first: it was sent again on request. */
  readonly earlier: readonly Delivery[];
  /** The only reader of the delivery. @default - all receivers of the subscription */
  readonly reader?: DeliveryReader;
  /** Why and until when an open delivery waits for its receiver; null if it does not. */
  readonly receiverPaused: ReceiverPause | null;
  /** Why an open delivery is not attempted now. @default - it is over, or is due now */
  readonly wait?: Delay;
}

export interface ExplainedEvent {
  readonly event: TidingsEvent;
  /** Null if the catalogue no longer has the type. */
  readonly rule: { readonly meaning: string; readonly when: string } | null;
  /** False until it is announced. */
  readonly recorded: boolean;
  readonly subscriptions: readonly ExplainedSubscription[];
}

/** Of one event: a key can replay it to its subscriptions again and again, and all of them are in memory. */
export const MAX_SHOWN_DELIVERIES = 2000;

export const isTest = ({ test }: TidingsEvent) => test === true;

/** Explains one event without the history of its record. */
export function explainAlone(ports: EventExplainPorts, event: TidingsEvent, pace?: Pace): Promise<ExplainedEvent> {
  return explainEvent(ports, event, [event], pace);
}

/**
 * @param recorded the events that were announced
 * @param pace @default - in one go
 */
export async function explainEvent(
  ports: EventExplainPorts,
  derived: TidingsEvent,
  recorded: readonly TidingsEvent[],
  pace: Pace = UNPACED,
): Promise<ExplainedEvent> {
  const { deliveries, subscriptions, customEvents } = ports;
  // Prefer the recorded event: the catalogue may have changed since it was sent.
  const sent = recorded.find(({ id }) => id === derived.id);
  const event = sent ?? derived;
  const type = eventTypeOf(event.type) ?? customEvents.find(({ type }) => type === event.type);
  const names = subscriptions.map(({ name }) => name);
  const only = ports.isPartial === true ? names : undefined;
  const carriers = await deliveries.listByEvent(event.id, only, MAX_SHOWN_DELIVERIES);
  const bySubscription = Map.groupBy(carriers, ({ subscription }) => subscription);
  const removed: Delivery[] = [];
  const rows = [];
  for (const subscription of subscriptions) {
    const ofName = bySubscription.get(subscription.name) ?? [];
    const own = groupByReader(ofName.filter((one) => isDeliveryOf(subscription, one)));
    removed.push(...ofName.filter((one) => !isDeliveryOf(subscription, one)));
    const verdict = explainMatch(subscription, event);
    for (const one of own.length === 0 ? [{ delivery: null, earlier: [] }] : own)
      rows.push({ subscription, verdict, ...one });
    await pace();
  }
  const explained = await Promise.all(
    rows.map(async ({ subscription, verdict, delivery, earlier }) => ({
      subscription: subscription.name,
      verdict,
      delivery,
      earlier,
      ...(await explainDelivery(ports, delivery, subscription)),
    })),
  );
  // A test event goes only to the subscription that it was made for.
  const concerned = isTest(event) ? explained.filter(({ delivery }) => delivery !== null) : explained;
  const known = new Set(names);
  removed.push(...carriers.filter(({ subscription }) => !known.has(subscription)));
  const orphans = ports.isPartial === true ? [] : [...Map.groupBy(removed, ({ subscription }) => subscription)];
  const explainedOrphans = await Promise.all(
    orphans.flatMap(([subscription, own]) =>
      groupByReader(own).map(async ({ delivery, earlier }) => ({
        subscription,
        verdict: null,
        delivery,
        earlier,
        ...(await readerOf(ports, delivery, undefined)),
        receiverPaused: null,
      })),
    ),
  );
  return {
    event,
    rule: type === undefined ? null : { meaning: type.meaning, when: type.when },
    recorded: sent !== undefined,
    subscriptions: [...concerned, ...explainedOrphans],
  };
}

async function explainDelivery(
  ports: EventExplainPorts,
  delivery: Delivery | null,
  subscription: Subscription,
): Promise<Pick<ExplainedSubscription, 'receiverPaused' | 'wait' | 'reader'>> {
  if (delivery === null) return { receiverPaused: null };
  const reader = await readerOf(ports, delivery, subscription);
  const wait = await explainWait(ports, delivery, subscription);
  const isOpen = delivery.status === 'pending' || delivery.status === 'waiting';
  const health = isOpen ? await readHealth(ports, delivery.subscription) : undefined;
  return { ...reader, receiverPaused: health === undefined ? null : pauseOf(health, ports.clock.now()), wait };
}

async function readerOf(
  ports: EventExplainPorts,
  { person }: Delivery,
  subscription: Subscription | undefined,
): Promise<Pick<ExplainedSubscription, 'reader'>> {
  return person === undefined ? {} : { reader: await describeReader(ports, person, subscription?.to) };
}

/**
 * For each reader the delivery that carries the event, which is the last one if it was sent again, and those before it. A
 * personal subscription has a delivery for each person.
 */
function groupByReader(
  own: readonly Delivery[],
): { readonly delivery: Delivery; readonly earlier: readonly Delivery[] }[] {
  return [...Map.groupBy(own, ({ person }) => person).values()].flatMap((ofReader) => {
    const sent = ofReader.filter(({ status }) => status !== 'gathered');
    const delivery = sent.at(-1) ?? ofReader.at(-1);
    return delivery === undefined ? [] : [{ delivery, earlier: sent.filter(({ id }) => id !== delivery.id) }];
  });
}
