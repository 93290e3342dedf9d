/**
 * Decides how many attempts each subscription may have in hand, and how soon after each other: one slow receiver takes
 * its own room, never that of another. Knows no queue and no clock; milliseconds of any steady clock will do.
 */

import type { Limits, Subscription } from '../model/subscription.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';

/** The limits of a subscription: its own, else those of its channel. */
export function limitsOf({ to, concurrency, rate }: Subscription, channels: ChannelRegistry): Limits {
  const { limits } = traitsOf(channels, to);
  return { concurrency: concurrency ?? limits.concurrency, rate: rate ?? limits.rate };
}

/** A receiver nobody has heard of yet: it may turn out to hang. */
const FIRST_WIDTH = 2;

interface Lane {
  inFlight: number;
  /** How many at once, for now: one more with each success up to the limit, one alone after a failure. */
  width: number;
  /** When the next may begin. */
  opensAt: number;
}

export interface Lanes {
  /** How many more may begin now. */
  room(group: string, now: number): number;
  begin(group: string, now: number): void;
  /** `nothing`: the job was stale and nothing was sent, so that its turn is given back. */
  end(group: string, went: 'well' | 'badly' | 'nothing'): void;
  /** When the first lane opens, or opened, that only its rate kept shut when room was asked for; undefined: none did. */
  opensAt(): number | undefined;
}

export function createLanes(limits: (group: string) => Limits): Lanes {
  const lanes = new Map<string, Lane>();
  const shut = new Set<string>();
  const laneOf = (group: string): Lane => {
    const known = lanes.get(group);
    if (known !== undefined) return known;
    const lane = { inFlight: 0, width: FIRST_WIDTH, opensAt: 0 };
    lanes.set(group, lane);
    return lane;
  };
  return {
    room(group, now) {
      const { concurrency, rate } = limits(group);
      const lane = laneOf(group);
      const free = Math.min(lane.width, concurrency) - lane.inFlight;
      if (free <= 0 || rate === undefined) return Math.max(0, free);
      if (lane.opensAt <= now) return 1;
      shut.add(group);
      return 0;
    },

    begin(group, now) {
      const { rate } = limits(group);
      const lane = laneOf(group);
      lane.inFlight += 1;
      if (rate !== undefined) lane.opensAt = Math.max(now, lane.opensAt) + rate.per / rate.count;
    },

    end(group, went) {
      const { concurrency, rate } = limits(group);
      const lane = laneOf(group);
      lane.inFlight -= 1;
      if (went === 'nothing') {
        if (rate !== undefined) lane.opensAt -= rate.per / rate.count;
        return;
      }
      lane.width = went === 'well' ? Math.min(lane.width + 1, concurrency) : 1;
    },

    opensAt() {
      // One that opened since it was found shut counts too: nobody has looked at it again.
      const waiting = [...shut].map((group) => laneOf(group).opensAt);
      shut.clear();
      return waiting.length === 0 ? undefined : Math.min(...waiting);
    },
  };
}
