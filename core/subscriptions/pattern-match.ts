/**
 * Matches an event against the tree of a pattern, with EventBridge's reading of lists and of absence.
 * Knows nothing of the grammar: the tree is already validated.
 */

import { isScalar, isSection, type Scalar } from './pattern-operators.ts';
import type { Field, Section } from './pattern-tree.ts';

export function matchesPattern(tree: Section, event: unknown): boolean {
  return matchesSection(tree, isSection(event) ? event : NOTHING, event);
}

/** A single object must match the whole section: two list entries that match half of it each do not. */
export function matchesSection(section: Section, object: Readonly<Record<string, unknown>>, event: unknown): boolean {
  for (const [key, child] of section.children) {
    if (!matchesChild(child, ownValue(object, key), event)) return false;
  }
  return section.branches.length === 0 || section.branches.some((branch) => matchesSection(branch, object, event));
}

export function matchesChild(child: Field | Section, value: unknown, event: unknown): boolean {
  if (child.kind === 'field') return matchesField(child, value, event);
  if (isSection(value)) return matchesSection(child, value, event);
  return sectionsIn(value).some((object) => matchesSection(child, object, event));
}

/**
 * A list matches when any of its elements does. As in EventBridge, absence applies to the whole event: a field that one
 * list entry has is not absent, even if another entry lacks it.
 */
function matchesField(field: Field, value: unknown, event: unknown): boolean {
  // The hot path: nearly every value is a scalar, so no list is created for it.
  if (isScalar(value)) return matchesLeaf(field, value);
  const leaves = leavesIn(value);
  if (leaves.some((leaf) => matchesLeaf(field, leaf))) return true;
  return field.absent && leaves.length === 0 && leavesAt(event, field.path).length === 0;
}

function matchesLeaf({ values, tests }: Field, leaf: Scalar): boolean {
  return values.has(leaf) || tests.some(({ accepts }) => accepts(leaf));
}

const NOTHING: Readonly<Record<string, unknown>> = {};

/** Own properties only: a pattern on `constructor` must not match an inherited property. */
export function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The objects in a value; if there are none, an empty object, in which only absence matches. */
export function sectionsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (isSection(value)) return [value];
  const sections = Array.isArray(value) ? flatten(value).filter(isSection) : [];
  return sections.length === 0 ? [NOTHING] : sections;
}

/** The scalars of a value: itself, or the elements of a list at any depth. An object or an empty list has none. */
export function leavesIn(value: unknown): readonly Scalar[] {
  if (isScalar(value)) return [value];
  return Array.isArray(value) ? flatten(value).filter(isScalar) : [];
}

/** All scalars at a path of the event, through every list on the way. */
export function leavesAt(event: unknown, path: readonly string[]): readonly Scalar[] {
  const values = path.reduce<readonly unknown[]>(
    (values, key) => values.flatMap((value) => sectionsIn(value).map((object) => ownValue(object, key))),
    [event],
  );
  return values.flatMap(leavesIn);
}

/** Flattens nested lists in order. Iterative, because an event may be nested deeper than the call stack allows. */
function flatten(list: readonly unknown[]): readonly unknown[] {
  if (!list.some(Array.isArray)) return list;
  const flat: unknown[] = [];
  const pending: unknown[] = list.toReversed();
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const item of next.toReversed()) pending.push(item);
    else flat.push(next);
  }
  return flat;
}
