/**
 * Limits of the deliver function per subscription: the concurrency of its channel within one sandbox, and a concurrency of its
 * own and a rate shared by all sandboxes, so that these hold however many of them run.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { kindOfGroup } from '../../adapters/stored-job.ts';
import { createLanes, type LaneLimits, type Lanes, limitsOf } from '../../core/delivery/lanes.ts';
import { MAX_RATE_WAIT } from '../../core/delivery/rate-limit.ts';
import { type Delivery, QUEUE_AHEAD, type SendSlot } from '../../core/model/delivery.ts';
import { between, type Clock, type Duration, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import type { ChannelRegistry } from '../../core/ports/channel.ts';
import type { Lease, LeaseStore } from '../../core/ports/lease-store.ts';
import type { BookedSlot, RateLimiter } from '../../core/ports/rate-limiter.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import { limitsOfUnknown, READ_LIMITS_EVERY } from '../embedded/watch-limits.ts';

/** Kept between invocations: a receiver that failed stays slowed down in the next batch. */
export interface DeliveryLimits {
  readonly limits: (subscription: string) => LaneLimits;
  /** Has `limits` know these subscriptions. Throws if one cannot be read that it has never known. @default - it knows all */
  readonly readLimits?: (subscriptions: readonly string[]) => Promise<void>;
  readonly lanes: Lanes;
}

/** Subscriptions whose limits are remembered. */
const MAX_KNOWN = 1000;

/** Reads only the subscriptions of its batches: a list of all of them takes a third of a small function's CPU if one key has many. */
export function openDeliveryLimits(
  subscriptions: Pick<SubscriptionStore, 'get'>,
  channels: ChannelRegistry,
  now: () => number = () => performance.now(),
): DeliveryLimits {
  const known = new Map<string, { readonly limits: LaneLimits | undefined; readonly readAt: number }>();
  const limits = (subscription: string) => known.get(subscription)?.limits ?? limitsOfUnknown(subscription);
  const readLimits = async (names: readonly string[]): Promise<void> => {
    const at = now();
    const isRead = (name: string) => at - (known.get(name)?.readAt ?? Number.NEGATIVE_INFINITY) < READ_LIMITS_EVERY;
    const unread = [...new Set(names)].filter((name) => kindOfGroup(name) === 'attempt' && !isRead(name));
    const found = await Promise.allSettled(unread.map((name) => subscriptions.get(name)));
    for (const [n, name] of unread.entries()) {
      const read = found[n];
      if (read?.status !== 'fulfilled') continue;
      known.delete(name);
      known.set(name, { limits: read.value && limitsOf(read.value, channels), readAt: at });
    }
    // Those that were not read for the longest time.
    for (const name of [...known.keys()].slice(0, -MAX_KNOWN)) known.delete(name);
    // Keep the old limits until the next read succeeds; without any, a message would be sent beyond its rate.
    const failed = found.find((read, n) => read.status === 'rejected' && !known.has(unread[n] ?? ''));
    if (failed?.status === 'rejected') throw failed.reason;
  };
  return { limits, readLimits, lanes: createLanes((group) => ({ concurrency: limits(group).concurrency })) };
}

export interface RateLimitPorts extends Pick<DeliveryLimits, 'limits'> {
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
  /** Called when slots that were booked before do not count any more. */
  readonly onReset: (subscription: string, booked: BookedSlot) => Promise<void>;
  /** @default - they wait as long as there is time */
  readonly signalOf?: SignalOf;
}

/** Aborts when the attempts of a subscription have to wait no longer. Undefined: they may. */
type SignalOf = (subscription: string) => AbortSignal | undefined;

/** A delivery due then is queued on time by the next tick, which runs within a minute, for a minute ahead. */
const SCHEDULING_TIME: Duration = QUEUE_AHEAD;

/** How late a delivery may use its slot. After a longer outage it books another one, so that a backlog is not sent at once. */
const MAX_LATENESS: Duration = QUEUE_AHEAD + 5 * SECOND;

