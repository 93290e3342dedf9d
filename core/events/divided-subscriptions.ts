/**
 * Divides the list of subscriptions by who is served when: keys that have many subscriptions, or costly filters, come after all others. Derived
 * once for each version of the list; after a change, only for the owners that it concerns. Announces nothing.
 */

import {
  type CompiledSubscriptions,
  comparisonsOf,
  compileSubscriptions,
  isSameList,
  joinSubscriptions,
  type TypeIndexes,
} from '../filters/match.ts';
import { isExpired, type Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import { MANY_SUBSCRIPTIONS } from './late-deliveries.ts';

/** A key with no more subscriptions is served with those of the operator, if its filters take little time. */
const FEW_SUBSCRIPTIONS = 5;

/** An owner whose filters have more is matched after others. With texts of 5,000 characters as many take up to half a millisecond for each event. */
const MANY_COMPARISONS = 2000;

/** Filters of all owners together that are matched with those of the operator, where the others are matched apart. */
const MAX_COMPARISONS = 2 * MANY_COMPARISONS;

type Owners = ReadonlySet<string>;

/** The owners who are served after all others. */
interface LateOwners {
  /** One group after the other. */
  readonly groups: readonly Owners[];
  readonly all: Owners;
}

export interface DividedSubscriptions {
  /** As of this version of the list. The same object as before if these are the same owners. */
  readonly late: LateOwners;
  /** The owners whose filters take long, alone or after those of others with fewer. The same object as before if these are the same owners. */
  readonly findCostly: (now: Instant) => Owners;
  readonly all: CompiledSubscriptions;
  readonly of: (owner: string) => CompiledSubscriptions;
  readonly only: (owners: Owners) => CompiledSubscriptions;
  /** Those of all other owners, and of the operator. */
  readonly except: (owners: Owners) => CompiledSubscriptions;
  readonly ownerOf: (name: string) => string | undefined;
  /** Whether some expire, or have expired. */
  readonly hasTemporary: boolean;
}

interface OwnSubscriptions {
  readonly subscriptions: readonly Subscription[];
  readonly compiled: CompiledSubscriptions;
  readonly comparisons: number;
  /** Those that expire, or have expired. */
  readonly temporary: readonly Subscription[];
}

/** What was derived of one version of the list, for the next one. It does not refer to the list: the next one would keep all versions. */
interface Derived {
  readonly own: ReadonlyMap<string | undefined, OwnSubscriptions>;
  readonly late: LateOwners;
  readonly costly: { owners: Owners };
  /** Of the lists of several owners that were asked for. */
  readonly indexes: Readonly<Record<'only' | 'except', WeakMap<Owners, TypeIndexes>>>;
}

const NOTHING: Derived = {
  own: new Map(),
  late: { groups: [], all: new Set() },
  costly: { owners: new Set() },
  indexes: { only: new WeakMap(), except: new WeakMap() },
};

const NOBODY: Owners = new Set();
const EMPTY = compileSubscriptions([]);

/** By list, as long as it is in use. */
const known = new WeakMap<readonly Subscription[], DividedSubscriptions>();
let latest: { readonly subscriptions: readonly Subscription[]; readonly derived: Derived } = {
  subscriptions: [],
  derived: NOTHING,
};

const NO_SUBSCRIPTIONS = divide([], NOTHING, NOTHING.indexes);

/** Reads nothing of a list that has the same subscriptions as the one before. */
export function divideSubscriptions(subscriptions: readonly Subscription[]): DividedSubscriptions {
  // Asked for when nothing is announced: the next list is compared with the one before.
  if (subscriptions.length === 0) return NO_SUBSCRIPTIONS;
  const found = known.get(subscriptions);
  if (found !== undefined) return found;
  const same = isSameList(subscriptions, latest.subscriptions) ? known.get(latest.subscriptions) : undefined;
  if (same !== undefined) return same;
  const derived = derive(subscriptions, latest.derived);
  const divided = divide(subscriptions, derived, latest.derived.indexes);
  latest = { subscriptions, derived };
  known.set(subscriptions, divided);
  return divided;
}

function derive(subscriptions: readonly Subscription[], before: Derived): Derived {
  const byOwner = Map.groupBy(subscriptions, ({ owner }) => owner);
  const own = new Map([...byOwner].map(([owner, list]) => [owner, deriveOwn(list, before.own.get(owner))]));
  const late = findLate(own);
  const isSameLate =
    late.length === before.late.groups.length &&
    late.every((group, index) => isSameSet(group, before.late.groups[index] ?? new Set()));
  return {
    own,
    late: isSameLate ? before.late : { groups: late, all: new Set(late.flatMap((group) => [...group])) },
    costly: { owners: before.costly.owners },
    indexes: { only: new WeakMap(), except: new WeakMap() },
  };
}

function deriveOwn(subscriptions: readonly Subscription[], before: OwnSubscriptions | undefined): OwnSubscriptions {
  if (before !== undefined && isSameList(before.subscriptions, subscriptions)) return before;
  return {
    subscriptions,
    compiled: compileSubscriptions(subscriptions, before?.compiled.known),
    comparisons: countComparisons(subscriptions),
    temporary: subscriptions.filter(({ expiresAt }) => expiresAt !== undefined),
  };
}

const countComparisons = (subscriptions: readonly Subscription[]) =>
  subscriptions.reduce((sum, one) => sum + comparisonsOf(one), 0);

/** Keys with some subscriptions together, then each key that has many, or costly ones. Those with the fewest come first. */
function findLate(own: Derived['own']): readonly Owners[] {
  const keys = [...own].flatMap(([owner, { subscriptions, comparisons }]) => {
    if (owner === undefined) return [];
    const count = subscriptions.length;
    return [{ owner, count, isAlone: comparisons > MANY_COMPARISONS || count > MANY_SUBSCRIPTIONS }];
  });
  const alone = keys.filter(({ isAlone }) => isAlone).sort((one, other) => one.count - other.count);
  const some = keys.filter(({ count, isAlone }) => !isAlone && count > FEW_SUBSCRIPTIONS);
  const groups = [some, ...alone.map((one) => [one])].filter(({ length }) => length > 0);
  return groups.map((group) => new Set(group.map(({ owner }) => owner)));
}

function divide(
  subscriptions: readonly Subscription[],
  { own, late, costly, indexes }: Derived,
  before: Derived['indexes'],
): DividedSubscriptions {
  const lists = {
    only: new WeakMap<Owners, CompiledSubscriptions>(),
    except: new WeakMap<Owners, CompiledSubscriptions>(),
  };
  let owners: ReadonlyMap<string, string | undefined> | undefined;
  const listOf = (kind: keyof Derived['indexes'], of: Owners) => {
    const found = lists[kind].get(of);
    if (found !== undefined) return found;
    const isOf = (owner: string | undefined) => (owner !== undefined && of.has(owner)) === (kind === 'only');
    const joined = [...own].flatMap(([owner, { compiled }]) => (isOf(owner) ? [compiled] : []));
    const compiled = joinSubscriptions(joined, subscriptions, before[kind].get(of));
    lists[kind].set(of, compiled);
    indexes[kind].set(of, compiled.known);
    return compiled;
  };
  return {
    late,
    findCostly(now) {
      const counted = [...own].flatMap(([owner, { comparisons, temporary }]) => {
        const expired = temporary.filter((one) => isExpired(one, now));
        return owner === undefined ? [] : [{ owner, comparisons: comparisons - countComparisons(expired) }];
      });
      let sum = 0;
      const found = counted
        .sort((one, other) => one.comparisons - other.comparisons)
        .filter(({ comparisons }) => {
          sum += comparisons;
          return comparisons > MANY_COMPARISONS || sum > MAX_COMPARISONS;
        });
      const all = new Set(found.map(({ owner }) => owner));
      if (!isSameSet(all, costly.owners)) costly.owners = all;
      return costly.owners;
    },
    get all() {
      return listOf('except', NOBODY);
    },
    of: (owner) => own.get(owner)?.compiled ?? EMPTY,
    only(of) {
      const [first = ''] = of;
      if (of.size <= 1) return own.get(first)?.compiled ?? EMPTY;
      return listOf('only', of);
    },
    except: (of) => listOf('except', of),
    ownerOf(name) {
      owners ??= new Map(subscriptions.map((one) => [one.name, one.owner]));
      return owners.get(name);
    },
    hasTemporary: [...own.values()].some(({ temporary }) => temporary.length > 0),
  };
}

/** Also in the same order: the lists of subscriptions have it too. */
const isSameSet = (one: Owners, other: Owners) => isSameList([...one], [...other]);
