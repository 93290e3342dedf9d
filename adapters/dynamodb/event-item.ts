/**
 * Events as items. Those of one transition tell the same of the same record: the first holds all of it and names the
 * others with what is their own; each of those is a small item that points to the first.
 */

import { isDeepStrictEqual } from 'node:util';
import type { EventData, TidingsEvent } from '../../core/model/event.ts';
import type { Fields } from '../../core/model/record.ts';
import type { Change } from '../../core/model/snapshot.ts';
import type { Announcement } from '../../core/ports/ledger.ts';
import { eventKey, idOf, type NewItem } from './keys.ts';
import type { Found } from './table.ts';

/** Announcements whose events come from one transition, in their order. */
export type Together = readonly [Announcement, ...Announcement[]];

/** Neighbours that share the very same record and changes. */
export function groupTogether(announcements: readonly Announcement[]): Together[] {
  const groups: [Announcement, ...Announcement[]][] = [];
  for (const announcement of announcements) {
    const group = groups.at(-1);
    if (group !== undefined && areTogether(group[0].event, announcement.event)) group.push(announcement);
    else groups.push([announcement]);
  }
  return groups;
}

function areTogether(a: TidingsEvent, b: TidingsEvent): boolean {
  const same = a.data.record === b.data.record && a.data.changes === b.data.changes && a.id !== b.id;
  return same && a.time === b.time && a.source === b.source && a.subject === b.subject && a.test === b.test;
}

/** What an event has of its own beside the others of its transition. */
interface Sibling extends Pick<TidingsEvent, 'id' | 'type' | 'dataschema'> {
  readonly details?: Fields;
}

export interface KeptEvents {
  /** In the order they were recorded. */
  readonly events: readonly TidingsEvent[];
  readonly place: string;
  readonly expiresAt: number;
}

export function eventsItem([first, ...others]: Together, place: string, expiresAt: number): NewItem {
  const { id, specversion: _, datacontenttype: __, data, ...envelope } = first.event;
  const { previous, ...rest } = data;
  return {
    ...eventKey(id),
    ...envelope,
    data: { ...rest, ...(isDeepStrictEqual(previous, previousOf(data.changes)) ? {} : { previous }) },
    ...(others.length === 0 ? {} : { also: others.map(({ event }) => siblingOf(event)) }),
    ...deliveriesAttribute(first),
    list: subjectList(envelope.subject),
    place,
    expiresAt,
  };
}

export function pointerItem(announcement: Announcement, of: string, expiresAt: number): NewItem {
  return { ...eventKey(announcement.event.id), of, ...deliveriesAttribute(announcement), expiresAt };
}

/** An event names the deliveries it was recorded with: none of them needs an item to be found by. */
function deliveriesAttribute({ event, deliveries }: Announcement): object {
  const ids = deliveries.filter(({ events }) => events.includes(event.id)).map(({ id }) => id);
  return ids.length === 0 ? {} : { deliveries: ids };
}

export function subjectList(subject: string): string {
  return `subject#${subject}`;
}

function siblingOf({ id, type, dataschema, data: { details } }: TidingsEvent): object {
  return {
    id,
    type,
    ...(dataschema === undefined ? {} : { dataschema }),
    ...(details === undefined ? {} : { details }),
  };
}

/** The id of the event that tells all, where this item only points to it. */
export function pointsTo(item: Found): string | undefined {
  return typeof item.of === 'string' ? item.of : undefined;
}

/** We wrote it, in this form. */
export function keptEvents(item: Found): KeptEvents {
  const { pk, sk: _, also = [], deliveries: __, list: ___, place, expiresAt, data, ...envelope } = item;
  const { details, ...shared } = data as EventData;
  const dataOf = (own: Fields | undefined): EventData => ({
    ...shared,
    previous: shared.previous ?? previousOf(shared.changes),
    ...(own === undefined ? {} : { details: own }),
  });
  const rest = envelope as Pick<TidingsEvent, 'type' | 'source' | 'subject' | 'time' | 'dataschema' | 'test'>;
  const fixed = { specversion: '1.0', datacontenttype: 'application/json' } as const;
  const first: TidingsEvent = { ...fixed, ...rest, id: idOf({ pk: String(pk), sk: '' }), data: dataOf(details) };
  const { dataschema: ____, ...common } = first;
  const others = (also as Sibling[]).map(({ details: own, ...sibling }) => ({
    ...common,
    ...sibling,
    data: dataOf(own),
  }));
  return { events: [first, ...others], place: String(place), expiresAt: Number(expiresAt) };
}

/** The old values of what changed: they are told with the changes already. */
function previousOf(changes: readonly Change[]): Fields {
  return Object.fromEntries(changes.map(({ field, from }) => [field, from]));
}
