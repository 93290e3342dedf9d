/**
 * What there is to say about a subscription's receiver, as a record with a snapshot of its own: its transitions are the
 * `subscription.*` events. Pure. Nobody is disabled for one bad day, and not without being told the day before.
 */

import { OWN_SOURCE } from '../model/event.ts';
import type { Fields, RecordKey } from '../model/record.ts';
import { between, DAY, type Duration, HOUR, type Instant } from '../model/time.ts';

/** The resource under which the health of subscriptions is kept. */
export const SUBSCRIPTION = 'subscription';

export function healthKey(subscription: string): RecordKey {
  return { source: OWN_SOURCE, resource: SUBSCRIPTION, id: subscription };
}

/** `paused`: by a person; `disabled`: after days of nothing but failures, or because the receiver said it is gone. */
export type HealthState = 'ok' | 'failing' | 'disabled' | 'paused';

export interface Health {
  readonly state: HealthState;
  /** What the receiver answered last, in words; null while all is well. */
  readonly reason: string | null;
  /** The first of the failures since the last success. */
  readonly failingSince: Instant | null;
  /** When it was told that it will be disabled. */
  readonly warnedAt: Instant | null;
  readonly disabledAt: Instant | null;
  /** The delivery that is tried while it is disabled; null: none, it will not be tried by itself. */
  readonly probe: string | null;
  /** Whether the receiver asked for nothing more: then it is not tried by itself. */
  readonly gone: boolean;
  /** Addresses that asked for nothing more. */
  readonly muted: readonly string[];
}

export const HEALTHY: Health = {
  state: 'ok',
  reason: null,
  failingSince: null,
  warnedAt: null,
  disabledAt: null,
  probe: null,
  gone: false,
  muted: [],
};

/** Attempts at one delivery after which its subscription counts as failing: half an hour of trying. */
const FAILING_ATTEMPT = 4;

/** Nothing but failures for so long: it will be disabled, and is. */
const WARN_AFTER: Duration = 4 * DAY;
const DISABLE_AFTER: Duration = 5 * DAY;

/** The warning stands at least so long before anything is done. */
const WARNED_FOR: Duration = 12 * HOUR;

/** How often one delivery is tried while the subscription is disabled. */
export const PROBE_EVERY: Duration = 4 * HOUR;

export interface Observation {
  /** `gone`: the receiver said that it wants nothing more. */
  readonly outcome: 'accepted' | 'failed' | 'gave-up' | 'gone';
  readonly at: Instant;
  readonly delivery: string;
  /** Number of the attempt. */
  readonly attempt: number;
  /** What went wrong, in words. */
  readonly reason: string | null;
}

/** The health after an attempt; the same object when nothing of it is new. */
export function observe(before: Health, seen: Observation): Health {
  if (seen.outcome === 'accepted') {
    const isNews = before.failingSince !== null || before.state === 'failing' || before.state === 'disabled';
    // A test may reach what a person paused: it stays paused.
    return isNews ? { ...HEALTHY, muted: before.muted, state: before.state === 'paused' ? 'paused' : 'ok' } : before;
  }
  if (before.state === 'paused' || before.state === 'disabled') return before;
  const failingSince = before.failingSince ?? seen.at;
  const failing: Health = { ...before, failingSince, reason: seen.reason };
  if (seen.outcome === 'gone') {
    return { ...failing, state: 'disabled', disabledAt: seen.at, gone: true };
  }
  const span = between(failingSince, seen.at);
  if (before.warnedAt !== null && between(before.warnedAt, seen.at) >= WARNED_FOR && span >= DISABLE_AFTER) {
    return { ...failing, state: 'disabled', disabledAt: seen.at, probe: seen.delivery };
  }
  if (before.warnedAt === null && span >= WARN_AFTER) return { ...failing, state: 'failing', warnedAt: seen.at };
  if (before.state === 'ok' && (seen.attempt >= FAILING_ATTEMPT || seen.outcome === 'gave-up')) {
    return { ...failing, state: 'failing' };
  }
  // What it answers each time moves; only the first of it is worth a write.
  return before.failingSince === null ? failing : before;
}

/** Whether anything may be sent to it at all. */
export function isOpen({ state }: Health): boolean {
  return state === 'ok' || state === 'failing';
}

export function toRecord(name: string, health: Health): Fields {
  return { id: name, name, ...health };
}

export function fromRecord(record: Fields | undefined): Health {
  if (record === undefined) return HEALTHY;
  const { id: _, name: __, ...health } = record;
  // Written by toRecord alone.
  return { ...HEALTHY, ...(health as Partial<Health>) };
}
