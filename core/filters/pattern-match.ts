/**
 * Matches an event against the tree of a pattern, with EventBridge's reading of lists and of absence.
 * Knows nothing of the grammar: the tree is already validated.
 */

import { isJsonObject } from '../model/json.ts';
import type { Field, Section } from './pattern-node.ts';
import { isScalar, type Scalar } from './pattern-operators.ts';
import type { PatternTree } from './pattern-tree.ts';

export function matchesPattern({ alternatives }: PatternTree, event: unknown): boolean {
  const object = isJsonObject(event) ? event : NOTHING;
  return alternatives.some((section) => matchesSection(section, object));
}

/** The entries of a list of objects. */
interface EntryList {
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  /** Length of the path from the event to the list. */
  readonly depth: number;
  /** Whether no entry has the field, for fields that were looked for. */
  readonly absent: Map<Field, boolean>;
}

/** The entry of a list in which a section is matched. */
interface Entry {
  readonly list: EntryList;
  /** The entry that contains the list. */
  readonly parent: Entry | undefined;
  /** Whether one of its values has matched. Absence is then about this entry alone. */
  isChosen: boolean;
}

/** A single object must match the whole section: two list entries that match half of it each do not. */
export function matchesSection(section: Section, object: Readonly<Record<string, unknown>>, entry?: Entry): boolean {
  for (const [key, child] of section.children) {
    if (!matchesChild(child, childValue(object, key, child), entry)) return false;
  }
  return section.branches.length === 0 || section.branches.some((branch) => matchesSection(branch, object, entry));
}

export function matchesChild(child: Field | Section, value: unknown, entry?: Entry): boolean {
  if (child.kind === 'field') return matchesField(child, value, entry);
  if (isJsonObject(value)) return matchesSection(child, value, entry);
  if (!Array.isArray(value)) return matchesSection(child, NOTHING, entry);
  const list: EntryList = { objects: sectionsIn(value), depth: child.path.length, absent: new Map() };
  return list.objects.some((object) => matchesEntry(child, object, { list, parent: entry, isChosen: false }));
}

/** Restores the entries around it if it does not match. */
function matchesEntry(section: Section, object: Readonly<Record<string, unknown>>, entry: Entry): boolean {
  let chosen = entry.parent;
  while (chosen !== undefined && !chosen.isChosen) chosen = chosen.parent;
  if (matchesSection(section, object, entry)) return true;
  for (let one = entry.parent; one !== undefined && one !== chosen; one = one.parent) one.isChosen = false;
  return false;
}

/** A list matches when any of its elements does. */
function matchesField(field: Field, value: unknown, entry: Entry | undefined): boolean {
  // The hot path: nearly every value is a scalar, so no list is created for it.
  if (isScalar(value)) return (matchesLeaf(field, value) || hasNone(field, [value])) && choose(entry);
  const leaves = leavesIn(value);
  if (leaves.some((leaf) => matchesLeaf(field, leaf)) || hasNone(field, leaves)) return choose(entry);
  return field.absent && leaves.length === 0 && isAbsent(field, entry);
}

/** `none-of`: no value of the field is excluded. */
function hasNone({ excluded }: Field, leaves: readonly Scalar[]): boolean {
  return excluded.some((one) => !leaves.some((leaf) => matchesLeaf(one, leaf)));
}

function choose(entry: Entry | undefined): true {
  for (let one = entry; one !== undefined && !one.isChosen; one = one.parent) one.isChosen = true;
  return true;
}

/**
 * As in EventBridge, a field is absent when it is in no entry that can still match: in the entry in which another field,
 * earlier in the alphabet, has matched, or in all entries of the list.
 */
function isAbsent(field: Field, entry: Entry | undefined): boolean {
  let open: Entry | undefined;
  for (let one = entry; one !== undefined && !one.isChosen; one = one.parent) open = one;
  if (open === undefined) return true;
  const { objects, depth, absent } = open.list;
  const isAbsent = absent.get(field) ?? leavesFrom(objects, field.path.slice(depth)).length === 0;
  absent.set(field, isAbsent);
  return isAbsent;
}

function matchesLeaf({ values, tests }: Pick<Field, 'values' | 'tests'>, leaf: Scalar): boolean {
  return values.has(leaf) || tests.some(({ accepts }) => accepts(leaf));
}

const NOTHING: Readonly<Record<string, unknown>> = {};

/** Own properties only: a pattern on `constructor` must not match an inherited property. */
function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function childValue(object: Readonly<Record<string, unknown>>, key: string, { kind }: Field | Section): unknown {
  return kind === 'field' ? ownValue(object, key) : sectionValue(object, key);
}

/** As in EventBridge, the field `a.b` of an object is the field `b` of its section `a`. */
function sectionValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  const value = ownValue(object, key);
  if (value !== undefined) return value;
  const start = `${key}.`;
  const dotted = dottedNames(object).filter((name) => name.startsWith(start));
  if (dotted.length === 0) return undefined;
  return Object.fromEntries(dotted.map((name) => [name.slice(start.length), object[name]]));
}

/** Of an event that is being matched: hundreds of filters may look for a section that a record with many fields does not have. */
const dottedNamesOf = new WeakMap<object, readonly string[]>();

function dottedNames(object: Readonly<Record<string, unknown>>): readonly string[] {
  const known = dottedNamesOf.get(object);
  if (known !== undefined) return known;
  const names = Object.keys(object).filter((name) => name.includes('.'));
  dottedNamesOf.set(object, names);
  return names;
}

/** The objects in a value; if there are none, an empty object, in which only absence matches. */
export function sectionsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (isJsonObject(value)) return [value];
  const sections = Array.isArray(value) ? flatten(value).filter(isJsonObject) : [];
  return sections.length === 0 ? [NOTHING] : sections;
}

/** The scalars of a value: itself, or the elements of a list at any depth. An object or an empty list has none. */
export function leavesIn(value: unknown): readonly Scalar[] {
  if (isScalar(value)) return [value];
  return Array.isArray(value) ? flatten(value).filter(isScalar) : [];
}

/** All scalars at a path of the event, through every list on the way. */
export function leavesAt(event: unknown, path: readonly string[]): readonly Scalar[] {
  return leavesFrom([event], path);
}

function leavesFrom(values: readonly unknown[], path: readonly string[]): readonly Scalar[] {
  const last = path.length - 1;
  return path
    .reduce<readonly unknown[]>(
      (values, key, index) =>
        values.flatMap((value) =>
          sectionsIn(value).map((object) => (index === last ? ownValue(object, key) : sectionValue(object, key))),
        ),
      values,
    )
    .flatMap(leavesIn);
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
