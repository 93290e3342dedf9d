/** Derives events from a transition. Pure, and the only source of events. */

import { createHash } from 'node:crypto';
import { type EventData, OWN_SOURCE, sourceUri, type TidingsEvent } from '../model/event.ts';
import { type Fields, subjectOf } from '../model/record.ts';
import {
  type Change,
  isAfterRestores,
  type Snapshot,
  type Transition,
  versionBeforeRestores,
} from '../model/snapshot.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { fitFields, MAX_DETAILS_BYTES } from '../resources/fit.ts';
import { compare, OWN_RECORD } from '../snapshot/compare.ts';
import { eventTypesOf } from './catalogue.ts';
import type { EventType } from './event-type.ts';
import { dataSchemaOf, resourceOfType } from './schema-name.ts';

/**
 * A baseline makes no events: its records existed before the first poll.
 * @param custom the event types of the config
 * @param isAsked whether events of a type are derived. @default - of all
 */
export function deriveEvents(
  transition: Transition,
  custom: readonly EventType[] = [],
  isAsked: (type: string) => boolean = () => true,
): readonly TidingsEvent[] {
  const { after } = transition;
  if (after.cause === 'baseline') return [];
  const changes = changesOf(transition);
  const isGone = after.deletedAt !== null;
  const types = [
    ...eventTypesOf(after.key.resource),
    ...custom.filter(({ type }) => resourceOfType(type) === after.key.resource),
  ];
  const isAppeared = transition.before === null && after.appeared === true;
  const isAbout = ({ ofGone = false, ofAppeared = false, byTime = false }: EventType) =>
    ofGone === isGone && (ofAppeared === isAppeared || (isAppeared && byTime));
  const fired = types.filter(
    (eventType) => isAbout(eventType) && isAsked(eventType.type) && eventType.fires(transition, changes),
  );
  if (fired.length === 0) return [];
  const data =
    after.key.source === OWN_SOURCE ? withoutReaders(after.record, changes) : { record: after.record, changes };
  const previous: Fields = Object.fromEntries(data.changes.map(({ field, from }) => [field, from]));
  return fired.map(({ type, details }) => ({
    specversion: '1.0',
    id: eventId(after, type),
    type,
    source: sourceUri(after.key.source),
    subject: subjectOf(after.key),
    time: after.committedAt,
    datacontenttype: 'application/json',
    dataschema: dataSchemaOf(type),
    data: {
      version: after.version,
      record: data.record,
      previous,
      changes: data.changes,
      ...(details === undefined ? {} : { details: fitFields(details.of(transition), MAX_DETAILS_BYTES) }),
      occurred: after.occurred,
      cause: after.cause,
      ...(after.by === undefined ? {} : { by: after.by }),
    },
  }));
}

/** Addresses of readers, what they snoozed, and an error that may name one: many may see that a subscription fails who may not see people. */
const OF_READERS: readonly string[] = ['muted', 'snoozes', 'fullReason'];

function withoutReaders(record: Fields, changes: readonly Change[]): Pick<EventData, 'record' | 'changes'> {
  const fields = Object.entries(record).filter(([field]) => !OF_READERS.includes(field));
  return { record: Object.fromEntries(fields), changes: changes.filter(({ field }) => !OF_READERS.includes(field)) };
}

/**
 * 128 bits of SHA-256. The same transition always has the same id, so an event derived twice is recorded once. The digest
 * covers what happened: after a backup is restored, the same version may be another change. What a restore adds to the
 * version is left out: a change that is found again has the same id. A change that was made after the restore is a new one,
 * even if it is the same as one that was made and undone before.
 */
export function eventId(snapshot: Snapshot, type: string): string {
  const { key, digest } = snapshot;
  const version = isAfterRestores(snapshot) ? snapshot.version : versionBeforeRestores(snapshot);
  const parts = [key.source, key.resource, key.id, version, type, ...(digest === undefined ? [] : [digest])];
  return `evt_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`;
}

/** The changes of watched fields. A new record has none. */
export function changesOf({ before, after }: Transition): readonly Change[] {
  return before === null
    ? []
    : compare(before.record, after.record, resourceOf(after.key.resource) ?? OWN_RECORD).changes;
}