/**
 * Returns a function that takes the slot of a delivery, or books one, before each attempt of one invocation. It waits up to
 * `maxWait` for the slot; otherwise it returns the slot for which the attempt must be scheduled, or that there is none in time.
 */
export function shareRateLimit(ports: RateLimitPorts, maxWait: () => Duration) {
  const { limits, rateLimiter, clock, onReset, signalOf } = ports;
  // Concurrent bookings of one subscription may conflict in the table, so they run one after the other.
  const pending = new Map<string, Promise<unknown>>();
  const book = (subscription: string, interval: Duration): Promise<SendSlot | undefined> => {
    const bookNext = async () => {
      const now = clock.now();
      const until = plus(now, Math.max(0, Math.floor(maxWait())));
      const latest = plus(now, MAX_RATE_WAIT);
      const booked = await rateLimiter.book(
        subscription,
        { interval, until, from: plus(now, SCHEDULING_TIME), latest },
        now,
      );
      if (booked === undefined) return undefined;
      const { reset, ...slot } = booked;
      if (reset !== undefined) await onReset(subscription, booked);
      return slot;
    };
    const booked = (pending.get(subscription) ?? Promise.resolve()).then(bookNext, bookNext);
    pending.set(subscription, booked);
    return booked;
  };
  return async ({
    subscription,
    slot,
  }: Pick<Delivery, 'subscription' | 'slot'>): Promise<SendSlot | 'too-late' | undefined> => {
    const { rate } = limits(subscription);
    if (rate === undefined) return undefined;
    const interval = Math.max(1, Math.ceil(rate.per / rate.count));
    const isValid = slot?.interval === interval && slot.at >= plus(clock.now(), -MAX_LATENESS);
    const taken = isValid ? slot : await book(subscription, interval);
    if (taken === undefined) return 'too-late';
    const wait = between(clock.now(), taken.at);
    if (wait > Math.max(0, maxWait())) return taken;
    return wait <= 0 || (await sleepUnlessAborted(wait, signalOf?.(subscription))) ? undefined : taken;
  };
}

/** Returns false if it was aborted. */
async function sleepUnlessAborted(millis: Duration, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(millis, undefined, signal && { signal });
    return true;
  } catch {
    return false;
  }
}

/** As long as an execution of the function may take: one that was killed holds its lease until then. */
const ATTEMPT_LEASE: Duration = MINUTE;

/** How long to wait before a lease is tried again. */
const LEASE_PAUSE: Duration = SECOND / 2;

/** Leases that are tried at a time. Attempts start at different ones, so one that is free is found soon. */
const MAX_TRIED = 8;

interface ConcurrencyPorts extends Pick<DeliveryLimits, 'limits'> {
  readonly leases: LeaseStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** @default - they wait as long as there is time */
  readonly signalOf?: SignalOf;
}

/**
 * Returns a function that takes one of as many leases as a subscription may have attempts at a time, and returns how to give
 * it back. It waits up to `maxWait`; then it returns undefined. Only for subscriptions that set their concurrency: a lease
 * costs a read and two writes.
 */
export function shareConcurrency(ports: ConcurrencyPorts, maxWait: () => Duration) {
  const { limits, leases, clock, random, signalOf } = ports;
  const take = async (subscription: string, holder: string): Promise<Lease | undefined> => {
    const { concurrency } = limits(subscription);
    const first = Math.floor(random() * concurrency);
    for (let n = 0; n < Math.min(concurrency, MAX_TRIED); n++) {
      const name = `attempt/${subscription}/${(first + n) % concurrency}`;
      const lease = await leases.acquire(name, holder, clock.now(), ATTEMPT_LEASE, { isTemporary: true });
      if (lease !== undefined) return lease;
    }
    return undefined;
  };
  return async (subscription: string, holder: string): Promise<(() => Promise<void>) | undefined> => {
    if (limits(subscription).isOwn !== true) return async () => {};
    for (;;) {
      const lease = await take(subscription, holder);
      if (lease !== undefined) return () => leases.release(lease);
      if (maxWait() <= LEASE_PAUSE || signalOf?.(subscription)?.aborted === true) return undefined;
      await sleep(LEASE_PAUSE);
    }
  };
}
