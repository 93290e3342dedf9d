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

/** A filter may have hundreds of conditions. The first ones say why, and the others would take time and room. */
const MAX_MISMATCHES = 20;

type Objects = readonly Readonly<Record<string, unknown>>[];

/** The first conditions that the event does not meet; empty when it matches. */
export function explainTree(tree: PatternTree, event: unknown): readonly Mismatch[] {
  if (matchesPattern(tree, event)) return [];
  return explainSection(tree, isJsonObject(event) ? [event] : [{}]).slice(0, MAX_MISMATCHES);
}

/** Why none of the objects matches the section. There are several objects where the event has a list. */
function explainSection(section: Section, objects: Objects): readonly Mismatch[] {
  const mismatches: Mismatch[] = [];
  for (const [key, child] of section.children) {
    if (mismatches.length >= MAX_MISMATCHES) return mismatches;
    if (objects.some((object) => matchesChild(child, childValue(object, key, child)))) continue;
    const values = objects.map((object) => childValue(object, key, child)).filter((value) => value !== undefined);
    if (child.kind === 'section') mismatches.push(...explainSection(child, sectionsIn(values)));
    else mismatches.push({ path: formatPath(child.path), expected: child.description, found: showFound(values) });
  }
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
  const findings = new Set<string>();
  for (const branch of section.branches) {
    if (findings.size >= MAX_MISMATCHES) break;
    for (const { path, found } of explainSection(branch, objects)) findings.add(`${path} ${found}`);
  }
  return {
    path: formatPath(section.path),
    expected: joinLimited(section.branches, ', or ', describeSection),
    found: joinLimited([...findings], ', '),
  };
}

/** A section is described again for each event, and as a part of those around it. */
const descriptions = new WeakMap<Section, string>();

/** `status 'Closed' and total a number >= 500` */
function describeSection(section: Section): string {
  const described = descriptions.get(section) ?? describeParts(section);
  descriptions.set(section, described);
  return described;
}

function describeParts({ children, branches }: Section): string {
  const alternatives = branches.length > 0 ? [`(${joinLimited(branches, ', or ', describeSection)})`] : [];
  return joinLimited([...children.map(([, child]) => child), ...alternatives], ' and ', (part) =>
    typeof part === 'string' ? part : describeChild(part),
  );
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
  if (leaves.length > 0) return joinLimited(leaves, ', ', describeValue);
  return describeValue(values[0]);
}
