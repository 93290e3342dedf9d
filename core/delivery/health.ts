/**
 * The health of a subscription's receiver, as a record with its own snapshot: its transitions cause the `subscription.*`
 * events. Pure. A subscription is disabled only after days of failures and a warning one day before.
 */

import { OWN_SOURCE } from '../model/event.ts';
import type { Fields, RecordKey } from '../model/record.ts';
import { between, DAY, type Duration, HOUR, type Instant } from '../model/time.ts';

/** The resource name of health records. */
export const SUBSCRIPTION = 'subscription';

export function healthKey(subscription: string): RecordKey {
  return { source: OWN_SOURCE, resource: SUBSCRIPTION, id: subscription };
}

/** `paused`: by a person; `disabled`: after days without a success, or because the receiver is gone. */
export type HealthState = 'ok' | 'failing' | 'disabled' | 'paused';

export interface Health {
  readonly state: HealthState;
  /** The last error; null while the receiver is healthy. */
  readonly reason: string | null;
  /** When the first failure since the last success happened. */
  readonly failingSince: Instant | null;
  /** When the warning before disabling was sent. */
  readonly warnedAt: Instant | null;
  readonly disabledAt: Instant | null;
  /** The delivery that is attempted while the subscription is disabled; null: none, recovery is not detected. */
  readonly probe: string | null;
  /** Whether the receiver responded with 410 Gone: it is not probed. */
  readonly gone: boolean;
  /** Addresses that unsubscribed. */
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

/** After this many failed attempts at one delivery, about half an hour, the subscription counts as failing. */
const FAILING_ATTEMPT = 4;

/** Time without a success. */
const WARN_AFTER: Duration = 4 * DAY;
const DISABLE_AFTER: Duration = 5 * DAY;

/** The minimum time between the warning and disabling. */
const MIN_WARNING: Duration = 12 * HOUR;

/** How often one delivery is attempted while the subscription is disabled. */
export const PROBE_EVERY: Duration = 4 * HOUR;

export interface Observation {
  /** `gone`: the receiver responded with 410 Gone or its equivalent. */
  readonly outcome: 'accepted' | 'failed' | 'gave-up' | 'gone';
  readonly at: Instant;
  readonly delivery: string;
  /** Number of the attempt. */
  readonly attempt: number;
  /** The error. */
  readonly reason: string | null;
}

/** The health after an attempt; the same object if nothing changed. */
export function observe(before: Health, seen: Observation): Health {
  if (seen.outcome === 'accepted') {
    const isNews = before.failingSince !== null || before.state === 'failing' || before.state === 'disabled';
    // A successful test does not resume a paused subscription.
    return isNews ? { ...HEALTHY, muted: before.muted, state: before.state === 'paused' ? 'paused' : 'ok' } : before;
  }
  if (before.state === 'paused' || before.state === 'disabled') return before;
  const failingSince = before.failingSince ?? seen.at;
  const failing: Health = { ...before, failingSince, reason: seen.reason };
  if (seen.outcome === 'gone') {
    return { ...failing, state: 'disabled', disabledAt: seen.at, gone: true };
  }
  const span = between(failingSince, seen.at);
  if (before.warnedAt !== null && between(before.warnedAt, seen.at) >= MIN_WARNING && span >= DISABLE_AFTER) {
    return { ...failing, state: 'disabled', disabledAt: seen.at, probe: seen.delivery };
  }
  if (before.warnedAt === null && span >= WARN_AFTER) return { ...failing, state: 'failing', warnedAt: seen.at };
  if (before.state === 'ok' && (seen.attempt >= FAILING_ATTEMPT || seen.outcome === 'gave-up')) {
    return { ...failing, state: 'failing' };
  }
  // Errors may differ at each attempt; saving each of them is not worth a write.
  return before.failingSince === null ? failing : before;
}

/** Whether deliveries may be attempted. */
export function isOpen({ state }: Health): boolean {
  return state === 'ok' || state === 'failing';
}

export function toRecord(name: string, health: Health): Fields {
  return { id: name, name, ...health };
}

export function fromRecord(record: Fields | undefined): Health {
  if (record === undefined) return HEALTHY;
  const { id: _, name: __, ...health } = record;
  // Only toRecord writes these records.
  return { ...HEALTHY, ...(health as Partial<Health>) };
}
