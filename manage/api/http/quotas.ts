/**
 * What a key may use: how many subscriptions, how many bytes they take, and how many requests, previews and replays in a time.
 * Other callers, such as people at the console, have a limit of requests only.
 */

import { formatRate } from '../../../core/model/rate.ts';
import { isExpired, type Rate, type Subscription, toStored } from '../../../core/model/subscription.ts';
import { between, DAY, type Duration, formatDuration, HOUR, MINUTE, SECOND } from '../../../core/model/time.ts';
import type { BucketSize } from '../../../core/model/token-bucket.ts';
import type { KeyUsage } from '../../../core/ports/key-usage-store.ts';
import type { AddResult } from '../../../core/subscriptions/verbs.ts';
import type { Config } from '../../../runtime/config/config.ts';
import { apiSection } from '../../../runtime/config/serves-api.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';

/** Requests that are counted in buckets of their own. */
export type RateQuota = 'previews' | 'replays';

const DEFAULTS = {
  subscriptions: 1000,
  bytes: 2_000_000,
  requests: { count: 600, per: MINUTE },
  previews: { count: 60, per: MINUTE },
  replays: { count: 60, per: HOUR },
} as const;

/** Those of the key itself, else those of the config, else the defaults. */
function quotasOf(config: Pick<Config, 'manage'>, { quotas: own = {} }: Pick<Caller, 'quotas'>) {
  const { rate: requests = DEFAULTS.requests, quotas = {} } = apiSection(config) ?? {};
  return { ...DEFAULTS, requests, ...quotas, ...own };
}

const MAX_BURST = 100;

/** A second's worth at least, so that a page that loads several lists is not refused. */
function bucketOf({ count, per }: Rate): BucketSize {
  const interval = per / count;
  return { interval, burst: Math.min(MAX_BURST, Math.max(1, count, Math.ceil(SECOND / interval))) };
}

type QuotaPorts = Pick<ApiPorts, 'config' | 'requestLimiter' | 'keyUsage' | 'subscriptions' | 'clock'>;

/** The name of the caller in the store of buckets. */
export const bucketNameOf = ({ kind, id, session }: Caller) =>
  kind === 'key' ? id : [kind, id, ...(session === undefined ? [] : [session])].join(' ');

/** Throws 429 if the caller has made as many requests as it may. @param size @default - that of the caller's quota */
export async function assertRate(
  { config, requestLimiter, clock }: Pick<QuotaPorts, 'config' | 'requestLimiter' | 'clock'>,
  caller: Caller,
  size: BucketSize = bucketOf(quotasOf(config, caller).requests),
): Promise<void> {
  const wait = await requestLimiter.take(bucketNameOf(caller), size, clock.now());
  if (wait === 0) return;
  const seconds = String(Math.max(1, Math.ceil(wait / SECOND)));
  const whose = caller.kind === 'console' ? 'in this session' : 'with this key';
  const detail = `too many requests ${whose}: wait ${seconds} s`;
  throw new Problem(429, 'TIDINGS_API_RATE', { detail, headers: { 'retry-after': seconds } });
}

/** The limit of a session of the console. That of the config is for programs. */
export const SESSION_REQUESTS: BucketSize = bucketOf(DEFAULTS.requests);

/** Throws 429 if the key has made as many such requests as it may. */
export async function takeQuota(api: QuotaPorts, caller: Caller, quota: RateQuota, count = 1): Promise<void> {
  if (caller.kind !== 'key') return;
  const rate = quotasOf(api.config, caller)[quota];
  const { interval, burst } = bucketOf(rate);
  // A bucket with fewer, larger tokens. One that is full allows any number.
  const tokens = Math.min(count, burst);
  const size = { interval: interval * tokens, burst: burst / tokens };
  const wait = await api.requestLimiter.take(`${caller.id} ${quota}`, size, api.clock.now());
  if (wait === 0) return;
  const seconds = String(Math.max(1, Math.ceil(wait / SECOND)));
  const detail = `this key may make ${formatRate(rate)} ${quota}: wait ${seconds} s`;
  throw new Problem(429, 'TIDINGS_API_QUOTA', { detail, headers: { 'retry-after': seconds } });
}

/** Responses are kept for a day, for repeated requests. They are counted in units of this size. */
export const KEPT_UNIT_BYTES = 4_000;

/** 200 MB a day, 40 MB of them at once. */
const KEPT_UNITS: BucketSize = { interval: DAY / 50_000, burst: 10_000 };

/** Returns how long to wait if the key has as many kept responses as it may, and 0 if these units were counted. */
export async function takeKept(
  { requestLimiter, clock }: Pick<ApiPorts, 'requestLimiter' | 'clock'>,
  { kind, id }: Caller,
  units: number,
): Promise<Duration> {
  if (kind !== 'key') return 0;
  // The same bucket, whose tokens are as large as all these units.
  const size = { interval: KEPT_UNITS.interval * units, burst: KEPT_UNITS.burst / units };
  return requestLimiter.take(`${id} kept`, size, clock.now());
}

type Amount = Pick<KeyUsage, 'subscriptions' | 'bytes'>;

/** Its bytes as JSON. */
export function storedBytesOf(subscription: Subscription): number {
  return Buffer.byteLength(JSON.stringify(toStored(subscription)));
}

/**
 * Subscriptions also end by themselves, so the count may be too high. It is made again before a request is refused, unless the key
 * has changed something just now: then other requests may have reserved what they have not stored yet.
 */
const RECOUNT_AFTER = MINUTE;

/** Of concurrent requests one succeeds at a time. */
const MAX_TRIES = 50;

