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
  readonly turns: RateLimiter;
  readonly clock: Clock;
}

/** Reserves a slot before each attempt of one invocation. `patience`: how long it may wait for one. */
export function shareRateLimit({ limits, turns, clock }: RateLimitPorts, patience: () => Duration) {
  // Concurrent reservations of one subscription would conflict in the table, so they run one after the other.
  const pending = new Map<string, Promise<unknown>>();
  const reserve = (subscription: string, turn: Duration): Promise<Slot> => {
    const take = () => {
      const now = clock.now();
      const until = plus(now, Math.max(0, Math.floor(patience())));
      return turns.reserve(subscription, { interval: turn, until }, now);
    };
    const taken = (pending.get(subscription) ?? Promise.resolve()).then(take, take);
    pending.set(subscription, taken);
    return taken;
  };
  const rescheduled = new Map<string, Instant>();
  /** Spreads rescheduled attempts one slot apart: all at once, most would find the slot taken again. */
  const nextFreeSlot = (next: Instant, subscription: string, turn: Duration): Instant => {
    const given = rescheduled.get(subscription) ?? next;
    const place = given > next ? given : next;
    rescheduled.set(subscription, plus(place, turn));
    return place;
  };
  return async (subscription: string): Promise<Instant | undefined> => {
    const { rate } = limits(subscription);
    if (rate === undefined) return undefined;
    const turn = Math.max(1, Math.ceil(rate.per / rate.count));
    const { at, next } = await reserve(subscription, turn);
    if (at === undefined) return nextFreeSlot(next, subscription, turn);
    const wait = between(clock.now(), at);
    if (wait > 0) await sleep(wait);
    return undefined;
  };
}
