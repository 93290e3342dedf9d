/**
 * Gathers all that is known about a record, or about one event of it: its transitions, the rule behind each event,
 * which subscriptions wanted it or why not, and how its deliveries went. Reads only; words are for the edge.
 */

import { eventTypeOf } from '../events/catalogue.ts';
import { deriveEvents } from '../events/derive.ts';
import type { EventType } from '../events/event-type.ts';
import { type ExplainedTransition, explainTransition, withoutGaps } from '../events/explain.ts';
import type { Delivery } from '../model/delivery.ts';
import { sourceUri, type TidingsEvent } from '../model/event.ts';
import { type RecordKey, subjectOf } from '../model/record.ts';
import type { ScanState } from '../model/scan.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { ScanStateStore } from '../ports/scan-state-store.ts';
import type { History, SnapshotStore } from '../ports/snapshot-store.ts';
import { forecastRecord } from '../snapshot/forecast.ts';
import type { StageRules } from '../snapshot/stage.ts';
import { explainMatch, type MatchExplanation } from '../subscriptions/explain-match.ts';

export interface ExplainPorts {
  readonly snapshots: Pick<SnapshotStore, 'get'>;
  /** @default - not kept: what the recorded events carry themselves is told */
  readonly history?: History;
  readonly events: Pick<EventStore, 'list'>;
  readonly deliveries: Pick<DeliveryStore, 'listByEvent'>;
  readonly scanStates: Pick<ScanStateStore, 'get'>;
  readonly rules: StageRules;
  /** Event types of the config's own. */
  readonly customEvents: readonly EventType[];
  /** Those in force. */
  readonly subscriptions: readonly Subscription[];
  readonly zoneOf: (source: string) => Promise<string>;
}

export interface ExplainedSubscription {
  readonly subscription: string;
  /** As it is now; null when it is no longer there. */
  readonly verdict: MatchExplanation | null;
  /** Null when none was opened: it did not want the event then, or was not there yet. */
  readonly delivery: Delivery | null;
}

export interface ExplainedEvent {
  readonly event: TidingsEvent;
  /** Null for a type the catalogue does not know any longer. */
  readonly rule: { readonly meaning: string; readonly when: string } | null;
  /** False while it waits to be announced. */
  readonly recorded: boolean;
  readonly subscriptions: readonly ExplainedSubscription[];
}

export interface ExplainedStep extends Omit<ExplainedTransition, 'events'> {
  readonly events: readonly ExplainedEvent[];
}

/** What time is going to do, if nobody does anything. */
export interface Ahead {
  readonly at: Instant;
  /** Types of the events; none when only bookkeeping moves. */
  readonly events: readonly string[];
}

export interface Explanation {
  readonly key: RecordKey;
  readonly zone: string;
  /** Null for a record nobody has seen. */
  readonly snapshot: Snapshot | null;
  readonly ahead: readonly Ahead[];
  readonly scan: ScanState | null;
  /** Oldest first. */
  readonly steps: readonly ExplainedStep[];
}

/** More than anybody reads; a record with more has its newest told. */
const MOST_STEPS = 500;

/** Stages change a handful of times in a record's life: no date is further off than this text. */
const FOREVER = '9999-12-31T23:59:59.999Z';

export async function explainRecord(ports: ExplainPorts, key: RecordKey): Promise<Explanation> {
  const { snapshots, history, events, scanStates, customEvents, zoneOf } = ports;
  const [snapshot, transitions, recorded, scan, zone] = await Promise.all([
    snapshots.get(key),
    history?.transitionsOf(key, MOST_STEPS) ?? [],
    recordedEvents(events, key),
    scanStates.get(key.source, key.resource),
    zoneOf(key.source),
  ]);
  const told = withoutGaps(transitions, snapshot).map((transition) => explainTransition(transition, customEvents));
  const steps = joined(recorded, told);
  const period = { from: snapshot?.committedAt ?? '', until: FOREVER };
  return {
    key,
    zone,
    snapshot: snapshot ?? null,
    ahead: snapshot === undefined ? [] : aheadOf(snapshot, zone, ports, period),
    scan: scan ?? null,
    steps: await Promise.all(
      steps.map(async (step) => ({
        ...step,
        events: await Promise.all(step.events.map((event) => explainEvent(ports, event, recorded))),
      })),
    ),
  };
}

