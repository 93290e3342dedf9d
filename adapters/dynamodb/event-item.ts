/**
 * Converts events to items and back. Events of one transition share the record and its changes: the item of the first has
 * everything, including what differs in the others; each of the others is a small item that points to the first.
 */

import { createHash } from 'node:crypto';
import { dataSchemaOf } from '../../core/events/schema-name.ts';
import { deliveryId } from '../../core/model/delivery.ts';
import type { EventData, TidingsEvent } from '../../core/model/event.ts';
import { isSameValue } from '../../core/model/json.ts';
import type { Fields, Value } from '../../core/model/record.ts';
import type { Change } from '../../core/model/snapshot.ts';
import type { Announcement } from '../../core/ports/event-store.ts';
import { inGroups } from '../aws/parallel.ts';
import { eventKey, type NewItem, namesKey, type StoredItem } from './keys.ts';

/** Announcements of the events of one transition, in their order. */
export type EventGroup = readonly [Announcement, ...Announcement[]];

/** Groups consecutive announcements that share the same record and changes. */
export function groupByTransition(announcements: readonly Announcement[]): EventGroup[] {
  const groups: [Announcement, ...Announcement[]][] = [];
  for (const announcement of announcements) {
    const group = groups.at(-1);
    if (group !== undefined && isSameTransition(group[0].event, announcement.event)) group.push(announcement);
    else groups.push([announcement]);
  }
  return groups;
}

function isSameTransition(a: TidingsEvent, b: TidingsEvent): boolean {
  const same = a.data.record === b.data.record && a.data.changes === b.data.changes && a.id !== b.id;
  return same && a.time === b.time && a.source === b.source && a.subject === b.subject && a.test === b.test;
}

/** The prefix of `source` in most events. It is not stored. */
const SOURCES = '/sources/';

/** The parts of an event that differ from the other events of its transition. */
interface Sibling extends Pick<TidingsEvent, 'id' | 'type'> {
  /** null: the event has none. @default - the schema of its type */
  readonly dataschema?: string | null;
  readonly details?: Fields;
}

interface StoredEvents {
  /** In the order they were recorded. */
  readonly events: readonly TidingsEvent[];
  readonly place: string;
  readonly expiresAt: number;
}

/** Leaves out what can be derived from the rest. That is a third of the item, and each kilobyte costs a write unit. */
export function eventsItem([first, ...others]: EventGroup, place: string, expiresAt: number): NewItem {
  const { id, specversion: _, datacontenttype: __, dataschema: ___, source, subject, data, ...envelope } = first.event;
  const { previous, changes, ...rest } = data;
  return {
    ...eventKey(id),
    ...envelope,
    source: source.startsWith(SOURCES) ? source.slice(SOURCES.length) : source,
    ...schemaAttribute(first.event),
    ...rest,
    changes: changes.map((change) => compactChange(change, data.record)),
    previous: isSameValue(previous, previousOf(changes)) ? undefined : previous,
    also: others.length === 0 ? undefined : others.map(({ event }) => siblingOf(event)),
    ...deliveriesAttribute(first),
    // Partition key of the `lists` index: events are listed by subject, without tests.
    ...(envelope.test === true ? { subject } : { list: subject }),
    place,
    expiresAt,
  };
}

export function pointerItem(announcement: Announcement, of: string, expiresAt: number): NewItem {
  return { ...eventKey(announcement.event.id), of, ...deliveriesAttribute(announcement), expiresAt };
}

/** Names of subscriptions in the item of an event, whose data may take most of the 400 KB of an item, and in an item of their own. */
const MAX_NAMES_OF_EVENT = 100;
const MAX_NAMES_PER_ITEM = 1000;

/** The names of the subscriptions that got the event when it was recorded. The delivery ids are derived from them. */
function namesOf({ event, deliveries }: Announcement): readonly string[] {
  return deliveries
    .filter(({ id, subscription }) => isNamedBy(event, id, subscription))
    .map(({ subscription }) => subscription);
}

