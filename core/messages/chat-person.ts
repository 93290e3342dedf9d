/**
 * Finds the id that the settings of a chat have for a person: by mail address, else by name. An address belongs to one person,
 * a name may belong to several.
 */

import type { ChatPerson, KnownPerson } from '../ports/channel.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { fullName } from '../resources/full-name.ts';
import type { PeopleById } from './name-people.ts';

/** People write names and addresses with or without capitals. */
const normalize = (text: string) => text.trim().toLowerCase();

/** @param ids by mail address or name. @returns undefined if there is none, or only that of a name which several people have */
export function findChatId(
  { name, address, hasNamesake = false }: ChatPerson,
  ids: Readonly<Record<string, string>>,
): string | undefined {
  const keys = [...(address === null ? [] : [address]), ...(hasNamesake ? [] : [name])].map(normalize);
  const byKey = byNormalizedKey(ids);
  return keys.flatMap((key) => byKey.get(key) ?? [])[0];
}

/** Settings do not change: those of a subscription are asked for each person of the account. */
const normalized = new WeakMap<Readonly<Record<string, string>>, ReadonlyMap<string, string>>();

function byNormalizedKey(ids: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const known = normalized.get(ids);
  if (known !== undefined) return known;
  const byKey = new Map(Object.entries(ids).map(([key, id]) => [normalize(key), id]));
  normalized.set(ids, byKey);
  return byKey;
}

/**
 * The people with their addresses. The whole list of an account's people is read only to decide about a name: if the settings
 * know a person by name alone, and the person is not the only one with it.
 *
 * @param keys names and addresses that the settings have ids for
 */
export async function describeKnownPeople(
  { snapshots }: { readonly snapshots: Pick<SnapshotStore, 'list'> },
  people: PeopleById,
  keys: readonly string[],
): Promise<readonly KnownPerson[]> {
  const wanted = new Set(keys.map(normalize));
  const namesBySource = new Map<string, Promise<ReadonlyMap<string, readonly string[]>>>();
  const known: KnownPerson[] = [];
  for (const [person, record] of people) {
    const name = fullName(record);
    if (name === null) continue;
    const { email } = record;
    const address = typeof email === 'string' && email.includes('@') ? email : null;
    const isByName = wanted.has(normalize(name)) && (address === null || !wanted.has(normalize(address)));
    const [source, id] = partsOf(person);
    const names = isByName ? (namesBySource.get(source) ?? readNames(snapshots, source)) : undefined;
    if (names !== undefined) namesBySource.set(source, names);
    const ids = (await names)?.get(normalize(name)) ?? [];
    const hasNamesake = ids.some((other) => other !== id);
    known.push({ person, name, address, ...(hasNamesake ? { hasNamesake } : {}) });
  }
  return known;
}

/** The ids of the active people with a name. */
async function readNames(
  snapshots: Pick<SnapshotStore, 'list'>,
  source: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = new Map<string, string[]>();
  for await (const { key, record, deletedAt } of snapshots.list(source, 'person')) {
    const name = fullName(record);
    if (name === null || deletedAt !== null || record.active === false) continue;
    ids.set(normalize(name), [...(ids.get(normalize(name)) ?? []), key.id]);
  }
  return ids;
}

function partsOf(person: string): readonly [source: string, id: string] {
  const slash = person.indexOf('/');
  return [person.slice(0, slash), person.slice(slash + 1)];
}
