/** Finds the subscriptions that match an event. Pure; compiled once per set of subscriptions. */

import type { TidingsEvent } from '../model/event.ts';
import type { Pace } from '../model/pace.ts';
import { runAtOnce, runPaced, type Steps } from '../model/steps.ts';
import type { Subscription } from '../model/subscription.ts';
import { patternTree } from './pattern.ts';
import { countComparisons } from './pattern-cost.ts';
import { type Anchor, findAnchors, indexPatterns } from './pattern-index.ts';
import { matchesPattern } from './pattern-match.ts';
import type { PatternTree } from './pattern-tree.ts';
import { compilePieces } from './wildcard.ts';

export type Matcher = (event: TidingsEvent) => readonly Subscription[];

/**
 * Tests filters elsewhere, such as in a thread of their own. Returns which of them match, or undefined if it cannot: they are to be tested
 * where they were asked for.
 */
export type TestFilters = (
  event: TidingsEvent,
  subscriptions: readonly Subscription[],
) => Promise<readonly boolean[] | undefined>;

interface PacedOptions {
  /** Of subscriptions that do not get the event, whose filters are not tested. @default - all are */
  readonly isLeftOut?: ((subscription: Subscription) => boolean) | undefined;
  /** Tests the filters that are left if they may take long. @default - they are tested here */
  readonly testFilters?: TestFilters | undefined;
}

/** With `pace` between two subscriptions: their filters decide how long they take. */
type PacedMatcher = (event: TidingsEvent, pace: Pace, options?: PacedOptions) => Promise<readonly Subscription[]>;

/** More of one event are tested elsewhere: they take up to a quarter of a millisecond, about as long as to ask. */
const MANY_COMPARISONS = 1000;

/** What some subscriptions want. Derived when it is asked for, once for each event type. */
export interface CompiledSubscriptions {
  /** Finds who wants these event types, with pauses: a key may have 200,000 globs. @default - they are found when they are asked for, in one go */
  readonly prepare: (types: Iterable<string>, pace: Pace) => Promise<void>;
  /** Those that want events of this type, whatever their filters say. */
  readonly wanting: (type: string) => readonly Subscription[];
  /** Compiles filters when they are needed first. */
  readonly match: PacedMatcher;
  /** By event type, as far as they were asked for. */
  readonly known: TypeIndexes;
}

/** It refers to no list, so that keeping it for the next version of the list does not keep all versions before. */
export type TypeIndexes = ReadonlyMap<string, TypeIndex>;

/** `*` matches any characters, including dots: `task.*`, `*.closed`, `*`. */
export function compileGlob(glob: string): (type: string) => boolean {
  return compilePieces(glob.split('*'));
}

/** Compiles all filters at once. Throws `PatternError` for one that is none. */
export function compileMatcher(subscriptions: readonly Subscription[]): Matcher {
  for (const one of subscriptions) compileFilter(one);
  const { indexOf } = createTypeIndexes((type) => selectWanting(subscriptions, type));
  return (event) => matchAtOnce(indexOf(event.type), event);
}

/** @param previous of the same list before a change: what does not concern the change is not derived again. @default - none */
export function compileSubscriptions(
  subscriptions: readonly Subscription[],
  previous?: TypeIndexes,
): CompiledSubscriptions {
  const prepare = async (type: string, pace: Pace) => {
    for (const one of subscriptions) {
      if (one.events.length <= FEW_EVENTS) continue;
      compileTypes(one)(type);
      await pace();
    }
  };
  return compileWith((type) => selectWanting(subscriptions, type), prepare, previous);
}

/**
 * Several lists as one: what was derived of each of them is used again.
 * @param all in the order of the results
 */
export function joinSubscriptions(
  lists: readonly CompiledSubscriptions[],
  all: readonly Subscription[],
  previous?: TypeIndexes,
): CompiledSubscriptions {
  const select = (type: string) => {
    const [first = [], ...others] = lists.map(({ wanting }) => wanting(type)).filter(({ length }) => length > 0);
    if (others.length === 0) return first;
    const wanting = new Set([first, ...others].flat());
    return all.filter((one) => wanting.has(one));
  };
  const prepare = async (type: string, pace: Pace) => {
    for (const list of lists) await list.prepare([type], pace);
  };
  return compileWith(select, prepare, previous);
}

function compileWith(
  select: (type: string) => readonly Subscription[],
  prepare: (type: string, pace: Pace) => Promise<void>,
  previous: TypeIndexes | undefined,
): CompiledSubscriptions {
  const { indexOf, known } = createTypeIndexes(select, previous);
  return {
    known,
    async prepare(types, pace) {
      for (const type of types) if (!known.has(type)) await prepare(type, pace);
    },
    wanting: (type) => indexOf(type).wanting,
    match: (event, ...rest) => matchPaced(indexOf(event.type), event, ...rest),
  };
}

const selectWanting = (subscriptions: readonly Subscription[], type: string) =>
  subscriptions.filter((one) => compileTypes(one)(type));

/** Of the subscriptions that want an event type. */
interface TypeIndex {
  readonly wanting: readonly Subscription[];
  /** @default - no event of the type was matched yet */
  filters?: FilterIndex;
}

const NONE: TypeIndex = { wanting: [] };

function createTypeIndexes(select: (type: string) => readonly Subscription[], previous: TypeIndexes = new Map()) {
  const known = new Map<string, TypeIndex>();
  const indexOf = (type: string): TypeIndex => {
    const found = known.get(type);
    if (found !== undefined) return found;
    const wanting = select(type);
    // Most subscriptions want all events of a resource: its types share an index.
    const same = [NONE, ...previous.values(), ...known.values()].find((one) => isSameList(one.wanting, wanting));
    const index = same ?? { wanting };
    known.set(type, index);
    return index;
  };
  return { indexOf, known };
}

