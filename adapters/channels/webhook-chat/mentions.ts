/** Finds the ids of the people concerned, as far as the config has them. Pure. */

import type { Mention } from './dialect.ts';

const MAX_MENTIONS = 10;

/** Each id once, in the order of the names. */
export function findMentioned(
  names: readonly string[],
  ids: Readonly<Record<string, string>> | undefined,
): readonly Mention[] {
  if (ids === undefined) return [];
  const idByName = new Map(Object.entries(ids).map(([name, id]) => [normalize(name), id]));
  const mentioned = names.flatMap((name) => {
    const id = idByName.get(normalize(name));
    return id === undefined ? [] : [[id, { name, id }] as const];
  });
  return [...new Map(mentioned).values()].slice(0, MAX_MENTIONS);
}

/** People write names and addresses with or without capitals. */
const normalize = (name: string) => name.trim().toLowerCase();
