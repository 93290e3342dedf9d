/**
 * Finds candidate patterns for an event without testing all of them: patterns with exact values are indexed by value.
 * Whether a candidate matches is decided by `pattern-match.ts`.
 */

import type { Steps } from '../model/steps.ts';
import { leavesAt } from './pattern-match.ts';
import type { Field, Section } from './pattern-node.ts';
import type { Scalar } from './pattern-operators.ts';

export type PatternIndex<T> = (event: unknown) => readonly T[];

interface FieldIndex<T> {
  readonly path: readonly string[];
  readonly byValue: Map<Scalar, T[]>;
}

/** A field that every matching event must have, with one of its exact values. */
export interface Anchor {
  readonly key: string;
  readonly path: readonly string[];
  readonly values: ReadonlySet<Scalar>;
}

/**
 * Values of one pattern that are indexed. A set of thousands is looked up as fast as a few, but would be indexed again with each change of
 * another subscription.
 */
const MAX_INDEXED_VALUES = 50;

/** The fields by which a pattern can be indexed. */
export function findAnchors(section: Section): readonly Anchor[] {
  let left = MAX_INDEXED_VALUES;
  const bySize = exactFields(section).toSorted((one, other) => one.values.size - other.values.size);
  return bySize.flatMap(({ path, values }) => {
    left -= values.size;
    // JSON instead of dots, because a key may contain a dot.
    return left < 0 ? [] : [{ key: JSON.stringify(path), path, values }];
  });
}

/** Fields that every matching event must have. Fields in a branch of `$or` are not required. */
function exactFields(section: Section): readonly Field[] {
  return section.children.flatMap(([, child]) => {
    if (child.kind === 'section') return exactFields(child);
    return child.tests.length === 0 && !child.absent && child.excluded.length === 0 ? [child] : [];
  });
}

/**
 * A pattern is indexed by one field that accepts exact values only, and found when the event has one of them.
 * Candidates are unique and unordered. Yields after each entry.
 */
export function* indexPatterns<T extends { readonly anchors: readonly Anchor[] }>(
  entries: readonly T[],
): Steps<PatternIndex<T>> {
  const variety = new Map<string, Set<Scalar>>();
  for (const { anchors } of entries) {
    for (const { key, values } of anchors) {
      const seen = getOrCreate(variety, key, () => new Set<Scalar>());
      for (const value of values) seen.add(value);
    }
    yield;
  }
  const indexes = new Map<string, FieldIndex<T>>();
  const unindexed: T[] = [];
  for (const entry of entries) {
    // The field with the most distinct values is the most selective: a project rather than a status.
    const best = entry.anchors.reduce<Anchor | undefined>(
      (best, one) => (best === undefined || sizeOf(variety, one) > sizeOf(variety, best) ? one : best),
      undefined,
    );
    if (best === undefined) unindexed.push(entry);
    else addToIndex(indexes, best, entry);
    yield;
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

const sizeOf = (variety: ReadonlyMap<string, ReadonlySet<Scalar>>, { key }: Anchor) => variety.get(key)?.size ?? 0;

function addToIndex<T>(indexes: Map<string, FieldIndex<T>>, { key, path, values }: Anchor, entry: T): void {
  const { byValue } = getOrCreate(indexes, key, () => ({ path, byValue: new Map() }));
  for (const value of values) getOrCreate(byValue, value, () => []).push(entry);
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