/** Whether both have the same objects. Reads nothing of them. */
export function isSameList<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

interface Candidate {
  readonly subscription: Subscription;
  /** Index among the subscriptions: results keep their order. */
  readonly place: number;
  readonly tree: PatternTree;
  readonly anchors: readonly Anchor[];
}

interface FilterIndex {
  /** Those whose pattern has to be tested. */
  find(event: TidingsEvent): readonly Candidate[];
  /** Adds those without a pattern to those of `find` that match, in the order of the subscriptions. */
  withMatched(matched: readonly Candidate[]): readonly Subscription[];
}

const isMatch = ({ tree }: Candidate, event: TidingsEvent) => matchesPattern(tree, event);

function matchAtOnce(index: TypeIndex, event: TidingsEvent): readonly Subscription[] {
  index.filters ??= runAtOnce(indexFilters(index.wanting));
  const { find, withMatched } = index.filters;
  return withMatched(find(event).filter((one) => isMatch(one, event)));
}

async function matchPaced(
  index: TypeIndex,
  ...[event, pace, { isLeftOut, testFilters } = {}]: Parameters<PacedMatcher>
): ReturnType<PacedMatcher> {
  index.filters ??= await runPaced(indexFilters(index.wanting), pace);
  const { find, withMatched } = index.filters;
  const found = find(event);
  const candidates =
    isLeftOut === undefined ? found : found.filter(({ subscription }) => isLeftOut(subscription) !== true);
  const all = withMatched(await testCandidates(candidates, event, pace, testFilters));
  return isLeftOut === undefined ? all : all.filter((one) => !isLeftOut(one));
}

async function testCandidates(
  candidates: readonly Candidate[],
  event: TidingsEvent,
  pace: Pace,
  testFilters: TestFilters | undefined,
): Promise<readonly Candidate[]> {
  if (testFilters !== undefined && takesLong(candidates)) {
    const subscriptions = candidates.map(({ subscription }) => subscription);
    const matches = await testFilters(event, subscriptions);
    await pace();
    if (matches !== undefined) return candidates.filter((_, index) => matches[index] === true);
  }
  const matched: Candidate[] = [];
  for (const candidate of candidates) {
    if (isMatch(candidate, event)) matched.push(candidate);
    await pace();
  }
  return matched;
}

function takesLong(candidates: readonly Candidate[]): boolean {
  let comparisons = 0;
  return candidates.some(({ subscription }) => {
    comparisons += comparisonsOf(subscription);
    return comparisons > MANY_COMPARISONS;
  });
}

/** Yields between two filters: those of a key that has just added many take half a second to compile. */
function* indexFilters(wanting: readonly Subscription[]): Steps<FilterIndex> {
  const always: { readonly subscription: Subscription; readonly place: number }[] = [];
  const candidates: Candidate[] = [];
  for (const [place, subscription] of wanting.entries()) {
    if (subscription.where === undefined) {
      always.push({ subscription, place });
      continue;
    }
    const isNew = !compiled.has(subscription);
    const { tree, anchors } = compileFilter(subscription);
    if (tree !== undefined) candidates.push({ subscription, place, tree, anchors });
    if (isNew) yield;
  }
  const everything = always.map(({ subscription }) => subscription);
  return {
    find: yield* indexPatterns(candidates),
    withMatched: (matched) =>
      matched.length === 0
        ? everything
        : [...always, ...matched].sort((a, b) => a.place - b.place).map(({ subscription }) => subscription),
  };
}

interface CompiledFilter {
  readonly tree: PatternTree | undefined;
  readonly anchors: readonly Anchor[];
}

/** A change of one subscription compiles only that one again: another key may have megabytes of filters. */
const compiled = new WeakMap<Subscription, CompiledFilter>();

/** What a subscription wants of the events of its types, compiled once for each stored version of it. */
export function compileFilter(subscription: Subscription): CompiledFilter {
  const known = compiled.get(subscription);
  if (known !== undefined) return known;
  const { name, where } = subscription;
  const tree = where && patternTree(where, `subscription '${name}', where`);
  const filter = { tree, anchors: tree === undefined ? [] : findAnchors(tree) };
  compiled.set(subscription, filter);
  return filter;
}

type WantsType = (type: string) => boolean;

/** The usual number of event types. Their globs are compiled; of more only the result is kept, because a key may have megabytes of them. */
const FEW_EVENTS = 8;

const compiledTypes = new WeakMap<Subscription, WantsType>();

/** Whether a subscription wants events of a type, whatever its filter says. Compiled once for each stored version of it. */
export function compileTypes(subscription: Subscription): WantsType {
  const known = compiledTypes.get(subscription);
  if (known !== undefined) return known;
  const { events } = subscription;
  const compiled = events.length <= FEW_EVENTS ? wantsOneOf(events.map(compileGlob)) : wantsOneOfMany(events);
  compiledTypes.set(subscription, compiled);
  return compiled;
}

const wantsOneOf =
  (globs: readonly WantsType[]): WantsType =>
  (type) =>
    globs.some((matches) => matches(type));

function wantsOneOfMany(events: readonly string[]): WantsType {
  const known = new Map<string, boolean>();
  return (type) => {
    const isWanted =
      known.get(type) ?? events.some((glob) => glob === type || (glob.includes('*') && compileGlob(glob)(type)));
    known.set(type, isWanted);
    return isWanted;
  };
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
