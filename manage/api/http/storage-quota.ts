/** What a key may store: how many subscriptions, how many bytes they take, and how costly their filters are. */

import { countComparisons, LIST_COMPARISONS, WILDCARD_COMPARISONS } from '../../../core/filters/pattern-cost.ts';
import { isSameValue } from '../../../core/model/json.ts';
import { isExpired, type Subscription } from '../../../core/model/subscription.ts';
import { between, type Instant, MINUTE } from '../../../core/model/time.ts';
import type { KeyUsage } from '../../../core/ports/key-usage-store.ts';
import { storedBytesOf } from '../../../core/subscriptions/storable.ts';
import type { AddResult } from '../../../core/subscriptions/verbs.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';
import { quotasOf } from './quotas.ts';

type StoragePorts = Pick<ApiPorts, 'config' | 'keyUsage' | 'subscriptions' | 'clock'>;

type Amount = Required<Pick<KeyUsage, 'subscriptions' | 'bytes' | 'comparisons'>>;

const NOTHING: Amount = { subscriptions: 0, bytes: 0, comparisons: 0 };

/** A store that caches subscriptions returns the same objects, which are not counted again. */
const amounts = new WeakMap<Subscription, Amount>();

/** What a subscription takes up of the quotas of its owner until it expires. */
function amountOf(subscription: Subscription): Amount {
  const known = amounts.get(subscription);
  if (known !== undefined) return known;
  const { where } = subscription;
  const comparisons = where === undefined ? 0 : countComparisons(where);
  const amount = { subscriptions: 1, bytes: storedBytesOf(subscription), comparisons };
  amounts.set(subscription, amount);
  return amount;
}

/**
 * What it is in the count of its owner: one that has expired is stored until its last deliveries are sent, but is compared with no event.
 * @param countedAt when all were counted. @default - not known
 */
function countedAs(subscription: Subscription, now: Instant, countedAt: Instant = now): Amount {
  const amount = amountOf(subscription);
  const hadExpired = isExpired(subscription, now) && isExpired(subscription, countedAt);
  return hadExpired ? { ...amount, comparisons: 0 } : amount;
}

/**
 * Subscriptions also end by themselves, so the count may be too high. It is made again before a request is refused, unless the key
 * has changed something just now: then other requests may have reserved what they have not stored yet.
 */
const RECOUNT_AFTER = MINUTE;

const isDue = ({ changedAt }: Pick<KeyUsage, 'changedAt'>, now: Instant) =>
  Math.abs(between(changedAt, now)) > RECOUNT_AFTER;

/** Of concurrent requests one succeeds at a time. */
const MAX_TRIES = 50;

/**
 * Counts what a key is about to store, and returns it. Throws 403 if it would be more than it may.
 * @param replaced one that it takes the place of. @default - none
 */
async function reserveStorage(
  api: StoragePorts,
  caller: Caller,
  added: Amount,
  replaced?: Subscription,
): Promise<Amount> {
  if (caller.kind !== 'key') return NOTHING;
  const { keyUsage, clock } = api;
  const limits = quotasOf(api.config, caller);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stored = await keyUsage.get(caller.id);
    const now = clock.now();
    const recount = async (): Promise<Count> => ({ used: await countUsage(api, caller, now), countedAt: now });
    const known = stored?.comparisons === undefined ? undefined : countIn(stored);
    const isOld = stored === undefined || isDue(stored, now);
    const grownBy = ({ countedAt }: Count) =>
      replaced === undefined ? added : growth(countedAs(replaced, now, countedAt), added);
    const findRefusal = (count: Count) => findExceeded(count.used, grownBy(count), limits);
    const first = known ?? (await recount());
    const current = findRefusal(first) !== undefined && known !== undefined && isOld ? await recount() : first;
    const refusal = findRefusal(current);
    const { used, countedAt } = current;
    const save = (amount: Amount) => keyUsage.replace(caller.id, stored, toUsage(amount, now, countedAt));
    if (refusal !== undefined) {
      if (current !== first) await save(used);
      throw refusal;
    }
    const reserved = grownBy(current);
    if (await save(sum(used, reserved))) return reserved;
  }
  throw new Problem(429, 'TIDINGS_API_QUOTA', {
    detail: 'too many requests of this key change subscriptions at once: wait 1 s',
    headers: { 'retry-after': '1' },
  });
}

