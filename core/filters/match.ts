/** Finds the subscriptions that match an event. Pure; compiled once per set of subscriptions. */

import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import { patternTree } from './pattern.ts';
import { indexPatterns } from './pattern-index.ts';
import { matchesPattern } from './pattern-match.ts';
import type { PatternTree } from './pattern-tree.ts';
import { compilePieces } from './wildcard.ts';

export type Matcher = (event: TidingsEvent) => readonly Subscription[];

interface Candidate {
  readonly subscription: Subscription;
  /** Index among the subscriptions: results keep their order. */
  readonly place: number;
  readonly wants: readonly ((type: string) => boolean)[];
  readonly tree: PatternTree | undefined;
}

/** `*` matches any characters, including dots: `task.*`, `*.closed`, `*`. */
export function compileGlob(glob: string): (type: string) => boolean {
  return compilePieces(glob.split('*'));
}

/**
 * Caches the subscriptions of each event type. Of those with a pattern, only the ones whose exact values occur in the
 * event are tested.
 */
export function compileMatcher(subscriptions: readonly Subscription[]): Matcher {
  const candidates = subscriptions.map((subscription, place) => ({
    subscription,
    place,
    ...compileFilter(subscription),
  }));
  const byType = new Map<string, Matcher>();
  return (event) => {
    const matcher = byType.get(event.type);
    if (matcher !== undefined) return matcher(event);
    const match = matchContent(candidates.filter(({ wants }) => wants.some((wants) => wants(event.type))));
    byType.set(event.type, match);
    return match(event);
  };
}

/** A change of one subscription compiles only that one again: another key may have megabytes of filters. */
const compiled = new WeakMap<Subscription, Pick<Candidate, 'wants' | 'tree'>>();

/** What a subscription wants, compiled once for each stored version of it. */
export function compileFilter(subscription: Subscription): Pick<Candidate, 'wants' | 'tree'> {
  const known = compiled.get(subscription);
  if (known !== undefined) return known;
  const { name, events, where } = subscription;
  const filter = {
    wants: events.map(compileGlob),
    tree: where && patternTree(where, `subscription '${name}', where`),
  };
  compiled.set(subscription, filter);
  return filter;
}

/** Among the candidates for one type. */
function matchContent(candidates: readonly Candidate[]): Matcher {
  const always = candidates.filter(({ tree }) => tree === undefined);
  const everything = always.map(({ subscription }) => subscription);
  if (always.length === candidates.length) return () => everything;
  const find = indexPatterns(
    candidates.flatMap(({ tree, ...rest }) => (tree === undefined ? [] : [{ ...rest, tree }])),
  );
  return (event) => {
    const matched = find(event).filter(({ tree }) => matchesPattern(tree, event));
    if (matched.length === 0) return everything;
    return [...always, ...matched].sort((a, b) => a.place - b.place).map(({ subscription }) => subscription);
  };
}