/** Only the transition of one event. */
export function focusOn(explanation: Explanation, event: TidingsEvent): Explanation {
  return { ...explanation, steps: explanation.steps.filter(({ version }) => version === event.data.version) };
}

async function explainEvent(
  { deliveries, subscriptions, customEvents }: ExplainPorts,
  derived: TidingsEvent,
  recorded: readonly TidingsEvent[],
): Promise<ExplainedEvent> {
  // As it was sent, where it was: the catalogue may word it otherwise today.
  const sent = recorded.find(({ id }) => id === derived.id);
  const event = sent ?? derived;
  const type = eventTypeOf(event.type) ?? customEvents.find(({ type }) => type === event.type);
  const carriers = await deliveries.listByEvent(event.id);
  const known = subscriptions.map((subscription) => ({
    subscription: subscription.name,
    verdict: explainMatch(subscription, event),
    delivery: carrierOf(carriers, subscription.name) ?? null,
  }));
  // Of one that was made up nobody was told but those it was made up for.
  const meant = event.test === true ? known.filter(({ delivery }) => delivery !== null) : known;
  const removed = carriers
    .filter((delivery) => !subscriptions.some(({ name }) => name === delivery.subscription))
    .map((delivery) => ({ subscription: delivery.subscription, verdict: null, delivery }));
  return {
    event,
    rule: type === undefined ? null : { meaning: type.meaning, when: type.when },
    recorded: sent !== undefined,
    subscriptions: [...meant, ...removed],
  };
}

/** The one that carries it: where it was gathered, the group; of several, as after a replay, the last. */
function carrierOf(deliveries: readonly Delivery[], subscription: string): Delivery | undefined {
  const own = deliveries.filter((delivery) => delivery.subscription === subscription);
  return own.findLast(({ status }) => status !== 'gathered') ?? own.at(-1);
}

/** Events outlive the transitions they came from: of those, what the events carry themselves is told. */
function joined(
  recorded: readonly TidingsEvent[],
  told: readonly ExplainedTransition[],
): readonly ExplainedTransition[] {
  const [first] = told;
  const unknown = first?.silence?.because === 'before-history' && recorded.some((event) => isOf(event, first.version));
  const kept = unknown ? told.slice(1) : told;
  const start = kept[0]?.version ?? Number.POSITIVE_INFINITY;
  const older = Map.groupBy(
    recorded.filter(({ data }) => data.version < start),
    ({ data }) => data.version,
  );
  return [...[...older.values()].flatMap(fromEvents), ...kept];
}

const isOf = ({ data }: TidingsEvent, version: number) => data.version === version;

function fromEvents(events: readonly TidingsEvent[]): ExplainedTransition[] {
  return events.slice(0, 1).map(({ time, data: { version, cause, occurred, changes } }) => ({
    version,
    at: time,
    cause,
    occurred,
    changes,
    labels: [],
    appeared: [],
    stage: [],
    life: null,
    events,
    silence: null,
  }));
}

function aheadOf(
  snapshot: Snapshot,
  zone: string,
  { rules, customEvents }: ExplainPorts,
  period: { from: Instant; until: Instant },
): Ahead[] {
  return [...forecastRecord(snapshot, zone, rules, period)].map((transition) => ({
    at: transition.after.occurred.before,
    events: deriveEvents(transition, customEvents).map(({ type }) => type),
  }));
}

/** All of a record, in the order they were recorded. */
async function recordedEvents(events: ExplainPorts['events'], key: RecordKey): Promise<readonly TidingsEvent[]> {
  const found: TidingsEvent[] = [];
  for (let after: string | undefined; ; ) {
    const page = await events.list({ subject: subjectOf(key), limit: MOST_STEPS, after });
    // Two accounts may have a task 123 each.
    found.push(...page.events.filter(({ source }) => source === sourceUri(key.source)));
    if (page.events.length < MOST_STEPS) return found;
    after = page.cursor;
  }
}