interface Count {
  readonly used: Amount;
  /** When all were counted. @default - not known */
  readonly countedAt?: Instant | undefined;
}

const countIn = ({ subscriptions, bytes, comparisons = 0, countedAt }: KeyUsage): Count => ({
  used: { subscriptions, bytes, comparisons },
  countedAt,
});

const toUsage = (amount: Amount, changedAt: Instant, countedAt?: Instant): KeyUsage => ({
  ...amount,
  changedAt,
  ...(countedAt === undefined ? {} : { countedAt }),
});

/** Takes back what was not stored. A negative amount was stored beside what was reserved. */
async function releaseStorage(
  { keyUsage, clock }: StoragePorts,
  key: string,
  removed: Amount | ((count: Count, now: Instant) => Amount),
): Promise<void> {
  if (isSameValue(removed, NOTHING)) return;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stored = await keyUsage.get(key);
    if (stored === undefined) return;
    const now = clock.now();
    const count = countIn(stored);
    const left = difference(count.used, typeof removed === 'function' ? removed(count, now) : removed);
    const { comparisons: _, ...usage } = toUsage(left, now, count.countedAt);
    // What an earlier version has not counted is counted by the next request that adds something.
    const next = stored.comparisons === undefined ? usage : { ...usage, comparisons: left.comparisons };
    if (await keyUsage.replace(key, stored, next)) return;
  }
}

/** Takes back what a removed subscription was in the count of its owner. */
export async function releaseRemoved(api: StoragePorts, owner: string, removed: Subscription): Promise<void> {
  await releaseStorage(api, owner, ({ countedAt }, now) => countedAs(removed, now, countedAt));
}

/**
 * Adds a subscription that the key may have. What was counted and not added is taken back.
 * @param expired one of the same name, which it takes the place of. @default - the name is free
 */
export async function addWithinQuota<Added extends AddResult>(
  api: StoragePorts,
  caller: Caller,
  subscription: Subscription,
  add: () => Promise<Added>,
  expired?: Subscription,
): Promise<Added> {
  const own = expired?.owner === caller.id ? expired : undefined;
  const amount = await reserveStorage(api, caller, amountOf(subscription), own);
  let unused: Amount = amount;
  try {
    const added = await add();
    // It was stored with the time of this moment.
    if (added.kind === 'added') unused = { ...NOTHING, bytes: amount.bytes - storedBytesOf(added.subscription) };
    return added;
  } finally {
    if (caller.kind === 'key') await releaseStorage(api, caller.id, unused);
  }
}

/**
 * Changes a subscription if the key may have the result. What is counted is what was replaced at that very moment, so that
 * several changes at the same time count once each.
 */
export async function changeWithinQuota(
  api: StoragePorts,
  caller: Caller,
  known: Subscription,
  wanted: Subscription,
  apply: (change: (stored: Subscription) => Subscription) => Promise<Subscription | undefined>,
): Promise<Subscription | undefined> {
  const { owner } = known;
  const added = sum(NOTHING, growth(amountOf(known), amountOf(wanted)));
  const reserved = owner === caller.id ? added : NOTHING;
  // The filter of another costs no more than one of its own. What the operator made counts in no quota, and is compared before all others.
  if (owner !== caller.id && added.comparisons > 0) assertFilterWithinQuota(api, caller, wanted.where);
  if (reserved.bytes > 0 || reserved.comparisons > 0) await reserveStorage(api, caller, reserved);
  let replaced = known;
  let grown = NOTHING;
  try {
    const changed = await apply((stored) => {
      replaced = stored;
      return wanted;
    });
    grown = changed === undefined ? NOTHING : growth(amountOf(replaced), amountOf(changed));
    return changed;
  } finally {
    if (owner !== undefined) {
      const { bytes, comparisons } = reserved;
      const unused = { bytes: bytes - grown.bytes, comparisons: comparisons - grown.comparisons };
      await releaseStorage(api, owner, { ...NOTHING, ...unused });
    }
  }
}

