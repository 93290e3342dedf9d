import type { Field, Section } from './pattern-node.ts';
/**
 * Expands the `$or` of a pattern into alternatives without branches, as EventBridge does: conditions in a branch and beside it
 * are then about the same entry of a list.
 */

/** Far more than a filter needs. Bounds the time of a match. */
export const MAX_ALTERNATIVES = 1000;

type Child = Section['children'][number];

export function countAlternatives({ children, branches }: Section): number {
  const counts = children.map(([, child]) => (child.kind === 'section' ? countAlternatives(child) : 1));
  const branchCount = branches.reduce((sum, branch) => sum + countAlternatives(branch), 0);
  return counts.reduce((product, count) => product * count, Math.max(1, branchCount));
}

/** The pattern matches when one of these does. Children are sorted by name: EventBridge evaluates them in that order. */
export function expandAlternatives({ path, children, branches }: Section): readonly Section[] {
  let choices: readonly (readonly Child[])[] = [[]];
  const combine = (options: readonly (readonly Child[])[]) => {
    choices = options.length === 1 ? choices : choices.flatMap((base) => options.map((more) => [...base, ...more]));
  };
  // What has no alternatives is common to all of them, and is added once.
  const common: Child[] = [];
  for (const [key, child] of children) {
    const options: readonly Child[] =
      child.kind === 'section' ? expandAlternatives(child).map((one) => [key, one] as const) : [[key, child]];
    if (options.length === 1) common.push(...options);
    else combine(options.map((option) => [option]));
  }
  const ofBranches = branches.flatMap(expandAlternatives).map((section) => section.children);
  if (ofBranches.length === 1) common.push(...(ofBranches[0] ?? []));
  else if (ofBranches.length > 1) combine(ofBranches);
  return choices.map((more) => ({
    kind: 'section',
    path,
    children: mergeChildren([...common, ...more]),
    branches: [],
  }));
}

/** Sorted by name. A section that is named twice must match as one; a field that is named twice must match both times. */
function mergeChildren(children: readonly Child[]): readonly Child[] {
  const merged: Child[] = [];
  const sections = Map.groupBy(children, ([key, child]) => (child.kind === 'section' ? key : undefined));
  merged.push(...(sections.get(undefined) ?? []));
  for (const [key, same] of sections) {
    const [first] = same;
    if (key === undefined || first === undefined) continue;
    const inner = same.flatMap(([, child]) => (child.kind === 'section' ? child.children : []));
    merged.push(same.length === 1 ? first : [key, { ...(first[1] as Section), children: mergeChildren(inner) }]);
  }
  return merged.toSorted((a, b) => (sortName(a) < sortName(b) ? -1 : 1));
}

/** Orders children as their flattened names, such as `data.record.id`. */
function sortName([key, child]: readonly [string, Field | Section]): string {
  return child.kind === 'section' ? `${key}.` : key;
}
