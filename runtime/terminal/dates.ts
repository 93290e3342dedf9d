/** Formats days, times, time spans and cadences for people, in the zone of an account. */

import type { Day } from '../../core/model/calendar.ts';
import type { ScanKind } from '../../core/model/scan.ts';
import { between, type Duration, type Instant, MINUTE, plus, toMillis } from '../../core/model/time.ts';
import { createZoneFormat } from '../../core/model/zone-format.ts';
import type { Cadence } from '../../core/source/plan.ts';

const formatOf = createZoneFormat('en-GB', {
  ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});

function parts(zone: string, instant: Instant): Readonly<Record<string, string>> {
  return Object.fromEntries(
    formatOf(zone)
      .formatToParts(toMillis(instant))
      .map(({ type, value }) => [type, value]),
  );
}

/** `Sat 14 Nov 2026` */
export function formatLongDay(day: Day): string {
  const { weekday, day: number, month, year } = parts('UTC', `${day}T12:00:00.000Z`);
  return `${weekday} ${number} ${month?.slice(0, 3)} ${year}`;
}

/** The minute that was formatted last: live output has many lines in the same one. */
let lastTime = { zone: '', minute: '', text: '' };

/** `09:31` */
export function formatTime(zone: string, instant: Instant): string {
  const utcMinute = instant.slice(0, 16);
  if (lastTime.zone !== zone || lastTime.minute !== utcMinute) {
    const { hour, minute } = parts(zone, instant);
    lastTime = { zone, minute: utcMinute, text: `${hour}:${minute}` };
  }
  return lastTime.text;
}

/** `Sat 14 Nov 2026 09:31` */
export function formatMoment(zone: string, instant: Instant): string {
  const { weekday, day, month, year, hour, minute } = parts(zone, instant);
  return `${weekday} ${day} ${month?.slice(0, 3)} ${year} ${hour}:${minute}`;
}

/** `2026-11-14 10:31:07+01:00`, `2026-11-14 09:31:07Z` in UTC: for lists. */
export function formatStamp(zone: string, instant: Instant): string {
  const millis = toMillis(instant);
  const offset = Math.round((millisAsShown(zone, instant) - Math.floor(millis / 1000) * 1000) / MINUTE);
  const local = new Date(millis + offset * MINUTE).toISOString().slice(0, 19).replace('T', ' ');
  return `${local}${offset === 0 ? 'Z' : formatOffset(offset)}`;
}

/** The clock of the zone, read as if it were UTC. */
function millisAsShown(zone: string, instant: Instant): number {
  const { year, month, day, hour, minute } = parts(zone, instant);
  const date = `${day} ${month?.slice(0, 3)} ${year} ${hour}:${minute}:${instant.slice(17, 19)} UTC`;
  return Date.parse(date);
}

function formatOffset(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

/** `09:31:07`, for live output. @default - the machine's own zone, for receivers, which know no account */
export function formatClock(
  instant: Instant,
  zone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone,
): string {
  const seconds = instant.slice(16, 19);
  return `${formatTime(zone, instant)}${seconds}`;
}

/** `in 3 h 20 min`, `now` */
export function formatTimeUntil(instant: Instant, now: Instant): string {
  return instant <= now ? 'now' : `in ${formatSpan(now, instant)}`;
}

/** `40 s`, `12 min`, `3 h 20 min`, `2 d 4 h`: at most two units. */
export function formatSpan(from: Instant, to: Instant): string {
  const minutes = Math.floor(Math.max(0, between(from, to)) / MINUTE);
  if (minutes < 1) return `${Math.floor(Math.max(0, between(from, to)) / 1000)} s`;
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  if (days > 0) return `${days} d${hours > 0 ? ` ${hours} h` : ''}`;
  if (hours > 0) return `${hours} h${rest > 0 ? ` ${rest} min` : ''}`;
  return `${rest} min`;
}

/**
 * `changes every 5 min, all records every 6 h`
 * @param light the kind of scan that finds changes
 */
export function formatCadence(light: ScanKind, { every, sweep }: Cadence): string {
  if (light === 'sweep') return `all records every ${formatLength(every)}`;
  return `changes every ${formatLength(every)}, all records every ${formatLength(sweep)}`;
}

/** `next scan in 4 min`. Null: the resource was never scanned. */
export function formatNextScan(nextAt: Instant | null, now: Instant): string {
  return `next scan ${nextAt === null ? 'now' : formatTimeUntil(nextAt, now)}`;
}

const EPOCH: Instant = '1970-01-01T00:00:00.000Z';

function formatLength(duration: Duration): string {
  return formatSpan(EPOCH, plus(EPOCH, duration));
}