/** The others are in `furtherNameItems`. */
function deliveriesAttribute(announcement: Announcement): object {
  const names = namesOf(announcement).slice(0, MAX_NAMES_OF_EVENT);
  return names.length === 0 ? {} : { for: names };
}

/** Items for the names that the item of the event has no room for. */
export function furtherNameItems(announcement: Announcement, expiresAt: number): readonly NewItem[] {
  return nameItems(announcement, namesOf(announcement).slice(MAX_NAMES_OF_EVENT), expiresAt);
}

/** Items for the names of an event that was recorded before, without them. */
export function lateNameItems(announcement: Announcement, expiresAt: number): readonly NewItem[] {
  return nameItems(announcement, namesOf(announcement), expiresAt);
}

/** The key is derived from the names, so that recording them again adds nothing. */
function nameItems({ event }: Announcement, names: readonly string[], expiresAt: number): readonly NewItem[] {
  return inGroups(names, MAX_NAMES_PER_ITEM).map((group) => {
    const digest = createHash('sha256').update(group.join(' ')).digest('hex').slice(0, 16);
    return { ...namesKey(event.id, digest), for: group, expiresAt };
  });
}

export function isNamedBy(event: TidingsEvent, delivery: string, subscription: string): boolean {
  return delivery === deliveryId(event.id, subscription);
}

export function deliveriesNamedBy(item: StoredItem): readonly string[] {
  const names = Array.isArray(item.for) ? item.for : [];
  return names.map((name) => deliveryId(String(item.pk), String(name)));
}

/** Leaves out the new value if the record has it. */
function compactChange({ field, from, to }: Change, record: Fields): object {
  return isSameValue(to, record[field]) ? { field, from } : { field, from, to };
}

function expandChange(change: Omit<Change, 'to'> & { readonly to?: Value }, record: Fields): Change {
  return { ...change, to: change.to === undefined ? (record[change.field] ?? null) : change.to };
}

/** Stored only if it differs from the schema of the event type. */
function schemaAttribute({ type, dataschema }: TidingsEvent): object {
  return dataschema === dataSchemaOf(type) ? {} : { dataschema: dataschema ?? null };
}

function siblingOf(event: TidingsEvent): object {
  const { id, type, data } = event;
  return { id, type, ...schemaAttribute(event), details: data.details };
}

/** The id of the first event of the transition, if this item only points to it. */
export function pointsTo(item: StoredItem): string | undefined {
  return typeof item.of === 'string' ? item.of : undefined;
}

/** Unchecked: only `eventsItem` writes these items. */
export function eventsFromItem(item: StoredItem): StoredEvents {
  const { pk, also = [], list, subject = list, place, expiresAt } = item;
  const { source, time, test, version, record, occurred, cause, by } = item as unknown as TidingsEvent & EventData;
  const changes = (item.changes as Change[]).map((change) => expandChange(change, record));
  const previous = (item.previous as Fields | undefined) ?? previousOf(changes);
  const shared = { version, record, previous, changes, occurred, cause, ...(by === undefined ? {} : { by }) };
  const eventOf = ({ id, type, dataschema = dataSchemaOf(type), details }: Sibling): TidingsEvent => ({
    specversion: '1.0',
    id,
    type,
    source: source.startsWith('/') ? source : `${SOURCES}${source}`,
    subject: String(subject),
    time,
    datacontenttype: 'application/json',
    ...(dataschema === null ? {} : { dataschema }),
    ...(test === undefined ? {} : { test }),
    data: { ...shared, ...(details === undefined ? {} : { details }) },
  });
  const first = { ...(item as unknown as Sibling), id: String(pk) };
  const events = [first, ...(also as Sibling[])].map(eventOf);
  return { events, place: String(place), expiresAt: Number(expiresAt) };
}

/** The old values of the changed fields, derived from the changes. */
function previousOf(changes: readonly Change[]): Fields {
  return Object.fromEntries(changes.map(({ field, from }) => [field, from]));
}
