/**
 * Instants and durations. Instants are ISO strings in UTC with milliseconds: they sort as text, are readable in a
 * database and do not depend on the machine's zone. Nothing here reads the clock.
 */

import { memoize } from './memoize.ts';

/** `2026-11-14T09:31:07.000Z`, always in this form. */
export type Instant = string;

/** Milliseconds. */
export type Duration = number;

export interface Clock {
  now(): Instant;
  /** Whether a person chose its time, so that it may differ from every other clock. @default false */
  readonly isChosen?: boolean;
}

export const SECOND: Duration = 1000;
export const MINUTE: Duration = 60 * SECOND;
export const HOUR: Duration = 60 * MINUTE;
export const DAY: Duration = 24 * HOUR;

/** A clock that always returns the same instant, for `--at` and tests. */
export function fixedClock(at: Instant): Clock {
  return { now: () => at };
}

export function toMillis(instant: Instant): number {
  return Date.parse(instant);
}

/** Assembled from memoized parts, which is five times as fast as `toISOString`. */
export function fromMillis(millis: number): Instant {
  const whole = Math.trunc(millis);
  const day = Math.floor(whole / DAY);
  const inDay = whole - day * DAY;
  const minute = Math.floor(inDay / MINUTE);
  const inMinute = inDay - minute * MINUTE;
  const second = Math.floor(inMinute / SECOND);
  return dayText(day) + minuteText(minute) + secondText(second) + fractionText(inMinute - second * SECOND);
}

const dayText = memoize((day: number) => new Date(day * DAY).toISOString().replace(/T.*/, 'T'));
const minuteText = memoize((minute: number) => new Date(minute * MINUTE).toISOString().slice(11, 17));
const secondText = memoize((second: number) => new Date(second * SECOND).toISOString().slice(17, 19));
const fractionText = memoize((millis: number) => new Date(millis).toISOString().slice(19));

/** The start of its hour in UTC. */
export function hourOf(instant: Instant): Instant {
  return `${instant.slice(0, 13)}:00:00.000Z`;
}

export function plus(instant: Instant, duration: Duration): Instant {
  return fromMillis(toMillis(instant) + duration);
}

/** From `earlier` to `later`; negative when `later` is earlier. */
export function between(earlier: Instant, later: Instant): Duration {
  return toMillis(later) - toMillis(earlier);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Parses an instant with an explicit offset. Undefined for anything else and for days that do not exist. */
export function parseInstant(text: string): Instant | undefined {
  const millis = parseMillis(text);
  return millis === undefined ? undefined : fromMillis(millis);
}

/** Like parseInstant, but returns milliseconds, because formatting an instant costs more than parsing it. */
export function parseMillis(text: string): number | undefined {
  if (!INSTANT.test(text)) return undefined;
  const millis = Date.parse(text);
  return Number.isNaN(millis) || !isExistingDay(text) ? undefined : millis;
}

/** Date.parse turns February 30 into March 2, so days after the 28th must survive a round trip. */
function isExistingDay(text: string): boolean {
  const day = text.slice(8, 10);
  return day <= '28' || new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(day);
}

const UNITS: Readonly<Record<string, Duration>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** Parses `30s`, `5m`, `6h`, `1d`; undefined for anything else. Zero is valid, negative numbers are not. */
export function parseDuration(text: string): Duration | undefined {
  const [, amount, unit] = /^(\d{1,9})(s|m|h|d)$/.exec(text) ?? [];
  const size = unit === undefined ? undefined : UNITS[unit];
  return size === undefined ? undefined : Number(amount) * size;
}

/** In the largest unit that is exact: `300000` is `5m`. */
export function formatDuration(duration: Duration): string {
  for (const [unit, size] of Object.entries(UNITS).reverse()) {
    if (duration >= size && duration % size === 0) return `${duration / size}${unit}`;
  }
  return duration === 0 ? '0s' : `${duration}ms`;
}