const combine = (a: Amount, b: Amount, sign: 1 | -1): Amount => ({
  subscriptions: Math.max(0, a.subscriptions + sign * b.subscriptions),
  bytes: Math.max(0, a.bytes + sign * b.bytes),
  comparisons: Math.max(0, a.comparisons + sign * b.comparisons),
});
const sum = (a: Amount, b: Amount) => combine(a, b, 1);
const difference = (a: Amount, b: Amount) => combine(a, b, -1);

/** What a change adds; negative where it takes less than before. */
function growth(before: Amount, after: Amount): Amount {
  return { subscriptions: 0, bytes: after.bytes - before.bytes, comparisons: after.comparisons - before.comparisons };
}

const EXPIRED = 'one that has expired counts for 7 days, or until it is removed';

function findExceeded(current: Amount, added: Amount, limits: Amount): Problem | undefined {
  const next = sum(current, added);
  const refuse = (detail: string) => new Problem(403, 'TIDINGS_API_QUOTA', { detail });
  if (added.subscriptions > 0 && next.subscriptions > limits.subscriptions) {
    return refuse(
      `this key may have ${limits.subscriptions} subscriptions: remove one (${EXPIRED}), or ask the operator for more (manage.api.quotas)`,
    );
  }
  if (added.bytes > 0 && next.bytes > limits.bytes) {
    return refuse(
      `the subscriptions of this key may take ${limits.bytes} bytes, and would take ${next.bytes}: shorten filters and templates, or remove one (${EXPIRED})`,
    );
  }
  if (added.comparisons > 0 && next.comparisons > limits.comparisons) {
    return refuse(
      `the filters of this key may compare an event with ${limits.comparisons} conditions, and would with ${next.comparisons}, a wildcard counting as ${WILDCARD_COMPARISONS} and each test of a list as ${LIST_COMPARISONS}: use exact values, prefixes and fewer branches of $or, or remove a subscription`,
    );
  }
  return undefined;
}

/** Throws 403 for a filter that costs more than all filters of the key may. */
export function assertFilterWithinQuota(
  { config }: Pick<StoragePorts, 'config'>,
  caller: Caller,
  where: unknown,
): void {
  if (caller.kind !== 'key' || where === undefined) return;
  const exceeded = findExceeded(
    NOTHING,
    { ...NOTHING, comparisons: countComparisons(where) },
    quotasOf(config, caller),
  );
  if (exceeded !== undefined) throw exceeded;
}

/** Reads all subscriptions. */
async function countUsage({ subscriptions }: StoragePorts, { id }: Caller, now: Instant): Promise<Amount> {
  const own = (await subscriptions.list(true)).filter(({ owner }) => owner === id);
  return own.map((one) => countedAs(one, now)).reduce(sum, NOTHING);
}

/**
 * Counts at most once a minute: in AWS all subscriptions are in one partition of the table, which every attempt reads too, and a key with
 * many of them could use up what the partition allows.
 */
async function readUsage(api: StoragePorts, caller: Caller): Promise<Amount> {
  const { keyUsage, clock } = api;
  const stored = await keyUsage.get(caller.id);
  const now = clock.now();
  if (stored?.comparisons !== undefined && !isDue(stored, now)) return countIn(stored).used;
  const counted = await countUsage(api, caller, now);
  // If another request was faster, its count stays.
  await keyUsage.replace(caller.id, stored, toUsage(counted, now, now));
  return counted;
}

/** The limits of the caller, and what it uses now. Null where it has no limit. */
export async function readStorage(api: StoragePorts, caller: Caller) {
  if (caller.kind !== 'key') return { subscriptions: null, bytes: null, comparisons: null };
  const limits = quotasOf(api.config, caller);
  const used = await readUsage(api, caller);
  return {
    subscriptions: { limit: limits.subscriptions, used: used.subscriptions },
    bytes: { limit: limits.bytes, used: used.bytes },
    comparisons: { limit: limits.comparisons, used: used.comparisons },
  };
}
