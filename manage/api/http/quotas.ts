/**
 * How many requests, changes, previews, replays and deliveries of these a key may make in a time. What it may store is in storage-quota.ts,
 * and what it may consume of DynamoDB in unit-quota.ts.
 * Other callers, such as people at the console, have a limit of requests only.
 */

import { formatRate } from '../../../core/model/rate.ts';
import type { Rate } from '../../../core/model/subscription.ts';
import { DAY, type Duration, formatDuration, HOUR, MINUTE, SECOND } from '../../../core/model/time.ts';
import type { BucketSize } from '../../../core/model/token-bucket.ts';
import type { Config } from '../../../runtime/config/config.ts';
import { apiSection } from '../../../runtime/config/serves-api.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';

/** Requests that are counted in buckets of their own. */
export type RateQuota = 'changes' | 'previews' | 'replays' | 'deliveries';

const DEFAULTS = {
  subscriptions: 1000,
  bytes: 2_000_000,
  comparisons: 20_000,
  requests: { count: 600, per: MINUTE },
  changes: { count: 3000, per: HOUR },
  previews: { count: 60, per: MINUTE },
  replays: { count: 60, per: HOUR },
  deliveries: { count: 20_000, per: HOUR },
  units: { count: 120_000, per: MINUTE },
} as const;

/** Those of the key itself, else those of the config, else the defaults. */
export function quotasOf(config: Pick<Config, 'manage'>, { quotas: own = {} }: Pick<Caller, 'quotas'>) {
  const { rate: requests = DEFAULTS.requests, quotas = {} } = apiSection(config) ?? {};
  return { ...DEFAULTS, requests, ...quotas, ...own };
}

const MAX_BURST = 100;

/** A second's worth at least, so that a page that loads several lists is not refused. */
function bucketOf({ count, per }: Rate): BucketSize {
  const interval = per / count;
  return { interval, burst: Math.min(MAX_BURST, Math.max(1, count, Math.ceil(SECOND / interval))) };
}

type QuotaPorts = Pick<ApiPorts, 'config' | 'requestLimiter' | 'clock'>;

/** The name of the caller in the store of buckets. */
export const bucketNameOf = ({ kind, id, session }: Caller) =>
  kind === 'key' ? id : [kind, id, ...(session === undefined ? [] : [session])].join(' ');

