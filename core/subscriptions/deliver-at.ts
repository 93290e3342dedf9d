/** Decides when an event is delivered: at once, gathered with others, at the digest, or after quiet hours. Pure. */

import { addDays, atTimeOfDay, type Day, dayIn, startOfDay, weekdayOf } from '../model/calendar.ts';
import type { Digest, QuietHours, Subscription } from '../model/subscription.ts';
import { type Duration, type Instant, plus, SECOND } from '../model/time.ts';
import type { ChannelTraits } from '../ports/channel.ts';

/** The default window: the events of a bulk edit arrive within seconds, and half a minute of delay does not matter. */
export const DEFAULT_GATHER_WINDOW: Duration = 30 * SECOND;

/** How long a subscription gathers events; zero: not at all. */
export function gatherWindow({ gather }: Subscription, { gathers }: Pick<ChannelTraits, 'gathers'>): Duration {
  return gathers ? (gather ?? DEFAULT_GATHER_WINDOW) : 0;
}

/**
 * When to deliver, together with other events that wait by then; undefined: at once, on its own.
 * `window`: overrides the subscription's own, for a process that ends before the window does.
 */
export function deliverAt(
  subscription: Subscription,
  channel: Pick<ChannelTraits, 'gathers'>,
  now: Instant,
  zone: string,
  window?: Duration,
): Instant | undefined {
  const { digest, quiet } = subscription;
  if (digest !== undefined) return nextAudibleDigest(digest, quiet, now, zone);
  const ownWindow = gatherWindow(subscription, channel);
  const gathered = ownWindow > 0;
  const earliest = gathered ? plus(now, window ?? ownWindow) : now;
  const after = quiet === undefined ? earliest : afterQuiet(quiet, earliest, zone);
  return gathered || after !== earliest ? after : undefined;
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

/** The next digest outside of quiet hours. If each of them is within, the end of the quiet hours after the next one. */
function nextAudibleDigest(digest: Digest, quiet: QuietHours | undefined, now: Instant, zone: string): Instant {
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
