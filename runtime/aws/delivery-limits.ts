/**
 * How fast the deliver functions may send. How many attempts at a time is for each of them to say; the turns of a rate they
 * share, so that a rate is one however many functions there are.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createLanes, type Lanes } from '../../core/delivery/lanes.ts';
import type { Limits } from '../../core/model/subscription.ts';
import { between, type Clock, type Duration, type Instant, plus } from '../../core/model/time.ts';
import type { ChannelRegistry } from '../../core/ports/channel.ts';
import type { RateLimiter, Slot } from '../../core/ports/rate-limiter.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import { watchLimits } from '../embedded/watch-limits.ts';

/** Kept from call to call: a receiver that failed is met with care by the next batch too. */
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

/** What `deliver` of the core waits for, in one call. `patience`: for how long it can. */
export function shareRateLimit({ limits, turns, clock }: RateLimitPorts, patience: () => Duration) {
  // Side by side they would only be in each other's way: in one function they ask one after the other.
  const lines = new Map<string, Promise<unknown>>();
  const inLine = (subscription: string, turn: Duration): Promise<Slot> => {
    const take = () => {
      const now = clock.now();
      const until = plus(now, Math.max(0, Math.floor(patience())));
      return turns.reserve(subscription, { interval: turn, until }, now);
    };
    const taken = (lines.get(subscription) ?? Promise.resolve()).then(take, take);
    lines.set(subscription, taken);
    return taken;
  };
  const places = new Map<string, Instant>();
  /** Each who has to go gets a place a turn after the one before: all at once they would find it shut again. */
  const placeAfter = (next: Instant, subscription: string, turn: Duration): Instant => {
    const given = places.get(subscription) ?? next;
    const place = given > next ? given : next;
    places.set(subscription, plus(place, turn));
    return place;
  };
  return async (subscription: string): Promise<Instant | undefined> => {
    const { rate } = limits(subscription);
    if (rate === undefined) return undefined;
    const turn = Math.max(1, Math.ceil(rate.per / rate.count));
    const { at, next } = await inLine(subscription, turn);
    if (at === undefined) return placeAfter(next, subscription, turn);
    const wait = between(clock.now(), at);
    if (wait > 0) await sleep(wait);
    return undefined;
  };
}
