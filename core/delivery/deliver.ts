/**
 * Makes one attempt at a delivery and records its outcome. The only place that talks to receivers.
 * If the process dies at any line, the job is received again, and the receiver may get the same event id twice.
 */

import type { PresentPorts } from '../messages/describe-present.ts';
import { type Attempt, type Delivery, withAttempt } from '../model/delivery.ts';
import { type ErrorCode, saysNothingOfReceiver } from '../model/error-codes.ts';
import type { TidingsEvent } from '../model/event.ts';
import { listFormerNames } from '../model/former-names.ts';
import type { Pace } from '../model/pace.ts';
import { isIncarnation, type Subscription, type Target } from '../model/subscription.ts';
import { type Clock, type Instant, plus } from '../model/time.ts';
import type { Agenda } from '../ports/agenda.ts';
import type { Channel, ChannelRegistry } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { LeaseStore } from '../ports/lease-store.ts';
import type { AttemptJob } from '../ports/queue.ts';
import type { RequestLimiter } from '../ports/request-limiter.ts';
import type { ScanStateStore } from '../ports/scan-state-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import type { ThreadStore } from '../ports/thread-store.ts';
import { type AwaitSlotPorts, awaitSlot } from './await-slot.ts';
import { checkOpen } from './check-open.ts';
import { type ClaimPorts, claimAttempt, findDelivery } from './claim.ts';
import { enterLane, postponeIfPaused } from './enter-lane.ts';
import { catchUp } from './expedite.ts';
import { fanOut } from './fan-out.ts';
import { type EventsOf, findSnoozeWait, findWait } from './find-wait.ts';
import { gather } from './gather.ts';
import { giveUp } from './give-up.ts';
import { postpone, releaseIfOpen } from './hold.ts';
import { limitAnnouncements } from './limit-announcements.ts';
import { type AttemptResult, makeAttempt } from './make-attempt.ts';
import { isOpen, type Observation, observe, observeTemplate, PROBE_EVERY } from './receivers/health.ts';
import type { Health } from './receivers/health-state.ts';
import { delayAfterOwnFault, LASTING_FAULTS, receiverAttempt } from './receivers/own-faults.ts';
import { findRenamed, followRename } from './receivers/rename.ts';
import { changeHealth } from './receivers/subscription-state.ts';
import { nextDelay } from './schedule.ts';
import { type Dropped, type Stale, stale, type Unattempted } from './unattempted.ts';

export interface DeliverPorts {
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly agenda: Agenda;
  readonly subscriptions: SubscriptionStore;
  readonly threads: ThreadStore;
  readonly leases: LeaseStore;
  readonly snapshots: SnapshotStore;
  /** When the data of an open digest were last read. */
  readonly scanStates: Pick<ScanStateStore, 'get'>;
  /** With the event types of the config. @default - there are none */
  readonly config?: PresentPorts['config'];
  readonly channels: ChannelRegistry;
  readonly channelFor: (target: Target) => Channel;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** The time zone in which messages show the times of a source. */
  readonly zoneOf: (source: string) => Promise<string>;
  /** See `AwaitSlotPorts`. @default - the lanes of this process keep every rate */
  readonly waitForSlot?: AwaitSlotPorts['waitForSlot'];
  /**
   * Saves the delivery after its attempt. Returns false when that attempt is already recorded. A runtime can acknowledge the
   * job in the same write. @default - `deliveries.saveAttempt`
   */
  readonly saveOutcome?: (delivery: Delivery) => Promise<boolean>;
  /** Keeps the claim of an attempt that takes long, see `ClaimPorts`. @default - no attempt takes longer than its claim */
  readonly keepAlive?: ClaimPorts['keepAlive'];
  /** Counts the announced failures of each key. @default - all are announced */
  readonly requestLimiter?: RequestLimiter;
  /** Removes a REST hook whose receiver answered 410 Gone. @default - it stays, disabled */
  readonly removeGone?: (subscription: Subscription) => Promise<void>;
  /** Adds to the audit trail that a subscription was paused because of its template. @default - no trail is kept */
  readonly recordPause?: (subscription: string, reason: string) => Promise<void>;
  /** Lets other work run while everything that waits for a receiver is read. @default - in one go */
  readonly betweenPages?: Pace;
  /** The same while many filters are matched. @default - in one go */
  readonly pace?: Pace;
}

