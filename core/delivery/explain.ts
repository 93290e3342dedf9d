/**
 * Explains a record or one of its events: its transitions, the rule behind each event, which subscriptions matched it or
 * why not, and its deliveries. Reads only; the commands format the result.
 */

import { deriveEvents } from '../events/derive.ts';
import { type ExplainedTransition, explainTransition, withoutGaps } from '../events/explain.ts';
import { sourceUri, type TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import { type RecordKey, subjectOf } from '../model/record.ts';
import type { ScanState } from '../model/scan.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import type { EventPage, EventQuery, EventStore } from '../ports/event-store.ts';
import type { ScanStateStore } from '../ports/scan-state-store.ts';
import type { History } from '../ports/snapshot-store.ts';
import { forecastRecord } from '../snapshot/forecast.ts';
import type { StageRules } from '../snapshot/stage.ts';
import { type EventExplainPorts, type ExplainedEvent, explainEvent, isTest } from './explain-event.ts';

export interface ExplainPorts extends EventExplainPorts {
  /** @default - no history is stored; steps are rebuilt from the recorded events */
  readonly history?: History;
  readonly events: Pick<EventStore, 'list' | 'getMany'>;
  readonly scanStates: Pick<ScanStateStore, 'get'>;
  readonly rules: StageRules;
}

export interface ExplainedStep extends Omit<ExplainedTransition, 'events'> {
  readonly events: readonly ExplainedEvent[];
}

/** A future change of the stage, if the record does not change before it. */
interface Ahead {
  readonly at: Instant;
  /** Types of the events; empty if the change causes none. */
  readonly events: readonly string[];
}

export interface Explanation {
  readonly key: RecordKey;
  readonly zone: string;
  /** Null if no poll has seen the record. */
  readonly snapshot: Snapshot | null;
  readonly ahead: readonly Ahead[];
  readonly scan: ScanState | null;
  /** Oldest first. Tests, which anyone may send, are no steps: of one that was asked about, it is the only step. */
  readonly steps: readonly ExplainedStep[];
  /** How many older events that the reader may read are left out of the steps. @default 0 */
  readonly older?: number;
}

/** Of a record with many events, those that a reader asks about. To explain one costs as much as there are subscriptions. */
export interface NewestEvents {
  readonly max: number;
  /** Others are left out, and so are steps without events. */
  readonly mayRead: (event: TidingsEvent) => Promise<boolean>;
}

/** Of a record with more transitions, the newest are explained. Also the page size when reading events. */
const MAX_STEPS = 500;

/** The forecast needs no limit: a stage changes only a few times in the life of a record. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

export interface ExplainRecordOptions {
  /** The event whose transition is the only step. @default - all are steps */
  readonly asked?: TidingsEvent | undefined;
  /** The events that are explained. @default - all */
  readonly newest?: NewestEvents | undefined;
  /** @default - in one go */
  readonly pace?: Pace | undefined;
}

export async function explainRecord(
  ports: ExplainPorts,
  key: RecordKey,
  { asked, newest, pace = UNPACED }: ExplainRecordOptions = {},
): Promise<Explanation> {
  const { snapshots, history, events, scanStates, customEvents, zoneOf } = ports;
  const [snapshot, transitions, ofRecord, scan, zone] = await Promise.all([
    snapshots.get(key),
    history?.transitionsOf(key, MAX_STEPS) ?? [],
    recordedEvents(events, key, pace),
    scanStates.get(key.source, key.resource),
    zoneOf(key.source),
  ]);
  const recorded = asked !== undefined && isTest(asked) ? [...ofRecord, asked] : ofRecord;
  const explained = withoutGaps(transitions, snapshot).map((transition) => explainTransition(transition, customEvents));
  const all = addRecordedSteps(explained, recorded);
  const focused = asked === undefined ? all : focusOn(all, asked);
  const { steps, ...left } =
    newest === undefined ? { steps: focused } : await keepNewest(focused, recorded, newest, pace);
  return {
    key,
    zone,
    snapshot: snapshot ?? null,
    ahead:
      snapshot === undefined
        ? []
        : deriveAhead(snapshot, zone, ports).map(({ at, events }) => ({ at, events: events.map(({ type }) => type) })),
    scan: scan ?? null,
    steps: await Promise.all(
      steps.map(async (step) => ({
        ...step,
        events: await Promise.all(step.events.map((event) => explainEvent(ports, event, recorded, pace))),
      })),
    ),
    ...left,
  };
}

