/**
 * Names people by their ids, through the person snapshots. The API joins names with commas, which a name may contain too,
 * leaves out all managers but the first, and keeps the order to itself: its lists do not say whose name is whose.
 */

import { joinNames, listOf } from '../events/facts.ts';
import { sourceName, type TidingsEvent } from '../model/event.ts';
import type { Fields } from '../model/record.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { fullName } from '../resources/full-name.ts';

/** The fields of ids of a record, and the fields of names beside them. */
const RECORD_NAMES: Readonly<Record<string, string>> = {
  assigneeid: 'assignees',
  ownerid: 'owners',
  followerid: 'followers',
  managerid: 'managers',
};
const DETAIL_NAMES: Readonly<Record<string, string>> = { added: 'addedNames', removed: 'removedNames' };

/** Where a person is unknown, the names of the event stay. `managers` is added for messages: the API has no such field. */
export async function namePeople(
  { snapshots }: { readonly snapshots: Pick<SnapshotStore, 'getMany'> },
  events: readonly TidingsEvent[],
): Promise<readonly TidingsEvent[]> {
  const bySource = Map.groupBy(events.filter(hasPeople), sourceName);
  const namesBySource = new Map<string, ReadonlyMap<string, string>>();
  for (const [source, members] of bySource)
    namesBySource.set(source, await readNames(snapshots, source, [...new Set(members.flatMap(idsIn))]));
  return events.map((event) => {
    const names = hasPeople(event) ? namesBySource.get(sourceName(event)) : undefined;
    return names === undefined || names.size === 0 ? event : withNames(event, names);
  });
}

const hasPeople = ({ subject }: TidingsEvent) => subject.startsWith('task/') || subject.startsWith('project/');

function idsIn({ data: { record, details = {} } }: TidingsEvent): readonly string[] {
  const inRecord = Object.keys(RECORD_NAMES).flatMap((field) => listOf(record[field]));
  return [...inRecord, ...Object.keys(DETAIL_NAMES).flatMap((field) => listOf(details[field]))];
}

async function readNames(
  snapshots: Pick<SnapshotStore, 'getMany'>,
  source: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const people = await snapshots.getMany(source, 'person', ids);
  return new Map(
    [...people].flatMap(([id, { record }]) => {
      const name = fullName(record);
      return name === null ? [] : [[id, name] as const];
    }),
  );
}

function withNames(event: TidingsEvent, names: ReadonlyMap<string, string>): TidingsEvent {
  const { record, details } = event.data;
  const named = { ...record, ...namesBeside(record, RECORD_NAMES, names) };
  const managers = listOf(named.managers);
  return {
    ...event,
    data: {
      ...event.data,
      record: managers.length === 0 ? named : { ...named, manager: joinNames(managers) },
      ...(details === undefined ? {} : { details: { ...details, ...namesBeside(details, DETAIL_NAMES, names) } }),
    },
  };
}

function namesBeside(
  fields: Fields,
  table: Readonly<Record<string, string>>,
  names: ReadonlyMap<string, string>,
): Fields {
  const named = Object.entries(table).flatMap(([field, beside]) => {
    const ids = listOf(fields[field]);
    const list = ids.flatMap((id) => names.get(id) ?? []);
    return ids.length > 0 && list.length === ids.length ? [[beside, list] as const] : [];
  });
  return Object.fromEntries(named);
}
