/**
 * Matches an event against the tree of a pattern, with EventBridge's reading of lists and of absence.
 * Knows nothing of the grammar: the tree has been found good before.
 */

import { isScalar, isSection, type Scalar } from './pattern-operators.ts';
import type { Field, Section } from './pattern-tree.ts';

export function matchesPattern(tree: Section, event: unknown): boolean {
  return matchesSection(tree, isSection(event) ? event : NOTHING, event);
}

/** One object has to satisfy all of a section: two entries of a list that satisfy half of it each do not. */
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
 * A field that is a list matches when any of its elements does. Absence is reckoned over the whole event, as in
 * EventBridge: a field that one entry of a list has is not absent, though another entry lacks it.
 */
function matchesField(field: Field, value: unknown, event: unknown): boolean {
  // Nearly every value is a plain one, and this is where the time goes: no list is made for it.
  if (isScalar(value)) return matchesLeaf(field, value);
  const leaves = leavesIn(value);
  if (leaves.some((leaf) => matchesLeaf(field, leaf))) return true;
  return field.absent && leaves.length === 0 && leavesAt(event, field.path).length === 0;
}

function matchesLeaf({ values, tests }: Field, leaf: Scalar): boolean {
  return values.has(leaf) || tests.some(({ accepts }) => accepts(leaf));
}

const NOTHING: Readonly<Record<string, unknown>> = {};

/** An own value: a pattern on `constructor` finds nothing unless the event has such a field. */
export function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The objects a value stands for; without any, an empty one, in which only absence matches. */
export function sectionsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (isSection(value)) return [value];
  const sections = Array.isArray(value) ? flatten(value).filter(isSection) : [];
  return sections.length === 0 ? [NOTHING] : sections;
}

/** The plain values a value stands for: itself, or those of a list however deep. An object or an empty list has none. */
export function leavesIn(value: unknown): readonly Scalar[] {
  if (isScalar(value)) return [value];
  return Array.isArray(value) ? flatten(value).filter(isScalar) : [];
}

/** All plain values at a path of the event, through every list on the way. */
export function leavesAt(event: unknown, path: readonly string[]): readonly Scalar[] {
  const values = path.reduce<readonly unknown[]>(
    (values, key) => values.flatMap((value) => sectionsIn(value).map((object) => ownValue(object, key))),
    [event],
  );
  return values.flatMap(leavesIn);
}

/** Lists in lists become one, in order. With a stack of its own: an event may be nested deeper than calls may be. */
function flatten(list: readonly unknown[]): readonly unknown[] {
  if (!list.some(Array.isArray)) return list;
  const flat: unknown[] = [];
  const waiting: unknown[] = list.toReversed();
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (Array.isArray(next)) for (const item of next.toReversed()) waiting.push(item);
    else flat.push(next);
  }
  return flat;
}