async function keepNewest(
  steps: readonly ExplainedTransition[],
  recorded: readonly TidingsEvent[],
  { max, mayRead }: NewestEvents,
  pace: Pace,
): Promise<{ readonly steps: readonly ExplainedTransition[]; readonly older: number }> {
  const known = new Map(recorded.map((event) => [event.id, event]));
  const kept: ExplainedTransition[] = [];
  let count = 0;
  for (const step of steps.toReversed()) {
    const events: TidingsEvent[] = [];
    for (const event of step.events.toReversed()) {
      await pace();
      if (!(await mayRead(known.get(event.id) ?? event))) continue;
      count += 1;
      if (count <= max) events.push(event);
    }
    if (events.length > 0) kept.push({ ...step, events: events.toReversed() });
  }
  return { steps: kept.toReversed(), older: Math.max(0, count - max) };
}

/** Keeps only the transition of one event; of a test event, the event alone. */
export function focusOn<Step extends Pick<ExplainedTransition, 'version'>>(
  steps: readonly Step[],
  event: TidingsEvent,
): readonly (Step | ExplainedTransition)[] {
  // A test has the version of its model, but is not part of that transition.
  return isTest(event) ? fromEvents([event]) : steps.filter(({ version }) => version === event.data.version);
}

/**
 * Adds the steps that only the recorded events show: events are stored longer than transitions, so steps before the first stored one are
 * rebuilt from them.
 */
export function addRecordedSteps(
  explained: readonly ExplainedTransition[],
  recorded: readonly TidingsEvent[],
): readonly ExplainedTransition[] {
  const real = recorded.filter((event) => !isTest(event));
  const [first] = explained;
  const isPartial =
    first?.silence?.because === 'before-history' && real.some(({ data }) => data.version === first.version);
  const kept = isPartial ? explained.slice(1) : explained;
  const start = kept[0]?.version ?? Number.POSITIVE_INFINITY;
  const older = Map.groupBy(
    real.filter(({ data }) => data.version < start),
    ({ data }) => data.version,
  );
  return [...[...older.values()].flatMap(fromEvents), ...kept];
}

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

/** The events of each future change of the stage, as they would be announced if the record does not change before it. */
export function deriveAhead(
  snapshot: Snapshot,
  zone: string,
  { rules, customEvents }: Pick<ExplainPorts, 'rules' | 'customEvents'>,
): readonly { readonly at: Instant; readonly events: readonly TidingsEvent[] }[] {
  const period = { from: snapshot.committedAt, until: END_OF_TIME };
  return [...forecastRecord(snapshot, zone, rules, period)].map((transition) => ({
    at: transition.after.occurred.before,
    events: deriveEvents(transition, customEvents),
  }));
}

/** All events of a record, without tests, in the order they were recorded. */
export async function recordedEvents(
  events: { list(query: Pick<EventQuery, 'subject' | 'limit' | 'after'>): Promise<EventPage> },
  key: RecordKey,
  pace: Pace = UNPACED,
): Promise<readonly TidingsEvent[]> {
  const ownEvents: TidingsEvent[] = [];
  for (let after: string | undefined; ; ) {
    const page = await events.list({ subject: subjectOf(key), limit: MAX_STEPS, after });
    // Two sources may each have a task 123.
    ownEvents.push(...page.events.filter(({ source }) => source === sourceUri(key.source)));
    if (!page.more) return ownEvents;
    await pace();
    after = page.cursor;
  }
}