/** Throws 429 if the caller has made as many requests as it may. @param size @default - that of the caller's quota */
export async function assertRate(
  { config, requestLimiter, clock }: QuotaPorts,
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

/** A replay opens all its deliveries at once, and a deployment makes all its subscriptions. */
const fullBucketOf = ({ count, per }: Rate): BucketSize => ({ interval: per / count, burst: count });
const BUCKETS = { changes: fullBucketOf, previews: bucketOf, replays: bucketOf, deliveries: fullBucketOf } as const;

/** The bytes that a delivery takes up to its first response. A larger amount is counted as several deliveries. */
export const DELIVERY_BYTES = 5_000;

/** Throws 429 if the key has made as many such requests, or deliveries of them, as it may. */
export async function takeQuota(api: QuotaPorts, caller: Caller, quota: RateQuota, count = 1): Promise<void> {
  if (caller.kind !== 'key' || count <= 0) return;
  const rate = quotasOf(api.config, caller)[quota];
  const { interval, burst } = BUCKETS[quota](rate);
  // A bucket with fewer, larger tokens. One that is full allows any number.
  const tokens = Math.min(count, burst);
  const size = { interval: interval * tokens, burst: burst / tokens };
  const name = `${caller.id} ${quota}`;
  const wait = await api.requestLimiter.take(name, size, api.clock.now());
  if (wait === 0) {
    // A change is counted right before its entry in the audit trail, which stays.
    if (quota !== 'changes') caller.onCharged?.(() => api.requestLimiter.giveBack(name, size));
    return;
  }
  const seconds = String(Math.max(1, Math.ceil(wait / SECOND)));
  const what = quota === 'deliveries' ? 'deliveries by replays, retries, resumes and tests' : quota;
  const detail = `this key may make ${formatRate(rate)} ${what}: wait ${seconds} s`;
  throw new Problem(429, 'TIDINGS_API_QUOTA', { detail, headers: { 'retry-after': seconds } });
}

/**
 * The caller of one request, whose first change is counted: each has an entry in the audit trail, which is kept for months. A request
 * that needs several is not refused in between.
 */
export function countChanges(api: QuotaPorts & Pick<ApiPorts, 'assertUnitsLeft'>, caller: Caller): Caller {
  let isCounted = false;
  const assertValid = async () => {
    await caller.assertValid?.();
    if (!isCounted) api.assertUnitsLeft?.();
    if (!isCounted) await takeQuota(api, caller, 'changes');
    isCounted = true;
  };
  return { ...caller, assertValid };
}

/**
 * Runs a request that may be charged to several quotas: if one of them refuses it, the others get back what they were charged.
 * @param run gets the caller whose charges are noted
 */
export async function chargeAllOrNone<T>(caller: Caller, run: (caller: Caller) => Promise<T>): Promise<T> {
  const charged: (() => Promise<void>)[] = [];
  try {
    return await run({ ...caller, onCharged: (giveBack) => charged.push(giveBack) });
  } catch (error) {
    const isRefused = error instanceof Problem && error.code === 'TIDINGS_API_QUOTA';
    if (isRefused) await Promise.all(charged.map((giveBack) => giveBack()));
    throw error;
  }
}

/** How many deliveries are attempted at once when a subscription is resumed, before a failure stops the others. */
const RESUMED_DELIVERIES = 10;

export const takeResumed = (api: QuotaPorts, caller: Caller) =>
  takeQuota(api, caller, 'deliveries', RESUMED_DELIVERIES);

/** How many deliveries one request of the caller may make at most. */
export function maxDeliveries({ config }: Pick<QuotaPorts, 'config'>, caller: Caller): number {
  return caller.kind === 'key' ? quotasOf(config, caller).deliveries.count : Number.POSITIVE_INFINITY;
}

/** Responses are kept for a day, for repeated requests. They are counted in units of this size. */
export const KEPT_UNIT_BYTES = 4_000;

/** 200 MB a day, 40 MB of them at once. */
const KEPT_UNITS: BucketSize = { interval: DAY / 50_000, burst: 10_000 };

/** Returns how long to wait if the key has as many kept responses as it may, and 0 if these units were counted. */
export async function takeKept(
  { requestLimiter, clock }: Pick<ApiPorts, 'requestLimiter' | 'clock'>,
  { kind, id, onCharged }: Caller,
  units: number,
): Promise<Duration> {
  if (kind !== 'key') return 0;
  // The same bucket, whose tokens are as large as all these units.
  const size = { interval: KEPT_UNITS.interval * units, burst: KEPT_UNITS.burst / units };
  const wait = await requestLimiter.take(`${id} kept`, size, clock.now());
  if (wait === 0) onCharged?.(() => requestLimiter.giveBack(`${id} kept`, size));
  return wait;
}

/** The limits of the caller, and what it uses now. Null where it has no limit. */
export async function readRates(api: QuotaPorts, caller: Caller) {
  const limits = quotasOf(api.config, caller);
  const now = api.clock.now();
  const rate = async (name: string, { count, per }: Rate, { burst, interval }: BucketSize) => {
    const used = await api.requestLimiter.used(name, { burst, interval }, now);
    return { limit: count, per: formatDuration(per), burst, used };
  };
  const requests = await rate(bucketNameOf(caller), limits.requests, bucketOf(limits.requests));
  if (caller.kind !== 'key') return { requests, changes: null, previews: null, replays: null, deliveries: null };
  const ofKey = (quota: RateQuota) => rate(`${caller.id} ${quota}`, limits[quota], BUCKETS[quota](limits[quota]));
  return {
    requests,
    changes: await ofKey('changes'),
    previews: await ofKey('previews'),
    replays: await ofKey('replays'),
    deliveries: await ofKey('deliveries'),
  };
}
