/**
 * Finds the patterns worth trying on an event without trying all: those that name exact values are filed under them.
 * Narrows down only; whether a candidate matches is asked of `pattern-match.ts`.
 */

import { leavesAt } from './pattern-match.ts';
import type { Scalar } from './pattern-operators.ts';
import type { Field, Section } from './pattern-tree.ts';

export type PatternIndex<T> = (event: unknown) => readonly T[];

interface Drawer<T> {
  readonly path: readonly string[];
  readonly byValue: Map<Scalar, T[]>;
}

/**
 * A pattern is filed under one of the fields where only exact values will do, and found when the event has one of them.
 * The candidates come in no order, each once.
 */
export function indexPatterns<T extends { readonly tree: Section }>(entries: readonly T[]): PatternIndex<T> {
  const anchors = entries.map((entry) => ({ entry, fields: anchorsOf(entry.tree) }));
  const variety = countValues(anchors.flatMap(({ fields }) => fields));
  const drawers = new Map<string, Drawer<T>>();
  const loose: T[] = [];
  for (const { entry, fields } of anchors) {
    // The field with the most values in all patterns tells them apart best: a project rather than a status.
    const [best] = fields.toSorted((a, b) => (variety.get(keyOf(b))?.size ?? 0) - (variety.get(keyOf(a))?.size ?? 0));
    if (best === undefined) loose.push(entry);
    else file(drawers, best, entry);
  }
  const all = [...drawers.values()];
  return (event) => {
    const found = new Set(loose);
    for (const { path, byValue } of all) {
      for (const leaf of leavesAt(event, path)) for (const entry of byValue.get(leaf) ?? []) found.add(entry);
    }
    return [...found];
  };
}

/** Fields the pattern cannot match without. A branch of `$or` can be done without, so none of its fields is one. */
function anchorsOf(section: Section): readonly Field[] {
  return section.children.flatMap(([, child]) => {
    if (child.kind === 'section') return anchorsOf(child);
    return child.tests.length === 0 && !child.absent ? [child] : [];
  });
}

function countValues(fields: readonly Field[]): ReadonlyMap<string, ReadonlySet<Scalar>> {
  const counted = new Map<string, Set<Scalar>>();
  for (const field of fields) {
    const values = getOrMake(counted, keyOf(field), () => new Set<Scalar>());
    for (const value of field.values) values.add(value);
  }
  return counted;
}

function file<T>(drawers: Map<string, Drawer<T>>, field: Field, entry: T): void {
  const { byValue } = getOrMake(drawers, keyOf(field), () => ({ path: field.path, byValue: new Map() }));
  for (const value of field.values) getOrMake(byValue, value, () => []).push(entry);
}

/** Not joined by dots: a key may hold one. */
function keyOf({ path }: Field): string {
  return JSON.stringify(path);
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
