/** Finds the subscriptions that match an event. Pure; compiled once per set of subscriptions. */

import type { TidingsEvent } from '../model/event.ts';
import type { Pace } from '../model/pace.ts';
import type { Subscription } from '../model/subscription.ts';
import { patternTree } from './pattern.ts';
import { countComparisons } from './pattern-cost.ts';
import { indexPatterns } from './pattern-index.ts';
import { matchesPattern } from './pattern-match.ts';
import type { PatternTree } from './pattern-tree.ts';
import { compilePieces } from './wildcard.ts';

export type Matcher = (event: TidingsEvent) => readonly Subscription[];

/** The same, with `pace` between two subscriptions: their filters decide how long they take. */
export type PacedMatcher = (event: TidingsEvent, pace: Pace) => Promise<readonly Subscription[]>;

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
  const candidatesFor = compileCandidates(subscriptions);
  return (event) => {
    const { found, withMatched } = candidatesFor(event);
    return withMatched(found.filter(({ tree }) => matchesPattern(tree, event)));
  };
}

export function compilePacedMatcher(subscriptions: readonly Subscription[]): PacedMatcher {
  const candidatesFor = compileCandidates(subscriptions);
  return async (event, pace) => {
    const { found, withMatched } = candidatesFor(event);
    const matched: Filtered[] = [];
    for (const candidate of found) {
      if (matchesPattern(candidate.tree, event)) matched.push(candidate);
      await pace();
    }
    return withMatched(matched);
  };
}

type Filtered = Candidate & { readonly tree: PatternTree };

/** What may match an event. */
interface EventCandidates {
  /** Those whose pattern has to be tested. */
  readonly found: readonly Filtered[];
  /** Adds those without a pattern to those of `found` that match, in the order of the subscriptions. */
  withMatched(matched: readonly Filtered[]): readonly Subscription[];
}

function compileCandidates(subscriptions: readonly Subscription[]): (event: TidingsEvent) => EventCandidates {
  const candidates = subscriptions.map((subscription, place) => ({
    subscription,
    place,
    ...compileFilter(subscription),
  }));
  const byType = new Map<string, (event: TidingsEvent) => EventCandidates>();
  return (event) => {
    const known = byType.get(event.type);
    if (known !== undefined) return known(event);
    const find = findCandidates(candidates.filter(({ wants }) => wants.some((wants) => wants(event.type))));
    byType.set(event.type, find);
    return find(event);
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

/** Compiles those that are not yet, with `pace` in between: those of a key that has just added many take half a second. */
export async function compileFilters(subscriptions: readonly Subscription[], pace: Pace): Promise<void> {
  for (const one of subscriptions) {
    if (compiled.has(one)) continue;
    compileFilter(one);
    await pace();
  }
}

const counted = new WeakMap<Subscription, number>();

/** What its filter compares an event with at most. */
export function comparisonsOf(subscription: Subscription): number {
  const known = counted.get(subscription);
  if (known !== undefined) return known;
  const comparisons = countComparisons(subscription.where);
  counted.set(subscription, comparisons);
  return comparisons;
}

/** Among the candidates for one type. */
function findCandidates(candidates: readonly Candidate[]): (event: TidingsEvent) => EventCandidates {
  const always = candidates.filter(({ tree }) => tree === undefined);
  const everything = always.map(({ subscription }) => subscription);
  const find = indexPatterns(
    candidates.flatMap(({ tree, ...rest }) => (tree === undefined ? [] : [{ ...rest, tree }])),
  );
  const withMatched: EventCandidates['withMatched'] = (matched) =>
    matched.length === 0
      ? everything
      : [...always, ...matched].sort((a, b) => a.place - b.place).map(({ subscription }) => subscription);
  return (event) => ({ found: always.length === candidates.length ? [] : find(event), withMatched });
}
