/** Explains a record or an event: gathers everything the stores hold about it. Makes no requests to the API or receivers. */

import { channelRegistry } from '../../adapters/channels/registry.ts';
import { type Explanation, explainRecord, type NewestEvents } from '../../core/delivery/explain.ts';
import { type ExplainedEvent, explainAlone } from '../../core/delivery/explain-event.ts';
import { customEventType } from '../../core/events/custom-events.ts';
import { UsageError } from '../../core/model/errors.ts';
import { OWN_SOURCE, SOURCE_RESOURCE, sourceUri, type TidingsEvent } from '../../core/model/event.ts';
import type { Pace } from '../../core/model/pace.ts';
import type { RecordKey } from '../../core/model/record.ts';
import type { ScanKind } from '../../core/model/scan.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { Clock, Instant } from '../../core/model/time.ts';
import type { DeliveryStore } from '../../core/ports/delivery-store.ts';
import type { EventStore } from '../../core/ports/event-store.ts';
import type { ScanStateStore } from '../../core/ports/scan-state-store.ts';
import type { History, SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import { type Cadence, lightKind } from '../../core/source/plan.ts';
import type { Config } from '../config/config.ts';
import { createZoneLookup } from '../zones.ts';
import { effectiveSubscriptions } from './effective-subscriptions.ts';
import { type FindNamesOptions, findNames, type IdNames } from './id-names.ts';
import { getSourceStatuses } from './status.ts';

export interface ExplainDataPorts {
  readonly snapshots: SnapshotStore;
  /** @default - transitions are not kept */
  readonly history?: History;
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly scanStates: ScanStateStore;
  readonly subscriptions: SubscriptionStore;
  readonly clock: Clock;
}

/** Whether and when the record's resource is polled. */
interface Reading {
  /** `ours`: a record that Tidings keeps itself, such as the health of a source. `unknown`: the config has no such source. */
  readonly state: 'on' | 'off' | 'forbidden' | 'ours' | 'unknown';
  /** When the resource is scanned next, at the latest. Null: never, or as soon as possible. */
  readonly nextAt: Instant | null;
  /** Null: not polled. */
  readonly cadence: (Cadence & { readonly light: ScanKind }) | null;
}

export interface ExplainResult extends Explanation {
  readonly reading: Reading;
  /** The names of the ids in the changes. */
  readonly names: IdNames;
  /** The event that was asked about; null when it was the record. */
  readonly asked: string | null;
}

/** The part of the config that decides what a record and its events mean. */
export type ExplainConfig = Pick<Config, 'rules' | 'customEvents' | 'subscriptions' | 'sources'>;

export interface ExplainOptions {
  /** Whether the names of records of a resource may be shown. @default - all */
  readonly mayRead?: FindNamesOptions['mayRead'];
  /** The subscriptions that are explained. @default - all in effect, and removed ones */
  readonly only?: readonly Subscription[];
  /** The events that are explained. @default - all */
  readonly newest?: NewestEvents;
  /** @default - in one go */
  readonly pace?: Pace;
}

/** @param subject `evt_…`, `task/123`, or `main/task/123` with several sources */
export async function explain(
  ports: ExplainDataPorts,
  config: ExplainConfig,
  subject: string,
  { mayRead, only, newest, pace }: ExplainOptions = {},
): Promise<readonly ExplainResult[]> {
  const { snapshots, events } = ports;
  const explainPorts = {
    ...ports,
    channels: channelRegistry,
    rules: config.rules,
    customEvents: config.customEvents.map(customEventType),
    subscriptions: only ?? (await effectiveSubscriptions(config, ports.subscriptions)),
    isPartial: only !== undefined,
    zoneOf: createZoneLookup(config.sources, snapshots),
  };
  const explainKey = async (key: RecordKey, event?: TidingsEvent): Promise<ExplainResult> => {
    const explanation = await explainRecord(explainPorts, key, { asked: event, newest, pace });
    const { record = {} } = explanation.snapshot ?? {};
    const versions = explanation.steps.flatMap(({ changes, events: explained }) =>
      explained.length === 0
        ? [{ record, changes }]
        : explained.map((one) => ({ record: one.event.data.record, changes })),
    );
    const names = await findNames(ports, [...versions, { record, changes: [] }], { ...key, mayRead });
    const reading = await describeReading(ports, config, explanation);
    return { ...explanation, reading, names, asked: event?.id ?? null };
  };
  const sources = config.sources.map(({ name }) => name);
  const results = await explainSubject(subject, { sources, getEvent: (id) => events.get(id), explainKey });
  const stored = results.filter(({ snapshot }) => snapshot !== null);
  return stored.length > 0 ? stored : results;
}

/** Explains an event, or a record of each source that may have it. */
export async function explainSubject<Result>(
  subject: string,
  {
    sources,
    getEvent,
    explainKey,
  }: {
    readonly sources: readonly string[];
    readonly getEvent: (id: string) => Promise<TidingsEvent | undefined>;
    readonly explainKey: (key: RecordKey, event?: TidingsEvent) => Promise<Result>;
  },
): Promise<readonly Result[]> {
  if (!subject.startsWith('evt_')) {
    return Promise.all(parseSubject(subject, sources).map((key) => explainKey(key)));
  }
  const event = await getEvent(subject);
  if (event === undefined) throw unknownEvent(subject);
  return [await explainKey(keyOf(event), event)];
}

/** Explains one event: its rule, and what became of it for each subscription. Reads nothing else of its record. */
export async function explainEventAlone(
  ports: Pick<ExplainDataPorts, 'snapshots' | 'events' | 'deliveries' | 'subscriptions' | 'clock'>,
  config: Config,
  event: TidingsEvent,
  { only, pace }: Pick<ExplainOptions, 'only' | 'pace'> = {},
): Promise<ExplainedEvent> {
  const explainPorts = {
    ...ports,
    channels: channelRegistry,
    customEvents: config.customEvents.map(customEventType),
    subscriptions: only ?? (await effectiveSubscriptions(config, ports.subscriptions)),
    isPartial: only !== undefined,
    zoneOf: createZoneLookup(config.sources, ports.snapshots),
  };
  return explainAlone(explainPorts, event, pace);
}

/** One key for each source that may have the record. */
function parseSubject(subject: string, sources: readonly string[]): readonly RecordKey[] {
  const parts = subject.split('/');
  const [resource = '', id = ''] = parts.slice(-2);
  const named = parts.length === 3 ? parts[0] : undefined;
  const names = sources.filter((name) => named === undefined || name === named);
  if (parts.length < 2 || parts.length > 3 || id === '') throw badSubject(subject, 'a record such as task/123');
  if (names.length === 0) {
    throw badSubject(subject, `a record of one of the sources ${sources.join(', ')}`);
  }
  if (resource === SOURCE_RESOURCE) return [{ source: id, resource, id }];
  if (resourceOf(resource) === undefined) throw badSubject(subject, 'a resource of the API, such as task or invoice');
  if (!/^\d+$/.test(id)) throw badSubject(subject, 'a number after the resource, such as task/123');
  return names.map((source) => ({ source, resource, id }));
}

function badSubject(subject: string, expected: string): UsageError {
  return new UsageError(
    'TIDINGS_SUBJECT_INVALID',
    `explain: expected ${expected}, or the id of an event such as evt_5f2c…, got '${subject}'`,
  );
}

function unknownEvent(id: string): UsageError {
  return new UsageError('TIDINGS_EVENT_UNKNOWN', `explain: event '${id}' not found; list events with: tidings events`);
}

function keyOf({ source, subject }: TidingsEvent): RecordKey {
  const [resource = '', id = ''] = subject.split('/');
  const isOwn = source === sourceUri(OWN_SOURCE);
  return { source: isOwn ? OWN_SOURCE : source.replace('/sources/', ''), resource, id };
}

const NOT_POLLED = { nextAt: null, cadence: null } as const;

async function describeReading(
  ports: ExplainDataPorts,
  { sources }: ExplainConfig,
  { key, snapshot }: Explanation,
): Promise<Reading> {
  if (key.source === OWN_SOURCE || key.resource === SOURCE_RESOURCE) return { state: 'ours', ...NOT_POLLED };
  const source = sources.find(({ name }) => name === key.source);
  if (source === undefined) return { state: 'unknown', ...NOT_POLLED };
  const planned = source.resources.find(({ resource }) => resource.name === key.resource);
  if (planned === undefined) return { state: 'off', ...NOT_POLLED };
  const now = ports.clock.now();
  const [status] = await getSourceStatuses(ports, { sources: [source] }, now);
  const resource = status?.resources.find((one) => one.resource === key.resource);
  const nextAt = resource?.nextScanAt ?? null;
  // A change by the passing of time brings the scan forward.
  const moment = snapshot?.nextMoment ?? null;
  return {
    state: resource?.forbidden === true ? 'forbidden' : 'on',
    nextAt: nextAt !== null && moment !== null && moment > now && moment < nextAt ? moment : nextAt,
    cadence: { ...planned.cadence, light: lightKind(planned.resource) },
  };
}
