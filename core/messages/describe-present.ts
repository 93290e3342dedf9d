/**
 * Events as messages for people describe them: with the record as it is when the message is sent, and without those that are
 * out of date. A task that was closed at eight is not overdue at nine, what was paid since is not unpaid, and a task that was
 * reopened since was not closed.
 */

import { eventTypeOf } from '../events/catalogue.ts';
import { type CustomEvent, customEventType } from '../events/custom-events.ts';
import type { EventType } from '../events/event-type.ts';
import { isBack } from '../events/facts.ts';
import { OWN_SOURCE, sourceName, type TidingsEvent } from '../model/event.ts';
import { isSameValue } from '../model/json.ts';
import { memoize } from '../model/memoize.ts';
import type { Fields } from '../model/record.ts';
import type { Change, Snapshot } from '../model/snapshot.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { resourceOf } from '../resources/catalogue.ts';

/** An event that still holds. */
export interface PresentEvent {
  readonly recorded: TidingsEvent;
  /** With the present record. Equal to `recorded` if the record has not changed since. */
  readonly present: TidingsEvent;
}

export interface PresentPorts {
  readonly snapshots: Pick<SnapshotStore, 'getMany'>;
  /** With the event types of the config. @default - there are none */
  readonly config?: { readonly customEvents: readonly CustomEvent[] };
}

/**
 * Keeps events about something that happened and was not undone, and events about a state that still holds, in their order. Of
 * a record that was deleted since, only what stays true without it.
 */
export async function describePresent(
  { snapshots, config }: PresentPorts,
  events: readonly TidingsEvent[],
): Promise<readonly PresentEvent[]> {
  const byResource = Map.groupBy(events.filter(needsSnapshot), (event) =>
    JSON.stringify([sourceOf(event), partsOf(event)[0]]),
  );
  const stored = new Map<string, Snapshot>();
  for (const [key, members] of byResource) {
    const [source, resource] = JSON.parse(key) as [string, string];
    const ids = [...new Set(members.map((event) => partsOf(event)[1]))];
    for (const [id, snapshot] of await snapshots.getMany(source, resource, ids))
      stored.set(`${source} ${resource}/${id}`, snapshot);
  }
  const custom = compileTypes(config?.customEvents ?? NO_TYPES);
  return events.flatMap((event) => {
    const snapshot = stored.get(`${sourceOf(event)} ${event.subject}`);
    return isOutdated(event, snapshot, custom)
      ? []
      : [{ recorded: event, present: withPresentRecord(event, snapshot) }];
  });
}

/** Whether the event is about a state, which may have ended, and not about something that happened. */
export function isAboutState({ type }: TidingsEvent): boolean {
  return eventTypeOf(type)?.holds !== undefined;
}

const needsSnapshot = (event: TidingsEvent) => isAboutState(event) || isOfAccount(event);

/** Health records are our own: an event about one that is not about a state describes its moment. */
const isOfAccount = (event: TidingsEvent) =>
  sourceOf(event) !== OWN_SOURCE && resourceOf(partsOf(event)[0]) !== undefined;

const NO_TYPES: readonly CustomEvent[] = [];

/** Patterns are compiled once for each config. */
const compileTypes = memoize(
  (types: readonly CustomEvent[]): ReadonlyMap<string, EventType> =>
    new Map(types.map((one) => [one.type, customEventType(one)])),
  10,
);

function isOutdated(
  event: TidingsEvent,
  snapshot: Snapshot | undefined,
  custom: ReadonlyMap<string, EventType>,
): boolean {
  const holds = eventTypeOf(event.type)?.holds;
  if (holds !== undefined) return snapshot === undefined || snapshot.deletedAt !== null || !holds(snapshot, event);
  if (snapshot === undefined || !isOfAccount(event) || snapshot.version <= event.data.version) return false;
  return isUndone(event, snapshot, custom) || (isOfDeleted(event, snapshot) && !staysTrue(event));
}

/** Whether a later change undid what happened: the task that was closed is open again, the payment was reversed. */
function isUndone(event: TidingsEvent, snapshot: Snapshot, custom: ReadonlyMap<string, EventType>): boolean {
  const { undone } = eventTypeOf(event.type) ?? custom.get(event.type) ?? {};
  return undone === undefined ? isBack(event.data.changes, snapshot.record) : undone(snapshot, event);
}

/** Whether the record was deleted after the event. A record that is only out of sight may exist. */
function isOfDeleted({ data }: TidingsEvent, snapshot: Snapshot): boolean {
  return snapshot.deletedAt !== null && snapshot.cause !== 'baseline' && snapshot.version > data.version;
}

/**
 * Whether the event is worth reading after its record was deleted: that it was, that work was finished, that money moved. A new
 * due date, assignee or title of a deleted task would present it as one that people have to work on.
 */
function staysTrue({ type }: TidingsEvent): boolean {
  const name = type.slice(type.indexOf('.') + 1);
  return eventTypeOf(type)?.urgency === 'good' || AFTER_DELETION.includes(name) || name.startsWith('payment_');
}

const AFTER_DELETION = ['deleted'];

/** A read may lag behind, and a restored backup is older: the recorded state is newer then. */
function withPresentRecord(event: TidingsEvent, snapshot: Snapshot | undefined): TidingsEvent {
  const { data } = event;
  if (!needsSnapshot(event) || snapshot === undefined || snapshot.version <= data.version) return event;
  const { details, holds } = eventTypeOf(event.type) ?? {};
  const current =
    holds === undefined
      ? data.details && details?.now?.(data.details, snapshot.record, data.record)
      : details?.of({ before: snapshot, after: snapshot });
  return {
    ...event,
    data: {
      ...data,
      record: snapshot.record,
      changes: presentChanges(data.changes, snapshot.record),
      ...(current === undefined ? {} : { details: current }),
    },
  };
}

/** A value that has changed again since: a message must not say `18 → 20 Nov` beside `now due 31 Dec`. */
function presentChanges(changes: readonly Change[], record: Fields): readonly Change[] {
  return changes.flatMap((change) => {
    const now = record[change.field];
    if (now === undefined || isSameValue(now, change.to)) return [change];
    return isSameValue(now, change.from) ? [] : [{ ...change, to: now }];
  });
}

const sourceOf = (event: TidingsEvent) => (event.source === '/tidings' ? OWN_SOURCE : sourceName(event));

function partsOf({ subject }: TidingsEvent): readonly [resource: string, id: string] {
  const slash = subject.indexOf('/');
  return [subject.slice(0, slash), subject.slice(slash + 1)];
}
