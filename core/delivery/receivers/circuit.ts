/**
 * The circuit breaker of a receiver: a response that asks for a delay, or several failures in a row, pause all attempts of
 * its subscription. After the pause a single attempt probes the receiver. Pure; stored with the receiver's health.
 */

import { between, type Duration, HOUR, type Instant, MINUTE, plus, SECOND } from '../../model/time.ts';
import { MAX_ASKED_DELAY } from '../schedule.ts';

export interface Circuit {
  /** Failed attempts since the last success. Attempts that ran at the same time count once. */
  readonly failures: number;
  /** When the last of them ended. */
  readonly failedAt: Instant;
  /** No attempt starts before this time; then one probes the receiver. Null: attempts are not paused. */
  readonly pausedUntil: Instant | null;
  /** The delivery that probes the receiver; null: none is chosen yet. */
  readonly probe: string | null;
}

export interface CircuitFailure {
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  /** The delay that the receiver asked for. @default - none */
  readonly asked?: Duration;
  /** Whether the receiver reported too many requests, with or without a delay. */
  readonly throttled: boolean;
}

/** A receiver that fails this often in a row is probed instead of tried with every delivery. */
const OPEN_AFTER = 5;

/** The first pause; each failed probe doubles it. The longest keeps the detection of a recovery within minutes. */
const FIRST_PAUSE: Duration = 5 * SECOND;
const MAX_PAUSE: Duration = 10 * MINUTE;

/** The clocks of processes differ. A failure further in the future means that the clock was put back. */
const CLOCK_SKEW: Duration = MINUTE;

/** Longer than an attempt. If the process dies during a probe, the next one follows after this time. */
const PROBE_TIME: Duration = MINUTE;

/** Concurrent attempts get the same Retry-After a moment apart: a longer pause by less is not worth a write. */
const MIN_EXTENSION: Duration = SECOND;

/** The circuit after a failed attempt; the same object if nothing changed. */
export function addFailure(before: Circuit | null, failure: CircuitFailure): Circuit {
  const { startedAt, endedAt, asked = 0, throttled } = failure;
  const isConcurrent = before !== null && startedAt < before.failedAt && before.failedAt <= endedAt;
  const failures = (before?.failures ?? 0) + (isConcurrent ? 0 : 1);
  const pause = Math.max(Math.min(asked, MAX_ASKED_DELAY), backoff(throttled ? failures - 1 : failures - OPEN_AFTER));
  const pausedUntil = pause === 0 ? null : plus(endedAt, pause);
  if (!isConcurrent) return { failures, failedAt: endedAt, pausedUntil, probe: null };
  const isLonger =
    pausedUntil !== null && (before.pausedUntil === null || between(before.pausedUntil, pausedUntil) >= MIN_EXTENSION);
  return isLonger ? { ...before, pausedUntil } : before;
}

function backoff(doublings: number): Duration {
  return doublings < 0 ? 0 : Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** Math.min(doublings, 20));
}

/** Until when attempts are paused; undefined if one may start. A pause does not last longer because the clock was put back. */
export function pauseEnd(circuit: Circuit | null, now: Instant): Instant | undefined {
  if (circuit === null || circuit.pausedUntil === null || circuit.pausedUntil <= now) return undefined;
  return plus(now, CLOCK_SKEW) < circuit.failedAt ? undefined : circuit.pausedUntil;
}

/** Whether the attempt started after the failure that caused the pause: only then its success ends the pause. */
export function endsPause({ failedAt, pausedUntil }: Circuit, startedAt: Instant, endedAt: Instant): boolean {
  return pausedUntil === null || startedAt >= failedAt || failedAt > endedAt;
}

/** The circuit while this delivery probes the receiver: other attempts stay paused meanwhile. */
export function withProbe(circuit: Circuit, delivery: string, now: Instant): Circuit {
  const failedAt = circuit.failedAt < now ? circuit.failedAt : now;
  return { ...circuit, failedAt, pausedUntil: plus(now, PROBE_TIME), probe: delivery };
}

/** Deliveries that wait for a paused receiver are spread over the time it has been failing, within these limits. */
const MIN_SPREAD: Duration = 5 * MINUTE;
const MAX_SPREAD: Duration = 4 * HOUR;

/**
 * When a delivery that waits for a paused receiver is tried. The spread grows with the outage, so that thousands of
 * deliveries come back neither all at once nor every few minutes. `jitter` in [0, 1).
 */
export function spreadAfterPause(
  pausedUntil: Instant,
  failingSince: Instant | null,
  now: Instant,
  jitter: number,
): Instant {
  const outage = Math.max(between(now, pausedUntil), between(failingSince ?? now, now));
  return plus(pausedUntil, Math.round(jitter * Math.min(MAX_SPREAD, Math.max(MIN_SPREAD, outage))));
}
