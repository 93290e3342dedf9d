/**
 * Limits the concurrency and rate of each subscription, so that a slow receiver does not delay the others, and the concurrency of
 * each owner, so that a thousand slow receivers of one key do not either. Has no queue and no clock: callers pass the
 * milliseconds of a monotonic clock.
 */

import { createMapPruner } from '../model/prune-map.ts';
import type { Limits, Subscription } from '../model/subscription.ts';
import { MINUTE } from '../model/time.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';

export interface LaneLimits extends Limits {
  /** The key that made the subscription. @default - the operator did */
  readonly owner?: string | undefined;
  /** Whether people read its messages, who notice one that comes twice. @default false */
  readonly isForPeople?: boolean;
  /** Whether the subscription itself sets its concurrency: then it holds for all processes together. @default false */
  readonly isOwn?: boolean;
}

/** The limits of a subscription: its own, else those of its channel. */
export function limitsOf({ to, concurrency, rate, owner }: Subscription, channels: ChannelRegistry): LaneLimits {
  const { limits, audience } = traitsOf(channels, to);
  return {
    concurrency: concurrency ?? limits.concurrency,
    rate: rate ?? limits.rate,
    owner,
    ...(concurrency === undefined ? {} : { isOwn: true }),
    ...(audience === 'people' ? { isForPeople: true } : {}),
  };
}

/** The concurrency for a receiver that has not responded yet: it may hang. */
const INITIAL_WIDTH = 2;

interface Lane {
  inFlight: number;
  /** The current concurrency: increases by one with each success up to the limit, and drops to 1 after a failure. */
  width: number;
  /** When the rate allows the next attempt. */
  opensAt: number;
  /** Of the attempts in flight. A subscription may be removed before they end. */
  owner?: string | undefined;
  /** When the last attempt began. */
  usedAt: number;
}

/** A lane that was not used for this time starts again as a new one: subscriptions come and go. */
const MAX_IDLE_MS = 10 * MINUTE;

const isIdle = ({ inFlight, opensAt, usedAt }: Lane, now: number) =>
  inFlight === 0 && opensAt <= now && now - usedAt > MAX_IDLE_MS;

const NEW_LANE: Readonly<Lane> = { inFlight: 0, width: INITIAL_WIDTH, opensAt: 0, usedAt: 0 };

/** `unsent`: the job was stale and nothing was sent. */
export type LaneOutcome = 'success' | 'failure' | 'unsent';

/** What may begin now. Counts what was taken since it was opened, before it begins. */
interface LaneOffer {
  /** How many more attempts of the group may begin. */
  room(group: string, now: number): number;
  take(group: string, count: number): void;
}

export interface Lanes {
  /** How many more attempts may begin now. */
  room(group: string, now: number): number;
  offer(): LaneOffer;
  begin(group: string, now: number): void;
  /** An `unsent` attempt gives its send slot back. */
  end(group: string, outcome: LaneOutcome): void;
  /**
   * The earliest time at which a lane opens that had no room only because of its rate, of those asked for since the last
   * call; undefined if there is none. It may be in the past.
   */
  opensAt(): number | undefined;
}

/** What is in flight, which one after the other may count: the attempts of the one before go on while the next begins. */
export interface LaneTraffic {
  readonly lanes: Map<string, Lane>;
  /** Attempts in flight: all, and those of each owner. */
  total: number;
  readonly byOwner: Map<string, number>;
}

export const createLaneTraffic = (): LaneTraffic => ({ lanes: new Map(), total: 0, byOwner: new Map() });

/**
 * @param capacity attempts at a time over all lanes. @default - no limit, also for owners
 * @param traffic what is in flight already. @default - nothing
 */
export function createLanes(
  limits: (group: string) => LaneLimits,
  capacity: number = Number.POSITIVE_INFINITY,
  traffic: LaneTraffic = createLaneTraffic(),
): Lanes {
  const { lanes, byOwner } = traffic;
  const prune = createMapPruner(lanes, isIdle);
  const count = ({ owner }: Lane, change: 1 | -1) => {
    traffic.total += change;
    if (owner === undefined) return;
    const left = (byOwner.get(owner) ?? 0) + change;
    if (left <= 0) byOwner.delete(owner);
    else byOwner.set(owner, left);
  };
  const throttled = new Set<string>();
  const laneOf = (group: string): Readonly<Lane> => lanes.get(group) ?? NEW_LANE;
  const openLane = (group: string, now: number): Lane => {
    const existing = lanes.get(group);
    if (existing !== undefined) return existing;
    prune(now);
    const lane = { ...NEW_LANE };
    lanes.set(group, lane);
    return lane;
  };
  const room = (group: string, now: number) => {
    const { concurrency, rate } = limits(group);
    const lane = laneOf(group);
    const free = Math.min(lane.width, concurrency) - lane.inFlight;
    if (free <= 0 || rate === undefined) return Math.max(0, free);
    if (lane.opensAt <= now) return 1;
    throttled.add(group);
    return 0;
  };
  return {
    room,

    offer() {
      const taken = new Map<string, number>();
      let all = 0;
      return {
        room(group, now) {
          const { owner } = limits(group);
          if (owner === undefined) return room(group, now);
          // An owner may have as many in flight as it leaves to others: half of them alone, a third beside another such owner.
          const own = (byOwner.get(owner) ?? 0) + (taken.get(owner) ?? 0);
          const left = Math.max(0, Math.ceil((capacity - traffic.total - all - own) / 2));
          return left === 0 ? 0 : Math.min(left, room(group, now));
        },
        take(group, count) {
          all += count;
          const { owner } = limits(group);
          if (owner !== undefined) taken.set(owner, (taken.get(owner) ?? 0) + count);
        },
      };
    },

    begin(group, now) {
      const { rate, owner } = limits(group);
      const lane = openLane(group, now);
      lane.usedAt = now;
      if (lane.inFlight === 0) lane.owner = owner;
      lane.inFlight += 1;
      count(lane, 1);
      if (rate !== undefined) lane.opensAt = Math.max(now, lane.opensAt) + rate.per / rate.count;
    },

    end(group, outcome) {
      const { concurrency, rate } = limits(group);
      const lane = lanes.get(group);
      if (lane === undefined) return;
      lane.inFlight -= 1;
      count(lane, -1);
      if (outcome === 'unsent') {
        if (rate !== undefined) lane.opensAt -= rate.per / rate.count;
        return;
      }
      lane.width = outcome === 'success' ? Math.min(lane.width + 1, concurrency) : 1;
    },

    opensAt() {
      // A lane that has opened in the meantime counts too: its jobs have not been received yet.
      let earliest: number | undefined;
      for (const group of throttled) earliest = Math.min(earliest ?? Number.POSITIVE_INFINITY, laneOf(group).opensAt);
      throttled.clear();
      return earliest;
    },
  };
}
