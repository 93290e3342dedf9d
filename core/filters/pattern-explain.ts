/** Explains why an event does not match a pattern. Whether it matches is decided by `pattern-match.ts`. */

import { isJsonObject } from '../model/json.ts';
import { describeValue, formatPath, joinLimited } from './describe-value.ts';
import { childValue, leavesIn, matchesChild, matchesPattern, matchesSection, sectionsIn } from './pattern-match.ts';
import type { Field, Section } from './pattern-node.ts';
import type { PatternTree } from './pattern-tree.ts';

/** One condition of the pattern that the event does not meet. */
export interface Mismatch {
  /** Path in the event: `data.record.total`. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

type Objects = readonly Readonly<Record<string, unknown>>[];

/** Empty when the event matches. */
export function explainTree(tree: PatternTree, event: unknown): readonly Mismatch[] {
  return matchesPattern(tree, event) ? [] : explainSection(tree, isJsonObject(event) ? [event] : [{}]);
}

/** Why none of the objects matches the section. There are several objects where the event has a list. */
function explainSection(section: Section, objects: Objects): readonly Mismatch[] {
  const failing = section.children.filter(
    ([key, child]) => !objects.some((object) => matchesChild(child, childValue(object, key, child))),
  );
  const mismatches = failing.flatMap(([key, child]) => {
    const values = objects.map((object) => childValue(object, key, child)).filter((value) => value !== undefined);
    return child.kind === 'field'
      ? [{ path: formatPath(child.path), expected: child.description, found: showFound(values) }]
      : explainSection(child, sectionsIn(values));
  });
  const branched = section.branches.some((branch) => objects.some((object) => matchesSection(branch, object)));
  if (section.branches.length > 0 && !branched) mismatches.push(explainBranches(section, objects));
  // Each part matches some entry of the list, but no entry matches all parts.
  return mismatches.length > 0
    ? mismatches
    : [
        {
          path: formatPath(section.path),
          expected: `one entry with ${describeSection(section)}`,
          found: showCount(objects),
        },
      ];
}

function explainBranches(section: Section, objects: Objects): Mismatch {
  const findings = new Set(
    section.branches.flatMap((branch) => explainSection(branch, objects)).map(({ path, found }) => `${path} ${found}`),
  );
  return {
    path: formatPath(section.path),
    expected: joinLimited(section.branches.map(describeSection), ', or '),
    found: joinLimited([...findings], ', '),
  };
}

/** `status 'Closed' and total a number >= 500` */
function describeSection(section: Section): string {
  const children = section.children.map(([, child]) => describeChild(child));
  const branches =
    section.branches.length > 0 ? [`(${joinLimited(section.branches.map(describeSection), ', or ')})`] : [];
  return [...children, ...branches].join(' and ');
}

function describeChild(child: Field | Section): string {
  return child.kind === 'field' ? `${formatPath(child.path)} ${child.description}` : describeSection(child);
}

function showCount({ length }: Objects): string {
  return `${length} entries, none with all of it`;
}

/** Describes scalars, and each element of lists. */
function showFound(values: readonly unknown[]): string {
  const leaves = leavesIn(values);
  if (leaves.length > 0) return joinLimited(leaves.map(describeValue), ', ');
  return describeValue(values[0]);
}
