/**
 * Names people by their ids, through the person snapshots. The API joins names with commas, which a name may contain too,
 * leaves out all managers but the first, and keeps the order to itself: its lists do not say whose name is whose.
 */

import { joinNames, listOf } from '../events/facts.ts';
import { sourceName, type TidingsEvent } from '../model/event.ts';
import type { Fields } from '../model/record.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { fullName } from '../resources/full-name.ts';

/** The records of people, by source and id: `main/5`. */
export type PeopleById = ReadonlyMap<string, Fields>;

/** The fields of ids of a record, and the fields of names beside them. */
const RECORD_NAMES: Readonly<Record<string, string>> = {
  assigneeid: 'assignees',
  ownerid: 'owners',
  followerid: 'followers',
  managerid: 'managers',
};
const DETAIL_NAMES: Readonly<Record<string, string>> = { added: 'addedNames', removed: 'removedNames' };

/** The people whom the events name by id, as far as they are known. */
export async function readPeople(
  { snapshots }: { readonly snapshots: Pick<SnapshotStore, 'getMany'> },
  events: readonly TidingsEvent[],
): Promise<PeopleById> {
  const people = new Map<string, Fields>();
  for (const [source, members] of Map.groupBy(events.filter(hasPeople), sourceName)) {
    const ids = [...new Set(members.flatMap(idsIn))];
    for (const [id, { record }] of await snapshots.getMany(source, 'person', ids))
      people.set(`${source}/${id}`, record);
  }
  return people;
}

/** Where a person is unknown, the names of the event stay. `managers` is added for messages: the API has no such field. */
export function namePeople(events: readonly TidingsEvent[], people: PeopleById): readonly TidingsEvent[] {
  if (people.size === 0) return events;
  return events.map((event) => (hasPeople(event) ? withNames(event, people) : event));
}

const hasPeople = ({ subject }: TidingsEvent) => subject.startsWith('task/') || subject.startsWith('project/');

function idsIn({ data: { record, details = {} } }: TidingsEvent): readonly string[] {
  const inRecord = Object.keys(RECORD_NAMES).flatMap((field) => listOf(record[field]));
  return [...inRecord, ...Object.keys(DETAIL_NAMES).flatMap((field) => listOf(details[field]))];
}

function withNames(event: TidingsEvent, people: PeopleById): TidingsEvent {
  const { record, details } = event.data;
  const source = sourceName(event);
  const nameOf = (id: string) => fullName(people.get(`${source}/${id}`) ?? {});
  const named = { ...record, ...namesBeside(record, RECORD_NAMES, nameOf) };
  const managers = listOf(named.managers);
  return {
    ...event,
    data: {
      ...event.data,
      record: managers.length === 0 ? named : { ...named, manager: joinNames(managers) },
      ...(details === undefined ? {} : { details: { ...details, ...namesBeside(details, DETAIL_NAMES, nameOf) } }),
    },
  };
}

function namesBeside(
  fields: Fields,
  table: Readonly<Record<string, string>>,
  nameOf: (id: string) => string | null,
): Fields {
  const named = Object.entries(table).flatMap(([field, beside]) => {
    const ids = listOf(fields[field]);
    const list = ids.flatMap((id) => nameOf(id) ?? []);
    return ids.length > 0 && list.length === ids.length ? [[beside, list] as const] : [];
  });
  return Object.fromEntries(named);
}
