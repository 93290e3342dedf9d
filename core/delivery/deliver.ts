/**
 * Makes one attempt at a delivery and records what came of it. The only place that talks to receivers.
 * Killed at any line, the job comes back and the receiver may see the same event id twice, never another.
 */

import type { Attempt, Delivery } from '../model/delivery.ts';
import { GiveUp, messageOf, RetryLater } from '../model/errors.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Subscription, Target } from '../model/subscription.ts';
import { between, type Clock, plus } from '../model/time.ts';
import type { Channel, Receipt } from '../ports/channel.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Job } from '../ports/queue.ts';
import { nextDelay } from './schedule.ts';

export interface DeliverPorts {
  readonly ledger: Ledger;
  readonly channelFor: (target: Target) => Channel;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/** What an attempt led to, for whoever watches. */
export interface Delivered {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  /** Undefined when it is kept no longer. */
  readonly event: TidingsEvent | undefined;
}

/** Undefined when the job was stale: its attempt was made before, or its delivery is over. */
export async function deliver(ports: DeliverPorts, job: Job, signal?: AbortSignal): Promise<Delivered | undefined> {
  const { ledger } = ports;
  const delivery = await ledger.delivery(job.delivery);
  if (delivery?.status !== 'pending' || delivery.attempts.length !== job.attempt - 1) return undefined;
  const subscription = await ledger.subscription(delivery.subscription);
  const [eventId = ''] = delivery.events;
  const event = await ledger.event(eventId);
  const attempt = await makeAttempt(ports, job.attempt, subscription, event, signal);
  const next = afterAttempt(delivery, attempt, ports);
  return (await ledger.saveAttempt(next)) ? { delivery: next, attempt: attempt.record, event } : undefined;
}

interface Made {
  readonly record: Attempt;
  /** Milliseconds the receiver asked us to wait. */
  readonly asked?: number | undefined;
}

async function makeAttempt(
  { channelFor, clock }: DeliverPorts,
  number: number,
  subscription: Subscription | undefined,
  event: TidingsEvent | undefined,
  signal: AbortSignal | undefined,
): Promise<Made> {
  const at = clock.now();
  const elapsed = () => between(at, clock.now());
  try {
    if (subscription === undefined) {
      throw new GiveUp('TIDINGS_DELIVERY_SUBSCRIPTION_GONE', 'the subscription was removed before this was delivered');
    }
    if (event === undefined) {
      throw new GiveUp('TIDINGS_DELIVERY_EVENT_GONE', 'the event is kept no longer: it was pruned before delivery');
    }
    const receipt = await channelFor(subscription.to).send({ subscription, event, at }, signal);
    return { record: { number, at, ms: elapsed(), outcome: 'accepted', ...evidenceOf(receipt) } };
  } catch (error) {
    // A fault of our own is retried like a receiver's: the event must not be lost to a bug.
    const known = error instanceof RetryLater || error instanceof GiveUp ? error : undefined;
    return {
      record: {
        number,
        at,
        ms: elapsed(),
        outcome: error instanceof GiveUp ? 'gave-up' : 'retry',
        code: known?.code ?? 'TIDINGS_DELIVERY_UNEXPECTED',
        message: messageOf(error),
        ...evidenceOf(known?.evidence ?? {}),
      },
      asked: error instanceof RetryLater ? error.after : undefined,
    };
  }
}

function afterAttempt(delivery: Delivery, { record, asked }: Made, { clock, random }: DeliverPorts): Delivery {
  const attempts = [...delivery.attempts, record];
  const now = clock.now();
  if (record.outcome === 'accepted') return { ...delivery, attempts, status: 'settled', settledAt: now, dueAt: null };
  const delay = record.outcome === 'retry' ? nextDelay(attempts.length, random(), asked) : undefined;
  if (delay === undefined) return { ...delivery, attempts, status: 'failed', settledAt: now, dueAt: null };
  return { ...delivery, attempts, dueAt: plus(now, delay) };
}

function evidenceOf({ status, body }: Receipt): Receipt {
  return { ...(status === undefined ? {} : { status }), ...(body === undefined ? {} : { body }) };
}
