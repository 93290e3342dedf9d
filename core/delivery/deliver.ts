/**
 * Makes one attempt at a delivery and records its outcome. The only place that talks to receivers.
 * If the process dies at any line, the job is received again, and the receiver may get the same event id twice.
 */

import { type Attempt, attemptsMade, type Delivery, withAttempt } from '../model/delivery.ts';
import { errorMessage, GiveUp, RetryLater } from '../model/errors.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Target } from '../model/subscription.ts';
import { between, type Clock, type Instant, plus, SECOND } from '../model/time.ts';
import type { Agenda } from '../ports/agenda.ts';
import type { Channel, ChannelRegistry, OutboundMessage, Receipt } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { LeaseStore } from '../ports/lease-store.ts';
import type { Job } from '../ports/queue.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import type { ThreadStore } from '../ports/thread-store.ts';
import { type BuildMessageOptions, buildMessage, saveThread } from './build-message.ts';
import { gather } from './gather.ts';
import { type Health, isOpen, type Observation, observe, PROBE_EVERY } from './health.ts';
import { expedite, hold, postponeAttempt, releaseIfOpen } from './hold.ts';
import { nextDelay } from './schedule.ts';
import { changeHealth, readHealth } from './subscription-state.ts';

export interface DeliverPorts {
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly agenda: Agenda;
  readonly subscriptions: SubscriptionStore;
  readonly threads: ThreadStore;
  readonly leases: LeaseStore;
  readonly snapshots: SnapshotStore;
  readonly channels: ChannelRegistry;
  readonly channelFor: (target: Target) => Channel;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** The time zone in which messages show the times of a source. */
  readonly zoneOf: (source: string) => Promise<string>;
  /**
   * Waits for the next send slot of a receiver whose rate several processes share. Returns undefined once the slot has
   * come, or the time of a slot that is too far away to wait for. @default - the lanes of this process keep every rate
   */
  readonly waitForSlot?: (delivery: Delivery) => Promise<Instant | undefined>;
  /**
   * Saves the delivery after its attempt. Returns false when that attempt is already recorded. A runtime can acknowledge the
   * job in the same write. @default - `deliveries.saveAttempt`
   */
  readonly saveOutcome?: (delivery: Delivery) => Promise<boolean>;
}

/** The result of an attempt, for logs and observers. */
export interface DeliveryResult {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  /** The events that were sent; if none was, the events of the delivery. */
  readonly events: readonly TidingsEvent[];
}

/**
 * Undefined when nothing was attempted: the job was stale (its attempt was made before, or its delivery is over), the
 * subscription is paused or disabled and the delivery is held now, or its send slot is later and it was postponed.
 */
export async function deliver(
  ports: DeliverPorts,
  job: Job,
  signal?: AbortSignal,
): Promise<DeliveryResult | undefined> {
  const { deliveries, subscriptions, saveOutcome = deliveries.saveAttempt } = ports;
  const found = await deliveries.get(job.delivery);
  if (found === undefined || attemptsMade(found) !== job.attempt - 1) return undefined;
  if (found.status !== 'pending' && found.status !== 'waiting') return undefined;
  const subscription = await subscriptions.get(found.subscription);
  const open = await checkOpen(ports, found);
  if (open === undefined) return undefined;
  const delivery = found.status === 'waiting' ? await gather(ports, found) : found;
  if (delivery === undefined) return undefined;
  // A probe that was gathered continues as the group.
  const ready = delivery.id === found.id ? open : await checkOpen(ports, delivery);
  if (ready === undefined) return undefined;
  // Reserve the rate-limit slot last, so that an aborted attempt does not waste it.
  const health = await awaitSlot(ports, delivery, ready);
  if (health === undefined) return undefined;
  const events = await ports.events.getMany(delivery.events);
  const made = await makeAttempt(ports, { delivery, subscription, health, events }, signal);
  const seen = toObservation(delivery, made);
  // The common case, a healthy receiver, costs neither a read nor a write. The health is saved before the attempt: if the
  // process dies in between, the attempt is made and observed again.
  const isNews = seen !== undefined && observe(health, seen) !== health;
  const after = isNews
    ? await changeHealth(ports, delivery.subscription, 'delivery', (now) => observe(now, seen))
    : health;
  const next = nextDelivery(delivery, made, after, ports);
  if (!(await saveOutcome(next))) return undefined;
  if (next.status === 'held') await releaseIfOpen(ports, next);
  // One success shows that the receiver is back: its other deliveries need not wait for their next retry.
  if (health.failingSince !== null && after.failingSince === null) await expedite(ports, delivery.subscription);
  return { delivery: next, attempt: made.record, events: made.sent ?? events };
}

/**
 * Returns the health of the subscription if the delivery may be attempted; otherwise holds the delivery. While a
 * subscription is disabled, one delivery probes it from time to time: without an open probe, the next delivery becomes it.
 */
async function checkOpen(ports: DeliverPorts, delivery: Delivery): Promise<Health | undefined> {
  const { id, subscription, mark } = delivery;
  const health = await readHealth(ports, subscription);
  if (mark === 'test' || isOpen(health) || health.probe === id) return health;
  const after = health.state === 'disabled' && !health.gone ? await becomeProbe(ports, delivery, health) : health;
  if (after.probe === id || isOpen(after)) return after;
  await hold(ports, delivery);
  return undefined;
}

/** After a shorter wait, reading the delivery again is not worth its cost. */
const RECHECK_AFTER_WAIT = SECOND;

