/**
 * Limits the concurrency and rate of each subscription, so that a slow receiver does not delay the others. Has no queue
 * and no clock: callers pass the milliseconds of a monotonic clock.
 */

import type { Limits, Subscription } from '../model/subscription.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';

/** The limits of a subscription: its own, else those of its channel. */
export function limitsOf({ to, concurrency, rate }: Subscription, channels: ChannelRegistry): Limits {
  const { limits } = traitsOf(channels, to);
  return { concurrency: concurrency ?? limits.concurrency, rate: rate ?? limits.rate };
}

/** The concurrency for a receiver that has not responded yet: it may hang. */
const INITIAL_WIDTH = 2;

interface Lane {
  inFlight: number;
  /** The current concurrency: increases by one with each success up to the limit, and drops to 1 after a failure. */
  width: number;
  /** When the rate allows the next attempt. */
  opensAt: number;
}

/** `unsent`: the job was stale and nothing was sent. */
export type LaneOutcome = 'success' | 'failure' | 'unsent';

export interface Lanes {
  /** How many more attempts may begin now. */
  room(group: string, now: number): number;
  begin(group: string, now: number): void;
  /** An `unsent` attempt gives its send slot back. */
  end(group: string, outcome: LaneOutcome): void;
  /**
   * The earliest time at which a lane opens that had no room only because of its rate, of those asked for since the last
   * call; undefined if there is none. It may be in the past.
   */
  opensAt(): number | undefined;
}

export function createLanes(limits: (group: string) => Limits): Lanes {
  const lanes = new Map<string, Lane>();
  const throttled = new Set<string>();
  const laneOf = (group: string): Lane => {
    const existing = lanes.get(group);
    if (existing !== undefined) return existing;
    const lane = { inFlight: 0, width: INITIAL_WIDTH, opensAt: 0 };
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
      throttled.add(group);
      return 0;
    },

    begin(group, now) {
      const { rate } = limits(group);
      const lane = laneOf(group);
      lane.inFlight += 1;
      if (rate !== undefined) lane.opensAt = Math.max(now, lane.opensAt) + rate.per / rate.count;
    },

    end(group, outcome) {
      const { concurrency, rate } = limits(group);
      const lane = laneOf(group);
      lane.inFlight -= 1;
      if (outcome === 'unsent') {
        if (rate !== undefined) lane.opensAt -= rate.per / rate.count;
        return;
      }
      lane.width = outcome === 'success' ? Math.min(lane.width + 1, concurrency) : 1;
    },

    opensAt() {
      // A lane that has opened in the meantime counts too: its jobs have not been received yet.
      const waiting = [...throttled].map((group) => laneOf(group).opensAt);
      throttled.clear();
      return waiting.length === 0 ? undefined : Math.min(...waiting);
    },
  };
}
