/** Times in the zone of the account. The script adds the reader's own time on hover, and keeps relative times current. */

import type { FC } from 'hono/jsx';
import { dayIn } from '../../core/model/calendar.ts';
import { between, DAY, HOUR, type Instant, MINUTE, SECOND, toMillis } from '../../core/model/time.ts';
import { createZoneFormat } from '../../core/model/zone-format.ts';

interface TimeProps {
  readonly at: Instant;
  readonly zone: string;
}

/** `Mon 16 Nov 2026, 09:31:07` */
export const Moment: FC<TimeProps> = ({ at, zone }) => (
  <time datetime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`}>
    {formatInstant(at, zone, 'moment')}
  </time>
);

/** `Mon 16 Nov, 09:31` */
export const ShortMoment: FC<TimeProps> = ({ at, zone }) => (
  <time datetime={at} title={`${formatInstant(at, zone, 'moment')} ${zone}`}>
    {formatInstant(at, zone, 'short')}
  </time>
);

/** `09:31:07` */
export const ClockTime: FC<TimeProps> = ({ at, zone }) => (
  <time datetime={at} title={`${formatInstant(at, zone, 'moment')} ${zone}`}>
    {formatInstant(at, zone, 'clock')}
  </time>
);

/** `3 min ago`, `in 2 h` */
export const Relative: FC<TimeProps & { readonly now: Instant }> = ({ at, zone, now }) => (
  <time datetime={at} data-relative title={`${formatInstant(at, zone, 'moment')} ${zone}`}>
    {formatRelative(at, now)}
  </time>
);

const formatWith = (options: Intl.DateTimeFormatOptions) => createZoneFormat('en-GB', { hourCycle: 'h23', ...options });

const FORMATS = {
  moment: formatWith({
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  }),
  /** `Tue 17 Nov, 09:31` */
  short: formatWith({ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
  clock: formatWith({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
  minute: formatWith({ hour: '2-digit', minute: '2-digit' }),
  hour: formatWith({ hour: '2-digit' }),
  day: formatWith({ weekday: 'short', day: 'numeric', month: 'short' }),
};

export function formatInstant(at: Instant, zone: string, form: keyof typeof FORMATS): string {
  // September is `Sept` in British English: all other months have three letters.
  return FORMATS[form](zone)
    .format(toMillis(at))
    .replace('Sept', 'Sep')
    .replace(/^(\w{3}),/, '$1');
}

/** `08:30:15` within minutes, `08:30` today, `Tue 17 Nov, 08:30` on other days. */
export function formatUntil(at: Instant, zone: string, now: Instant): string {
  if (Math.abs(between(now, at)) < SHORT_WAIT) return formatInstant(at, zone, 'clock');
  return formatInstant(at, zone, dayIn(zone, at) === dayIn(zone, now) ? 'minute' : 'short');
}

const SHORT_WAIT = 5 * MINUTE;

const UNITS: readonly (readonly [size: number, unit: string])[] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
];

/** The script has the same rule. */
function formatRelative(at: Instant, now: Instant): string {
  const span = between(at, now);
  const [size, unit] = UNITS.find(([one]) => Math.abs(span) >= one) ?? [SECOND, 's'];
  const count = Math.floor(Math.abs(span) / size);
  if (count === 0) return 'now';
  return span > 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`;
}

/** `Today, Mon 16 Nov`, `Yesterday, Sun 15 Nov`, `Sat 14 Nov` */
export function formatDayHeading(at: Instant, zone: string, now: Instant): string {
  const day = dayIn(zone, at);
  const name = formatInstant(at, zone, 'day');
  if (day === dayIn(zone, now)) return `Today, ${name}`;
  const yesterday = new Date(toMillis(now) - DAY).toISOString();
  return day === dayIn(zone, yesterday) ? `Yesterday, ${name}` : name;
}

/** `40 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`: at most two units. */
export function formatTimeSpan(span: number): string {
  const start = UNITS.findIndex(([size]) => Math.abs(span) >= size);
  if (start === -1) return 'less than a second';
  let rest = Math.abs(span);
  const parts = UNITS.slice(start, start + 2).map(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
