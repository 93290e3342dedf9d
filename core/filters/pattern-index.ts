/**
 * Finds candidate patterns for an event without testing all of them: patterns with exact values are indexed by value.
 * Whether a candidate matches is decided by `pattern-match.ts`.
 */

import { leavesAt } from './pattern-match.ts';
import type { Field, Section } from './pattern-node.ts';
import type { Scalar } from './pattern-operators.ts';

export type PatternIndex<T> = (event: unknown) => readonly T[];

interface FieldIndex<T> {
  readonly path: readonly string[];
  readonly byValue: Map<Scalar, T[]>;
}

/**
 * A pattern is indexed by one field that accepts exact values only, and found when the event has one of them.
 * Candidates are unique and unordered.
 */
export function indexPatterns<T extends { readonly tree: Section }>(entries: readonly T[]): PatternIndex<T> {
  const anchors = entries.map((entry) => ({ entry, fields: anchorsOf(entry.tree) }));
  const variety = countValues(anchors.flatMap(({ fields }) => fields));
  const indexes = new Map<string, FieldIndex<T>>();
  const unindexed: T[] = [];
  for (const { entry, fields } of anchors) {
    // The field with the most distinct values is the most selective: a project rather than a status.
    const [best] = fields.toSorted((a, b) => (variety.get(keyOf(b))?.size ?? 0) - (variety.get(keyOf(a))?.size ?? 0));
    if (best === undefined) unindexed.push(entry);
    else addToIndex(indexes, best, entry);
  }
  const all = [...indexes.values()];
  return (event) => {
    const candidates = new Set(unindexed);
    for (const { path, byValue } of all) {
      for (const leaf of leavesAt(event, path)) for (const entry of byValue.get(leaf) ?? []) candidates.add(entry);
    }
    return [...candidates];
  };
}

/** Fields that every matching event must have. Fields in a branch of `$or` are not required. */
function anchorsOf(section: Section): readonly Field[] {
  return section.children.flatMap(([, child]) => {
    if (child.kind === 'section') return anchorsOf(child);
    return child.tests.length === 0 && !child.absent && child.excluded.length === 0 ? [child] : [];
  });
}

function countValues(fields: readonly Field[]): ReadonlyMap<string, ReadonlySet<Scalar>> {
  const counted = new Map<string, Set<Scalar>>();
  for (const field of fields) {
    const values = getOrCreate(counted, keyOf(field), () => new Set<Scalar>());
    for (const value of field.values) values.add(value);
  }
  return counted;
}

function addToIndex<T>(indexes: Map<string, FieldIndex<T>>, field: Field, entry: T): void {
  const { byValue } = getOrCreate(indexes, keyOf(field), () => ({ path: field.path, byValue: new Map() }));
  for (const value of field.values) getOrCreate(byValue, value, () => []).push(entry);
}

/** JSON instead of dots, because a key may contain a dot. */
function keyOf({ path }: Field): string {
  return JSON.stringify(path);
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
