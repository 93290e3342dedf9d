/**
 * Names the one cause for which an open delivery is not attempted now, by the rules that `deliver` follows. The console,
 * `explain`, `deliveries` and the API all ask here. Reads only.
 */

import { deliverAt } from '../events/deliver-at.ts';
import { attemptsMade, type Delivery, QUEUE_AHEAD, QUEUE_GRACE } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import { between, type Clock, type Instant, plus, SECOND } from '../model/time.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { findWait, zoneOfDelivery } from './find-wait.ts';
import { isOpen, pauseOf } from './receivers/health.ts';
import type { Health } from './receivers/health-state.ts';
import { readHealth } from './receivers/subscription-state.ts';
import { isPostponed } from './retry.ts';

/**
 * The causes of `Wait`, and others. `digest`: its fixed time; `gathering`: more events may come; `retry`: the last attempt
 * failed; `spread`: many are sent again, one after the other; `subscription-paused`: by a person; `subscription-disabled`:
 * its receiver failed for days or is gone.
 */
export const DELAY_CAUSES = [
  'receiver-paused',
  'day-start',
  'quiet-hours',
  'snoozed',
  'rate-limit',
  'digest',
  'gathering',
  'retry',
  'spread',
  'subscription-paused',
  'subscription-disabled',
] as const;
type DelayCause = (typeof DELAY_CAUSES)[number];

export interface Delay {
  readonly because: DelayCause;
  /** Null: until a person resumes the subscription. */
  readonly until: Instant | null;
  /** The last error of the receiver. @default - the cause is no error */
  readonly reason?: string;
  /** Since when events are gathered. @default - the cause is another one */
  readonly since?: Instant;
}

export interface ExplainWaitPorts {
  readonly snapshots: Pick<SnapshotStore, 'get'>;
  readonly events: Pick<EventStore, 'getMany'>;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
  readonly zoneOf: (source: string) => Promise<string>;
}

/** Undefined: it is over, or its attempt is being made. @param subscription undefined if it was removed */
export async function explainWait(
  ports: ExplainWaitPorts,
  delivery: Delivery,
  subscription: Subscription | undefined,
): Promise<Delay | undefined> {
  if (delivery.status !== 'held' && delivery.status !== 'pending' && delivery.status !== 'waiting') return undefined;
  const health = await readHealth(ports, delivery.subscription);
  if (!isOpen(health) && health.probe !== delivery.id) return explainHold(health);
  if (delivery.status === 'held') return undefined;
  const now = ports.clock.now();
  const planned = await explainPlan(ports, delivery, subscription);
  const paused = pauseOf(health, now);
  // What waited for the receiver is spread after the pause.
  const isPlanned = planned !== undefined && planned.because !== 'spread';
  const isPauseOver = paused !== null && isPlanned && (planned.until ?? '') > paused.until;
  if (paused !== null && delivery.mark !== 'test' && !isPauseOver) {
    return { because: 'receiver-paused', until: paused.until, ...withReason(paused.reason) };
  }
  const eventsOf = (one: Delivery) => ports.events.getMany(one.events);
  const wait = await findWait({ ...ports, eventsOf }, delivery, subscription, health);
  // A wait that ends before the attempt is due does not delay it.
  if (wait !== undefined && wait.until > now && wait.until >= (delivery.dueAt ?? '')) return wait;
  return planned;
}

function explainHold({ state, reason }: Health): Delay {
  return state === 'disabled'
    ? { because: 'subscription-disabled', until: null, ...withReason(reason) }
    : { because: 'subscription-paused', until: null };
}

const withReason = (reason: string | null | undefined) => (typeof reason === 'string' ? { reason } : {});

/** What its own due time comes from. */
async function explainPlan(
  ports: ExplainWaitPorts,
  delivery: Delivery,
  subscription: Subscription | undefined,
): Promise<Delay | undefined> {
  const { dueAt, slot, attempts, status } = delivery;
  const now = ports.clock.now();
  if (dueAt === null) return undefined;
  if (slot !== undefined && slot.at > now) return { because: 'rate-limit', until: slot.at };
  const last = attempts.at(-1);
  if (last !== undefined && attemptsMade(delivery) > 0 && dueAt > now) {
    return { because: 'retry', until: dueAt, ...withReason(last.message ?? last.code) };
  }
  if (status === 'pending') return isPostponed(delivery, now) ? { because: 'spread', until: dueAt } : undefined;
  if (delivery.standing !== undefined) return dueAt > now ? { because: 'digest', until: dueAt } : undefined;
  const [first] = await ports.events.getMany(delivery.events.slice(0, 1));
  const own = first && subscription && (await replan(ports, delivery, subscription, first));
  if (own !== undefined) return own;
  return isPostponed(delivery, now) ? guessPlan(delivery, subscription, dueAt) : undefined;
}

/** The time that was computed when it was opened, with its reason; undefined if it is over or was changed since. */
async function replan(
  ports: ExplainWaitPorts,
  delivery: Delivery,
  subscription: Subscription,
  event: TidingsEvent,
): Promise<Delay | undefined> {
  const { createdAt, dueAt } = delivery;
  const zone = await zoneOfDelivery(ports, delivery);
  const channel = traitsOf(ports.channels, subscription.to);
  const { dueAt: until, because } = deliverAt(subscription, channel, event, { now: createdAt, zone });
  if (until === undefined || because === undefined || until <= ports.clock.now()) return undefined;
  // Tick moves the due time by the grace period when it queues the delivery.
  const isUnchanged = dueAt !== null && dueAt >= until && dueAt <= plus(until, QUEUE_AHEAD + QUEUE_GRACE);
  return isUnchanged ? { because, until, ...(because === 'gathering' ? { since: createdAt } : {}) } : undefined;
}

/** For a delivery whose subscription has other settings by now. */
function guessPlan({ notBefore }: Delivery, subscription: Subscription | undefined, until: Instant): Delay {
  if (notBefore !== undefined && until >= notBefore) return { because: 'day-start', until };
  return { because: subscription?.digest === undefined ? 'gathering' : 'digest', until };
}

/** `quiet hours until 08:00`. @param formatTime `08:00`, or with its day */
export function sayDelay({ because, until, reason, since }: Delay, formatTime: (at: Instant) => string): string {
  const at = until === null ? '' : formatTime(until);
  const why = reason === undefined ? '' : `: ${reason}`;
  switch (because) {
    case 'quiet-hours':
      return `quiet hours until ${at}`;
    case 'digest':
      return `digest at ${at}`;
    case 'day-start':
      return `start of the readers’ day at ${at}`;
    case 'gathering':
      return since === undefined || until === null
        ? `gathering events until ${at}`
        : `gathering events for ${Math.round(between(since, until) / SECOND)} s, until ${at}`;
    case 'snoozed':
      return `snoozed until ${at}`;
    case 'rate-limit':
      return `the rate limit allows it at ${at}`;
    case 'spread':
      return `sent again with many others, one after the other: at ${at}`;
    case 'receiver-paused':
      return `the receiver is paused until ${at}${why}`;
    case 'retry':
      return `the last attempt failed${why}; next attempt at ${at}`;
    case 'subscription-paused':
      return 'the subscription is paused; it is sent when it is resumed';
    case 'subscription-disabled':
      return `the subscription is disabled${why}; it is sent when it is resumed`;
  }
}
