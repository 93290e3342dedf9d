/**
 * Expands the `$or` of a pattern into alternatives without branches, as EventBridge does: conditions in a branch and beside it
 * are then about the same entry of a list.
 */

import type { Field, Section } from './pattern-tree.ts';

/** Far more than a filter needs. Bounds the time of a match. */
export const MAX_ALTERNATIVES = 1000;

type Child = Section['children'][number];

export function countAlternatives({ children, branches }: Section): number {
  const counts = children.map(([, child]) => (child.kind === 'section' ? countAlternatives(child) : 1));
  const branchCount = branches.reduce((sum, branch) => sum + countAlternatives(branch), 0);
  return counts.reduce((product, count) => product * count, Math.max(1, branchCount));
}

/** The pattern matches when one of these does. Children are sorted by name: EventBridge evaluates them in that order. */
export function expandAlternatives(section: Section): readonly Section[] {
  const { path, children, branches } = section;
  let sections: readonly Section[] = [{ kind: 'section', path, children: [], branches: [] }];
  for (const [key, child] of children) {
    const options = child.kind === 'section' ? expandAlternatives(child) : [child];
    sections = sections.flatMap((base) => options.map((option) => addChild(base, [key, option])));
  }
  if (branches.length > 0) {
    const options = branches.flatMap(expandAlternatives);
    sections = sections.flatMap((base) => options.map((option) => mergeSections(base, option)));
  }
  return sections;
}

function mergeSections(base: Section, more: Section): Section {
  return more.children.reduce(addChild, base);
}

/** A field that is named twice must match both times. */
function addChild(section: Section, [key, child]: Child): Section {
  const same = section.children.find(
    ([name, one]) => name === key && one.kind === 'section' && child.kind === 'section',
  );
  const merged: Child = same === undefined ? [key, child] : [key, mergeSections(same[1] as Section, child as Section)];
  const children = [...section.children.filter((one) => one !== same), merged];
  return { ...section, children: children.toSorted((a, b) => (sortName(a) < sortName(b) ? -1 : 1)) };
}

/** Orders children as their flattened names, such as `data.record.id`. */
function sortName([key, child]: readonly [string, Field | Section]): string {
  return child.kind === 'section' ? `${key}.` : key;
}