/**
 * Returns the health once the send slot has come; otherwise postpones the delivery. Reads both again after a long wait: a
 * person may have paused the subscription, or another job may have made this attempt.
 */
async function awaitSlot(ports: DeliverPorts, seen: Delivery, health: Health): Promise<Health | undefined> {
  const { deliveries, agenda, clock, waitForSlot } = ports;
  const askedAt = clock.now();
  const later = await waitForSlot?.(seen);
  if (later !== undefined) {
    await postponeAttempt(agenda, seen, later);
    return undefined;
  }
  if (between(askedAt, clock.now()) < RECHECK_AFTER_WAIT) return health;
  const now = await deliveries.get(seen.id);
  const isStill = now?.status === seen.status && attemptsMade(now) === attemptsMade(seen);
  return isStill ? checkOpen(ports, now) : undefined;
}

async function becomeProbe(ports: DeliverPorts, { id, subscription }: Delivery, health: Health): Promise<Health> {
  const probe = health.probe === null ? undefined : await ports.deliveries.get(health.probe);
  if (typeof probe?.dueAt === 'string') return health;
  return changeHealth(ports, subscription, 'delivery', (before) =>
    before.state === 'disabled' && before.probe === health.probe ? { ...before, probe: id } : before,
  );
}

interface AttemptResult {
  readonly record: Attempt;
  /** Milliseconds the receiver asked us to wait. */
  readonly asked?: number | undefined;
  /** The receiver responded with 410 Gone or its equivalent. */
  readonly gone?: boolean;
  /** The events that were sent. @default - none */
  readonly sent?: readonly TidingsEvent[];
}

async function makeAttempt(
  ports: DeliverPorts,
  options: BuildMessageOptions,
  signal: AbortSignal | undefined,
): Promise<AttemptResult> {
  const { clock } = ports;
  const at = clock.now();
  const number = attemptsMade(options.delivery) + 1;
  try {
    const message = await buildMessage(ports, options, at);
    if (message === undefined) {
      return { record: { number, at, ms: 0, outcome: 'skipped', message: 'skipped: all events are outdated' } };
    }
    const receipt = await ports.channelFor(message.subscription.to).send(message, signal);
    const { thread: _, remark, ...response } = await withThread(ports.threads, message, receipt);
    const record: Attempt = { number, at, ms: between(at, clock.now()), outcome: 'accepted', ...response };
    // A message on a success is a remark.
    return { record: remark === undefined ? record : { ...record, message: remark }, sent: message.events };
  } catch (error) {
    // An unexpected error is retried like a receiver's failure, so that a bug does not lose events.
    const known = error instanceof RetryLater || error instanceof GiveUp ? error : undefined;
    return {
      record: {
        number,
        at,
        ms: between(at, clock.now()),
        outcome: error instanceof GiveUp ? 'gave-up' : 'retry',
        code: known?.code ?? 'TIDINGS_DELIVERY_UNEXPECTED',
        message: errorMessage(error),
        ...known?.evidence,
      },
      asked: error instanceof RetryLater ? error.after : undefined,
      gone: error instanceof GiveUp && error.gone,
    };
  }
}

/** The receiver has the message: if saving the thread fails, the next message starts a new thread, and this one is not resent. */
async function withThread(threads: ThreadStore, message: OutboundMessage, receipt: Receipt): Promise<Receipt> {
  if (receipt.thread === undefined) return receipt;
  try {
    await saveThread(threads, message, receipt.thread);
    return receipt;
  } catch (error) {
    return { remark: `delivered, but saving the thread id failed: ${errorMessage(error)}`, ...receipt };
  }
}

/** Undefined if the attempt shows nothing about the receiver. */
function toObservation({ id, mark }: Delivery, { record, gone = false }: AttemptResult): Observation | undefined {
  if (record.outcome === 'skipped' || OURS.has(record.code ?? '')) return undefined;
  // A failing test is reported only to the person who started it.
  if (mark === 'test' && record.outcome !== 'accepted') return undefined;
  return {
    outcome: gone ? 'gone' : record.outcome === 'retry' ? 'failed' : record.outcome,
    at: record.at,
    delivery: id,
    attempt: record.number,
    reason: record.message ?? null,
  };
}

/** Error codes that say nothing about the receiver. */
const OURS: ReadonlySet<string> = new Set(['TIDINGS_DELIVERY_SUBSCRIPTION_GONE', 'TIDINGS_DELIVERY_EVENT_GONE']);

function nextDelivery(
  delivery: Delivery,
  { record, asked }: AttemptResult,
  health: Health,
  ports: DeliverPorts,
): Delivery {
  const { clock, random } = ports;
  const attempts = withAttempt(delivery.attempts, record);
  const now = clock.now();
  const over = { ...delivery, attempts, settledAt: now, dueAt: null };
  if (record.outcome === 'accepted' || record.outcome === 'skipped') return { ...over, status: 'settled' };
  if (delivery.mark === 'test') return { ...over, status: 'failed' };
  if (health.state === 'disabled' && !OURS.has(record.code ?? '')) {
    if (health.probe !== delivery.id) return { ...delivery, attempts, status: 'held', dueAt: null };
    return { ...delivery, attempts, dueAt: plus(now, Math.round(PROBE_EVERY * (0.8 + 0.4 * random()))) };
  }
  const delay = record.outcome === 'retry' ? nextDelay(record.number, random(), asked) : undefined;
  return delay === undefined ? { ...over, status: 'failed' } : { ...delivery, attempts, dueAt: plus(now, delay) };
}
