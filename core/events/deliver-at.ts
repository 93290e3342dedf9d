/** Decides when an event is delivered: at once, gathered, at the digest, after quiet hours, or when the day starts. Pure. */

import { addDays, atTimeOfDay, type Day, dayIn, startOfDay, weekdayOf } from '../model/calendar.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Digest, QuietHours, Subscription, TimeOfDay } from '../model/subscription.ts';
import { type Duration, type Instant, plus, SECOND } from '../model/time.ts';
import type { ChannelTraits } from '../ports/channel.ts';

/** The default window: the events of a bulk edit arrive within seconds, and half a minute of delay does not matter. */
export const DEFAULT_GATHER_WINDOW: Duration = 30 * SECOND;

/** How long a subscription gathers events; zero: not at all. */
function gatherWindow({ gather }: Subscription, { gathers }: Pick<ChannelTraits, 'gathers'>): Duration {
  return gathers ? (gather ?? DEFAULT_GATHER_WINDOW) : 0;
}

/** When the day of readers starts unless the subscription says otherwise. */
export const DEFAULT_DAY_START: TimeOfDay = '08:00';

/** When a delivery is sent. */
export interface DeliveryTime {
  /** When to deliver, together with other events that wait by then. @default - at once, on its own */
  readonly dueAt?: Instant;
  /** No message before this time may take the event along. @default - the first one does */
  readonly notBefore?: Instant;
  /** Which rule sets `dueAt`. @default - it is sent at once */
  readonly because?: 'digest' | 'day-start' | 'quiet-hours' | 'gathering';
}

type Traits = Pick<ChannelTraits, 'gathers' | 'audience'>;

interface DeliverAtOptions {
  readonly now: Instant;
  /** Of the event's source. */
  readonly zone: string;
  /** For a process that ends before the window of the subscription does. @default - the subscription's own */
  readonly window?: Duration;
}

/** When the subscription sends this event. */
export function deliverAt(
  subscription: Subscription,
  channel: Traits,
  event: Pick<TidingsEvent, 'data'>,
  { now, zone, window }: DeliverAtOptions,
): DeliveryTime {
  const { digest, quiet, timeZone = zone } = subscription;
  if (digest !== undefined) return { dueAt: nextAudibleDigest(digest, quiet, now, timeZone), because: 'digest' };
  const notBefore =
    channel.audience === 'people' && isByNewDay(event, zone) ? nextDayStart(subscription, now, timeZone) : undefined;
  const ownWindow = gatherWindow(subscription, channel);
  const gathered = ownWindow > 0;
  const windowEnd = gathered ? plus(now, window ?? ownWindow) : now;
  const earliest = notBefore !== undefined && notBefore > windowEnd ? notBefore : windowEnd;
  const after = quiet === undefined ? earliest : afterQuiet(quiet, earliest, timeZone);
  if (!gathered && after === now) return {};
  const because = after > earliest ? 'quiet-hours' : earliest === notBefore ? 'day-start' : 'gathering';
  return { dueAt: after, notBefore, because };
}

/** Whether a new day of the account caused the event. What a first scan finds is announced by the time of that scan. */
function isByNewDay({ data: { cause, occurred } }: Pick<TidingsEvent, 'data'>, zone: string): boolean {
  return cause === 'tick' && occurred.before === startOfDay(zone, dayIn(zone, occurred.before));
}

/** Undefined if the day of the readers has started. */
function nextDayStart(
  { dayStartsAt = DEFAULT_DAY_START }: Subscription,
  now: Instant,
  zone: string,
): Instant | undefined {
  if (dayStartsAt === 'off') return undefined;
  const start = atTimeOfDay(zone, dayIn(zone, now), dayStartsAt);
  return start > now ? start : undefined;
}

/** A digest has at least one day a week, and a zone skips at most one day. */
const MAX_DAYS_AHEAD = 9;

/** The next digest after now. */
export function nextDigest({ at, days }: Digest, now: Instant, zone: string): Instant {
  const today = dayIn(zone, now);
  for (let ahead = 0; ahead < MAX_DAYS_AHEAD; ahead++) {
    const day = addDays(today, ahead);
    if (days !== undefined && !days.includes(weekdayOf(day))) continue;
    const moment = atTimeOfDay(zone, day, at);
    if (moment > now) return moment;
  }
  throw new Error(`a digest at ${at} in ${zone} never comes`);
}

/** The last digest until now. */
export function lastDigest({ at, days }: Digest, now: Instant, zone: string): Instant {
  const today = dayIn(zone, now);
  for (let back = 0; back < MAX_DAYS_AHEAD; back++) {
    const day = addDays(today, -back);
    if (days !== undefined && !days.includes(weekdayOf(day))) continue;
    const moment = atTimeOfDay(zone, day, at);
    if (moment <= now) return moment;
  }
  throw new Error(`a digest at ${at} in ${zone} never came`);
}

/** The next digest outside of quiet hours. If each of them is within, the end of the quiet hours after the next one. */
export function nextAudibleDigest(digest: Digest, quiet: QuietHours | undefined, now: Instant, zone: string): Instant {
  const next = nextDigest(digest, now, zone);
  if (quiet === undefined) return next;
  for (let due = next, day = 0; day < MAX_DAYS_AHEAD; day++, due = nextDigest(digest, due, zone)) {
    if (afterQuiet(quiet, due, zone) === due) return due;
  }
  return afterQuiet(quiet, next, zone);
}

/** The end of the quiet hours, or the instant itself when it is outside of them. */
export function afterQuiet(quiet: QuietHours, instant: Instant, zone: string): Instant {
  let moment = instant;
  // A quiet night may be followed by a quiet day and another: skip all of them.
  for (let step = 0; step < 4 * MAX_DAYS_AHEAD; step++) {
    const end = endOfQuiet(quiet, moment, zone);
    if (end === undefined) return moment;
    moment = end;
  }
  // Every hour of the week is quiet: deliver at once rather than never.
  return instant;
}

function endOfQuiet({ from, until, days = [] }: QuietHours, moment: Instant, zone: string): Instant | undefined {
  const today = dayIn(zone, moment);
  if (days.includes(weekdayOf(today))) return startOfDay(zone, addDays(today, 1));
  if (from === undefined || until === undefined) return undefined;
  const within = (start: Day, end: Day): Instant | undefined => {
    const [begins, ends] = [atTimeOfDay(zone, start, from), atTimeOfDay(zone, end, until)];
    return begins <= moment && moment < ends ? ends : undefined;
  };
  if (from < until) return within(today, today);
  // The quiet hours span midnight: they began yesterday or begin today.
  return within(addDays(today, -1), today) ?? within(today, addDays(today, 1));
}
