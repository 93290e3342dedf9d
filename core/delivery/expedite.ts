/** Moves the deliveries of a receiver that is back to an earlier time: all of them, at a rate that starts low and grows. */

import { attemptsMade, type Delivery, QUEUE_AHEAD, QUEUE_GRACE } from '../model/delivery.ts';
import { between, type Clock, DAY, type Duration, type Instant, MINUTE, plus, SECOND } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import { forEachPage, type PageTurns } from './page-turns.ts';
import type { Health } from './receivers/health-state.ts';
import { receiverAttempt } from './receivers/own-faults.ts';
import { changeHealth, type HealthPorts } from './receivers/subscription-state.ts';
import { nextDelay } from './schedule.ts';

export interface ExpeditePorts extends Pick<PageTurns, 'betweenPages' | 'pace'> {
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
}

interface ExpediteOptions {
  /** Who made the subscription. @default - the operator */
  readonly owner?: string | undefined;
  readonly signal?: Pick<AbortSignal, 'aborted'> | undefined;
  /** Called after each page with the time that it took. */
  readonly onPage?: (took: Duration) => void;
}

/** A full page in flight is finished within seconds. After this time a process that died is replaced. */
const CATCH_UP_TIME: Duration = 5 * MINUTE;

/** The rate at the start, and by how much it grows each second: 10,000 deliveries take five minutes. */
const FIRST_PER_SECOND = 10;
const GROWTH_PER_SECOND = 1 / 6;

/** Callers name the index: a delivery whose time is years away would keep its event for as long. */
const MAX_RAMP: Duration = DAY;

/** The time of the delivery with this index (from 0), so that a receiver is not hit by all of them at once. */
export function rampUp(start: Instant, index: number): Instant {
  const seconds =
    (Math.sqrt(FIRST_PER_SECOND ** 2 + 2 * GROWTH_PER_SECOND * index) - FIRST_PER_SECOND) / GROWTH_PER_SECOND;
  return plus(start, Math.min(MAX_RAMP, Math.floor(seconds) * SECOND));
}

/**
 * Retries all pending deliveries of a receiver that is back, oldest first. Skips those whose last early retry failed: the
 * receiver rejects that delivery, and each success of another one would use up one more of its attempts. Returns whether it
 * has finished.
 */
export async function expedite(
  { deliveries, clock, betweenPages, pace }: ExpeditePorts,
  subscription: string,
  { owner, signal, onPage }: ExpediteOptions = {},
): Promise<boolean> {
  const now = clock.now();
  // Deliveries due before that may already be queued: a second job would make the same attempt concurrently.
  const soon = plus(now, QUEUE_AHEAD + QUEUE_GRACE);
  let moved = 0;
  let turnFrom = now;
  const onTurn = () => {
    turnFrom = clock.now();
  };
  const query = { status: 'pending', subscription, only: 'delayed' } as const;
  return forEachPage({ deliveries, owner, onTurn, betweenPages, pace }, query, async (page) => {
    if (signal?.aborted === true) return false;
    const late = page.filter((one) => one.dueAt !== null && one.dueAt > soon && !isInSlot(one) && !cameEarly(one));
    await Promise.all(
      late.map(async (delivery, index) => {
        const dueAt = rampUp(now, moved + index);
        if (dueAt < (delivery.dueAt ?? '')) await deliveries.update(delivery, { ...delivery, dueAt });
      }),
    );
    moved += late.length;
    onPage?.(Math.max(0, between(turnFrom, clock.now())));
    return true;
  });
}

/** Whether it waits for its send slot, which the rate does not allow to come earlier. */
const isInSlot = ({ slot, dueAt }: Delivery) => slot !== undefined && slot.at === dueAt;

/** Whether its last attempt was made earlier than scheduled. */
function cameEarly(delivery: Delivery): boolean {
  const [before, last] = delivery.attempts.slice(-2);
  const soonest = nextDelay(receiverAttempt(delivery.attempts, attemptsMade(delivery)) - 1, 0);
  return before !== undefined && last !== undefined && soonest !== undefined && between(before.at, last.at) < soonest;
}

/**
 * After a success that ended an outage: expedites what waited. The health keeps a mark until all of it is done, so that a
 * later success continues if the process dies or runs out of time. @param endedAt when the successful attempt ended
 */
export async function catchUp(
  ports: ExpeditePorts & HealthPorts,
  subscription: string,
  health: Health,
  endedAt: Instant,
  options: Omit<ExpediteOptions, 'onPage'> = {},
): Promise<void> {
  // The mark stays: a later success continues.
  if (isResting(ports, subscription)) return;
  const startedAt = health.catchUp === endedAt ? endedAt : await takeOver(ports, subscription, health);
  if (startedAt === undefined || !(await expediteAndRest(ports, subscription, options))) return;
  await changeHealth(ports, subscription, 'delivery', (before) =>
    before.catchUp === startedAt ? { ...before, catchUp: null } : before,
  );
}

/**
 * A receiver that fails and succeeds in turn ends an outage several times a second, and thousands of deliveries may wait for it: to
 * read them takes at most this part of the time.
 */
const REST_PER_RUN = 20;
const MAX_RESTING = 10_000;

/** Until when what waits for a subscription is not read again, by store. In this process only. */
const resting = new WeakMap<object, Map<string, Instant>>();

function isResting({ deliveries, clock }: ExpeditePorts, subscription: string): boolean {
  const until = resting.get(deliveries)?.get(subscription);
  // A clock that was put back does not prolong it.
  return until !== undefined && until > clock.now() && between(clock.now(), until) <= CATCH_UP_TIME;
}

async function expediteAndRest(
  ports: ExpeditePorts,
  subscription: string,
  options: Omit<ExpediteOptions, 'onPage'>,
): Promise<boolean> {
  const { deliveries, clock } = ports;
  const known = resting.get(deliveries) ?? new Map<string, Instant>();
  resting.set(deliveries, known);
  // Others of the same receiver succeed meanwhile. It may wait for its turn.
  known.set(subscription, plus(clock.now(), CATCH_UP_TIME));
  let worked = 0;
  const onPage = (took: Duration) => {
    worked += took;
  };
  try {
    return await expedite(ports, subscription, { ...options, onPage });
  } finally {
    if (known.size >= MAX_RESTING) known.clear();
    known.set(subscription, plus(clock.now(), Math.min(CATCH_UP_TIME, worked * REST_PER_RUN)));
  }
}

/** Undefined if nothing is left to do, or another process does it. */
async function takeOver(ports: HealthPorts, subscription: string, { catchUp }: Health): Promise<Instant | undefined> {
  const now = ports.clock.now();
  if (catchUp === null || Math.abs(between(catchUp, now)) < CATCH_UP_TIME) return undefined;
  const after = await changeHealth(ports, subscription, 'delivery', (before) =>
    before.catchUp === catchUp ? { ...before, catchUp: now } : before,
  );
  return after.catchUp === now ? now : undefined;
}