/** The result of an attempt, for logs and observers. */
export interface DeliveryResult {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  /** The events that were sent; if none was, the events of the delivery. */
  readonly events: readonly TidingsEvent[];
  /** The channel of the subscription. @default - unknown: the subscription no longer exists */
  readonly channel?: string;
  /** Who made the subscription. @default - the operator */
  readonly owner?: string | undefined;
}

/** `duplicate`: an attempt was made, but another job had already recorded it: the receiver may have got the message twice. */
export type DeliverOutcome =
  | { readonly kind: 'attempted'; readonly result: DeliveryResult }
  | { readonly kind: 'duplicate' }
  | Unattempted;

export interface DeliverJobOptions {
  /** Aborts the attempt. @default - it takes its time */
  readonly signal?: AbortSignal;
  /** The delivery of the job and its events, if they were recorded just now. @default - they are read */
  readonly recorded?: { readonly delivery: Delivery; readonly events: readonly TidingsEvent[] };
}

/** Makes the attempt of a job, unless it is stale, or its delivery is held, has to wait, or was split or gathered. */
export async function deliver(
  ports: DeliverPorts,
  job: AttemptJob,
  { signal, recorded }: DeliverJobOptions = {},
): Promise<DeliverOutcome> {
  const { deliveries, subscriptions, saveOutcome = deliveries.saveAttempt } = ports;
  const queued = await findDelivery(deliveries, job, recorded?.delivery);
  if ('kind' in queued) return queued;
  const sameName = await subscriptions.get(queued.subscription);
  const subscription = sameName ?? (await findRenamed(subscriptions, queued.subscription, ports.clock.now()));
  const isRenamed = sameName === undefined && subscription !== undefined;
  const own = isRenamed ? await followRename(ports, queued, subscription) : queued;
  if (own === undefined) return stale('changed');
  // Before its lane: it is no business of the receiver that has the name now.
  if (subscription !== undefined && !isIncarnation(subscription, own.incarnation)) return drop(ports, own);
  const open = await checkOpen(ports, own);
  if ('kind' in open) return open;
  const eventsOf: EventsOf = async ({ id, events }) =>
    id === recorded?.delivery.id ? recorded.events : ports.events.getMany(events);
  const paused = await postponeIfPaused(ports, own, open);
  if (paused !== undefined) return paused;
  // Before gathering, so that everything that waits until then becomes one message.
  const waitPorts = { events: ports.events, clock: ports.clock, zoneOf: ports.zoneOf, eventsOf };
  const wait = await findWait(waitPorts, own, subscription, open);
  if (wait !== undefined) return postpone(ports.deliveries, own, wait);
  if (subscription !== undefined && (await fanOut(ports, own, subscription))) return { kind: 'split' };
  const isSnoozed =
    open.snoozes === undefined
      ? undefined
      : async (one: Delivery) => (await findSnoozeWait(waitPorts, one, open)) !== undefined;
  const formerNames = subscription === undefined ? [] : listFormerNames(subscription, ports.clock.now());
  const isOwn = (one: Delivery) => subscription === undefined || isIncarnation(subscription, one.incarnation);
  const delivery = own.status === 'waiting' ? await gather(ports, own, { isSnoozed, isOwn, formerNames }) : own;
  if ('kind' in delivery) return delivery;
  // A probe that was gathered continues as the group.
  const ready = delivery.id === own.id ? open : await checkOpen(ports, delivery);
  if ('kind' in ready) return ready;
  const entered = await enterLane(ports, delivery, ready);
  if ('kind' in entered) return entered;
  // Reserve the rate-limit slot last, so that an aborted attempt does not waste it.
  const health = await awaitSlot(ports, delivery, entered);
  if ('kind' in health) return health;
  const events = await eventsOf(delivery);
  const claim = await claimAttempt(ports, delivery, subscription);
  if (claim === undefined) return stale('changed');
  const options = { delivery, subscription, health, events };
  const attempted = await makeAttempt(ports, options, claim, signal).finally(claim.end);
  if (attempted === undefined) return stale('changed');
  const observation = toObservation(delivery, attempted, ports.clock.now(), subscription?.owner);
  // The common case, a healthy receiver, costs neither a read nor a write. The health is saved before the attempt: if the
  // process dies in between, the attempt is made and observed again.
  let wasOpen = false;
  const judge = (now: Health) => {
    wasOpen = isOpen(now);
    return observeTemplate(observation === undefined ? now : observe(now, observation), attempted.template);
  };
  const change = await limitAnnouncements(ports, subscription?.owner, health, judge);
  const after =
    judge(health) === health ? health : await changeHealth(ports, delivery.subscription, 'delivery', change);
  // Of several attempts at the same time, one has paused it.
  if (wasOpen && after.state === 'paused') await ports.recordPause?.(delivery.subscription, after.reason ?? '');
  const next = nextDelivery(delivery, attempted, after, ports);
  if (!(await saveOutcome(next))) return { kind: 'duplicate' };
  if (attempted.gone === true && subscription !== undefined && delivery.mark !== 'test') {
    await ports.removeGone?.(subscription);
  }
  if (next.status === 'held') await releaseIfOpen(ports, next);
  // One success shows that the receiver is back: its other deliveries need not wait for their next retry.
  if (observation?.outcome === 'accepted' && after.catchUp !== null)
    await catchUp(ports, delivery.subscription, after, observation.endedAt, { owner: subscription?.owner, signal });
  const { record: attempt, sent = events } = attempted;
  return {
    kind: 'attempted',
    result: { delivery: next, attempt, events: sent, channel: subscription?.to.channel, owner: subscription?.owner },
  };
}

