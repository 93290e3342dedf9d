/**
 * Limits of the deliver function per subscription: concurrency within one sandbox, and a rate shared by all sandboxes, so
 * that a rate holds however many of them run.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createLanes, type Lanes } from '../../core/delivery/lanes.ts';
import type { Limits } from '../../core/model/subscription.ts';
import { between, type Clock, type Duration, type Instant, plus } from '../../core/model/time.ts';
import type { ChannelRegistry } from '../../core/ports/channel.ts';
import type { RateLimiter, Slot } from '../../core/ports/rate-limiter.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import { watchLimits } from '../embedded/watch-limits.ts';

/** Kept between invocations: a receiver that failed stays slowed down in the next batch. */
export interface DeliveryLimits {
  readonly limits: (subscription: string) => Limits;
  readonly lanes: Lanes;
}

export async function openDeliveryLimits(
  subscriptions: Pick<SubscriptionStore, 'list'>,
  channels: ChannelRegistry,
): Promise<DeliveryLimits> {
  const limits = await watchLimits(subscriptions, channels, () => performance.now());
  return { limits, lanes: createLanes((subscription) => ({ concurrency: limits(subscription).concurrency })) };
}

export interface RateLimitPorts extends Pick<DeliveryLimits, 'limits'> {
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
}

/**
 * Returns a function that reserves a slot before each attempt of one invocation. It waits up to `maxWait` for the slot;
 * otherwise it returns the time for which the attempt must be rescheduled.
 */
export function shareRateLimit({ limits, rateLimiter, clock }: RateLimitPorts, maxWait: () => Duration) {
  // Concurrent reservations of one subscription would conflict in the table, so they run one after the other.
  const pending = new Map<string, Promise<unknown>>();
  const reserve = (subscription: string, interval: Duration): Promise<Slot> => {
    const reserveNext = () => {
      const now = clock.now();
      const until = plus(now, Math.max(0, Math.floor(maxWait())));
      return rateLimiter.reserve(subscription, { interval, until }, now);
    };
    const reserved = (pending.get(subscription) ?? Promise.resolve()).then(reserveNext, reserveNext);
    pending.set(subscription, reserved);
    return reserved;
  };
  const rescheduled = new Map<string, Instant>();
  /** Spreads rescheduled attempts one slot apart: all at once, most would find the slot taken again. */
  const nextFreeSlot = (next: Instant, subscription: string, interval: Duration): Instant => {
    const following = rescheduled.get(subscription) ?? next;
    const slot = following > next ? following : next;
    rescheduled.set(subscription, plus(slot, interval));
    return slot;
  };
  return async (subscription: string): Promise<Instant | undefined> => {
    const { rate } = limits(subscription);
    if (rate === undefined) return undefined;
    const interval = Math.max(1, Math.ceil(rate.per / rate.count));
    const { at, next } = await reserve(subscription, interval);
    if (at === undefined) return nextFreeSlot(next, subscription, interval);
    const wait = between(clock.now(), at);
    if (wait > 0) await sleep(wait);
    return undefined;
  };
}