/** Counts what a key is about to store. Throws 403 if it would be more than it may. */
async function reserveStorage(api: QuotaPorts, caller: Caller, added: Amount): Promise<void> {
  if (caller.kind !== 'key') return;
  const { keyUsage, clock } = api;
  const limits = quotasOf(api.config, caller);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stored = await keyUsage.get(caller.id);
    const now = clock.now();
    const isOld = stored === undefined || Math.abs(between(stored.changedAt, now)) > RECOUNT_AFTER;
    const known = stored ?? (await countUsage(api, caller));
    const refusal = findExceeded(known, added, limits);
    const current = refusal !== undefined && stored !== undefined && isOld ? await countUsage(api, caller) : known;
    const exceeded = findExceeded(current, added, limits);
    if (exceeded !== undefined) throw exceeded;
    if (await keyUsage.replace(caller.id, stored, { ...sum(current, added), changedAt: now })) return;
  }
  throw new Problem(429, 'TIDINGS_API_QUOTA', {
    detail: 'too many requests of this key change subscriptions at once: wait 1 s',
    headers: { 'retry-after': '1' },
  });
}

/** Takes back what was not stored, or is stored no more. A negative amount was stored beside what was reserved. */
export async function releaseStorage({ keyUsage, clock }: QuotaPorts, key: string, removed: Amount): Promise<void> {
  if (removed.subscriptions === 0 && removed.bytes === 0) return;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stored = await keyUsage.get(key);
    if (stored === undefined) return;
    const left = sum(stored, { subscriptions: -removed.subscriptions, bytes: -removed.bytes });
    if (await keyUsage.replace(key, stored, { ...left, changedAt: clock.now() })) return;
  }
}

/** Adds a subscription that the key may have. What was counted and not added is taken back. */
export async function addWithinQuota<Added extends AddResult>(
  api: QuotaPorts,
  caller: Caller,
  subscription: Subscription,
  add: () => Promise<Added>,
): Promise<Added> {
  const amount = { subscriptions: 1, bytes: storedBytesOf(subscription) };
  await reserveStorage(api, caller, amount);
  let unused: Amount = amount;
  try {
    const added = await add();
    // It was stored with the time of this moment.
    if (added.kind === 'added') unused = { subscriptions: 0, bytes: amount.bytes - storedBytesOf(added.subscription) };
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
  api: QuotaPorts,
  caller: Caller,
  known: Subscription,
  wanted: Subscription,
  apply: (change: (stored: Subscription) => Subscription) => Promise<Subscription | undefined>,
): Promise<Subscription | undefined> {
  const { owner } = known;
  const reserved = owner === caller.id ? Math.max(0, storedBytesOf(wanted) - storedBytesOf(known)) : 0;
  if (reserved > 0) await reserveStorage(api, caller, { subscriptions: 0, bytes: reserved });
  let replaced = known;
  let grown = 0;
  try {
    const changed = await apply((stored) => {
      replaced = stored;
      return wanted;
    });
    grown = changed === undefined ? 0 : storedBytesOf(changed) - storedBytesOf(replaced);
    return changed;
  } finally {
    if (owner !== undefined) await releaseStorage(api, owner, { subscriptions: 0, bytes: reserved - grown });
  }
}

const sum = (a: Amount, b: Amount): Amount => ({
  subscriptions: Math.max(0, a.subscriptions + b.subscriptions),
  bytes: Math.max(0, a.bytes + b.bytes),
});

function findExceeded(current: Amount, added: Amount, limits: Amount): Problem | undefined {
  const next = sum(current, added);
  const refuse = (detail: string) => new Problem(403, 'TIDINGS_API_QUOTA', { detail });
  if (added.subscriptions > 0 && next.subscriptions > limits.subscriptions) {
    return refuse(
      `this key may have ${limits.subscriptions} subscriptions: remove one, or ask the operator for more (manage.api.quotas)`,
    );
  }
  if (added.bytes > 0 && next.bytes > limits.bytes) {
    return refuse(
      `the subscriptions of this key may take ${limits.bytes} bytes, and would take ${next.bytes}: shorten filters and templates, or remove one`,
    );
  }
  return undefined;
}

/** Reads all subscriptions. */
async function countUsage({ subscriptions, clock }: QuotaPorts, { id }: Caller): Promise<Amount> {
  const now = clock.now();
  const own = (await subscriptions.list(true)).filter((one) => one.owner === id && !isExpired(one, now));
  return { subscriptions: own.length, bytes: own.reduce((total, one) => total + storedBytesOf(one), 0) };
}

/** The limits of the caller, and what it uses now. Null where it has no limit. */
export async function readQuotas(api: QuotaPorts, caller: Caller) {
  const limits = quotasOf(api.config, caller);
  const now = api.clock.now();
  const rate = async (name: string, { count, per }: Rate) => {
    const size = bucketOf({ count, per });
    const used = await api.requestLimiter.used(name, size, now);
    return { limit: count, per: formatDuration(per), burst: size.burst, used };
  };
  const requests = await rate(bucketNameOf(caller), limits.requests);
  if (caller.kind !== 'key') return { requests, previews: null, replays: null, subscriptions: null, bytes: null };
  const usage = await countUsage(api, caller);
  return {
    requests,
    previews: await rate(`${caller.id} previews`, limits.previews),
    replays: await rate(`${caller.id} replays`, limits.replays),
    subscriptions: { limit: limits.subscriptions, used: usage.subscriptions },
    bytes: { limit: limits.bytes, used: usage.bytes },
  };
}