/** What a subscription left unsent was opened for its own receiver, and matched its own filter. */
async function drop(ports: DeliverPorts, delivery: Delivery): Promise<Dropped | Stale> {
  const isSaved = await giveUp(ports, delivery, {
    code: 'TIDINGS_DELIVERY_SUBSCRIPTION_GONE',
    message: 'the subscription was removed before delivery, and another one has its name',
  });
  return isSaved ? { kind: 'dropped' } : stale('changed');
}

/** Undefined if the attempt shows nothing about the receiver. */
function toObservation(
  { id, mark, person }: Delivery,
  { record, asked, gone = false }: AttemptResult,
  endedAt: Instant,
  owner: string | undefined,
): Observation | undefined {
  if (record.outcome === 'skipped' || saysNothingOfReceiver(record.code ?? '')) return undefined;
  // A failing test is reported only to the person who started it.
  if (mark === 'test' && record.outcome !== 'accepted') return undefined;
  // A fault of our own is no news until it lasts: then the operator has to hear of it.
  const isLasting = record.ownFault !== undefined && record.ownFault >= LASTING_FAULTS;
  if (record.ownFault !== undefined && !isLasting) return undefined;
  return {
    outcome: observedOutcome(record.outcome, gone, isLasting),
    at: record.at,
    endedAt,
    delivery: id,
    reason: record.message ?? null,
    ...(person === undefined ? {} : { personalCode: record.code ?? UNEXPECTED }),
    // A mail server that took the mail for some readers defers single addresses, not all mails.
    asked: (record.reached ?? []).length > 0 ? undefined : asked,
    throttled: record.status === TOO_MANY_REQUESTS,
    isOwnFault: isLasting,
    ownFaultCode: isLasting && owner !== undefined ? (record.code ?? UNEXPECTED) : undefined,
  };
}

/** A fault of our own is given up once it lasts: retrying does not help until a person acts. */
function observedOutcome(
  outcome: Exclude<Attempt['outcome'], 'skipped'>,
  gone: boolean,
  isLasting: boolean,
): Observation['outcome'] {
  if (gone) return 'gone';
  if (isLasting) return 'gave-up';
  return outcome === 'retry' ? 'failed' : outcome;
}

const TOO_MANY_REQUESTS = 429;
const UNEXPECTED: ErrorCode = 'TIDINGS_DELIVERY_UNEXPECTED';

function nextDelivery(
  { slot: _, ...delivery }: Delivery,
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
  if (record.ownFault !== undefined) {
    return {
      ...delivery,
      attempts,
      dueAt: plus(now, Math.max(delayAfterOwnFault(record.ownFault, random()), asked ?? 0)),
    };
  }
  if (health.state === 'disabled' && !saysNothingOfReceiver(record.code ?? '')) {
    if (health.probe !== delivery.id) return { ...delivery, attempts, status: 'held', dueAt: null };
    return { ...delivery, attempts, dueAt: plus(now, Math.round(PROBE_EVERY * (0.8 + 0.4 * random()))) };
  }
  const failed = receiverAttempt(attempts, record.number);
  const delay = record.outcome === 'retry' ? nextDelay(failed, random(), asked) : undefined;
  return delay === undefined ? { ...over, status: 'failed' } : { ...delivery, attempts, dueAt: plus(now, delay) };
}
