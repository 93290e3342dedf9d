/**
 * Explains a record or an event through the management API: with the history of the record as far as the API shows it, else
 * with its recorded events. The server says what became of each event.
 */

import { addRecordedSteps, focusOn, recordedEvents } from '../../core/delivery/explain.ts';
import { type ExplainedEvent, type ExplainedSubscription, isTest } from '../../core/delivery/explain-event.ts';
import type { ExplainedTransition } from '../../core/events/explain.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import { UsageError } from '../../core/model/errors.ts';
import { OWN_SOURCE, SOURCE_RESOURCE, type TidingsEvent } from '../../core/model/event.ts';
import type { Fields, RecordKey } from '../../core/model/record.ts';
import type { Stage } from '../../core/model/snapshot.ts';
import {
  type Delivery as ShownDelivery,
  type StoredRecord,
  TidingsApiError,
  type TidingsClient,
} from '../../kit/client.ts';
import { explainSubject } from '../../runtime/inspect/explain.ts';
import type { ResourceStatus, SourceStatus } from '../../runtime/inspect/status.ts';
import type { EventReader, ShownExplanation, ShownStep } from './backend.ts';

export async function explainThroughApi(
  { client, events }: { readonly client: TidingsClient; readonly events: EventReader },
  sources: readonly SourceStatus[],
  subject: string,
): Promise<readonly ShownExplanation[]> {
  const explainKey = async (key: RecordKey, asked?: TidingsEvent): Promise<ShownExplanation> => {
    const view = await getRecord(client, key);
    const steps = view === undefined ? addRecordedSteps([], await recordedEvents(events, key)) : stepsOf(view);
    const isOwn = key.source === OWN_SOURCE;
    const source = isOwn ? sources[0] : sources.find((one) => one.source === key.source);
    const resource = source?.resources.find((one) => one.resource === key.resource);
    return {
      key,
      zone: source?.timeZone ?? 'UTC',
      snapshot: view === undefined ? null : snapshotOf(view),
      ahead: view?.ahead ?? [],
      scan: resource ?? null,
      steps: await explainEvents(client, asked === undefined ? steps : focusOn(steps, asked)),
      // Its schema leaves open what a reading has.
      reading: (view?.reading as ShownExplanation['reading'] | undefined) ?? describeReading(key, source, resource),
      // A server of version 1.0.0 does not name them.
      names: view?.names ?? {},
      asked: asked?.id ?? null,
    };
  };
  const names = sources.map(({ source }) => source);
  const results = await explainSubject(subject, { sources: names, getEvent: events.get, explainKey });
  const shown = results.filter(({ snapshot, steps }) => snapshot !== null || steps.length > 0);
  if (shown.length > 0) return shown;
  throw new UsageError('TIDINGS_API_NOT_FOUND', `explain: '${subject}' not found, or the key may not see it`);
}

export async function unlessMissing<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof TidingsApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** The API shows no records of Tidings itself, such as the health of a receiver. */
async function getRecord(
  client: TidingsClient,
  { source, resource, id }: RecordKey,
): Promise<StoredRecord | undefined> {
  if (source === OWN_SOURCE) return undefined;
  return (await unlessMissing(client.getRecord(resource, id, { source })))?.data[0];
}

function snapshotOf(view: StoredRecord): ShownExplanation['snapshot'] {
  const { source, resource, id, version, record, stage, deletedAt, committedAt } = view;
  const key = { source, resource, id };
  return { key, version, record: record as Fields, stage: stage as Stage, deletedAt, committedAt };
}

type Step = Omit<ShownStep, 'events'> & Pick<ExplainedTransition, 'events'>;

/** Labels and fields that appeared are not part of the API's history. */
function stepsOf({ history, events }: StoredRecord): readonly Step[] {
  const visible = new Map(events.map((event) => [event.id, event as unknown as TidingsEvent]));
  const steps = history.map(({ silence, events: ids, ...step }) => ({
    ...(step as Pick<Step, 'version' | 'at' | 'cause' | 'occurred' | 'changes' | 'stage' | 'life'>),
    labels: [],
    appeared: [],
    events: ids.flatMap((id) => visible.get(id) ?? []),
    silence: silence === null ? null : { words: silence },
  }));
  // A server of version 1.0.0 has one for each test.
  return steps.filter(({ events }) => !events.some(isTest));
}

/** Each request reads one event: several at a time would exceed the rate of the key. */
async function explainEvents(client: TidingsClient, steps: readonly Step[]): Promise<readonly ShownStep[]> {
  const explained: ShownStep[] = [];
  for (const step of steps) {
    const events: ExplainedEvent[] = [];
    for (const event of step.events) events.push(await explainEvent(client, event));
    explained.push({ ...step, events });
  }
  return explained;
}

async function explainEvent(client: TidingsClient, event: TidingsEvent): Promise<ExplainedEvent> {
  const { rule, deliveries, subscriptions } = await client.getEvent(event.id);
  return {
    event,
    rule,
    recorded: true,
    subscriptions: subscriptions.map(({ subscription, verdict, delivery: id, earlier, receiverPaused }) => {
      const shown = deliveries.find((one) => one.id === id);
      return {
        subscription,
        // The schema leaves open why a subscription does not match, and why it waits.
        verdict: verdict as ExplainedSubscription['verdict'],
        delivery: shown === undefined ? null : toDelivery(shown),
        // A server of an earlier version does not name them.
        earlier: deliveries.filter((one) => (earlier ?? []).includes(one.id)).map(toDelivery),
        ...(shown?.reader ? { reader: shown.reader } : {}),
        ...(shown?.wait ? { wait: shown.wait } : {}),
        receiverPaused: receiverPaused as ExplainedSubscription['receiverPaused'],
      };
    }),
  };
}

/** Without what the view adds. */
function toDelivery({ reader: _, wait: __, skipped: ___, ...delivery }: ShownDelivery): Delivery {
  return delivery;
}

/** Of a record that the API does not show. */
function describeReading(
  { source: name, resource: type }: RecordKey,
  source: SourceStatus | undefined,
  resource: ResourceStatus | undefined,
): ShownExplanation['reading'] {
  const notPolled = { nextAt: null, cadence: null };
  if (name === OWN_SOURCE || type === SOURCE_RESOURCE) return { state: 'ours', ...notPolled };
  if (source === undefined) return { state: 'unknown', ...notPolled };
  if (resource === undefined) return { state: 'off', ...notPolled };
  return { state: resource.forbidden ? 'forbidden' : 'on', nextAt: resource.nextScanAt, cadence: null };
}
