/** Decides when a subscription is told of an event: at once, with others in a moment, at its digest, after its quiet hours. Pure. */

import { addDays, atTimeOfDay, type Day, dayIn, startOfDay, weekdayOf } from '../model/calendar.ts';
import type { Digest, QuietHours, Subscription } from '../model/subscription.ts';
import { type Duration, type Instant, plus, SECOND } from '../model/time.ts';
import type { ChannelTraits } from '../ports/channel.ts';

/** How long chat and mail gather: a bulk edit comes in within seconds, and nobody misses half a minute. */
export const DEFAULT_GATHER_WINDOW: Duration = 30 * SECOND;

/** The window of a subscription; zero: none. */
export function gatherWindow({ gather }: Subscription, { gathers }: Pick<ChannelTraits, 'gathers'>): Duration {
  return gathers ? (gather ?? DEFAULT_GATHER_WINDOW) : 0;
}

/**
 * When to tell, and until then to wait for others to be told with it; undefined: at once, alone.
 * `window`: in place of the subscription's own, for a run that will not be there when it ends.
 */
export function deliverAt(
  subscription: Subscription,
  channel: Pick<ChannelTraits, 'gathers'>,
  now: Instant,
  zone: string,
  window?: Duration,
): Instant | undefined {
  const { digest, quiet } = subscription;
  if (digest !== undefined) return nextDigest(digest, now, zone);
  const ownWindow = gatherWindow(subscription, channel);
  const gathered = ownWindow > 0;
  const told = gathered ? plus(now, window ?? ownWindow) : now;
  const after = quiet === undefined ? told : afterQuiet(quiet, told, zone);
  return gathered || after !== told ? after : undefined;
}

/** No config means a week without a day, and no zone skips more than one. */
const MAX_DAYS_AHEAD = 9;

/** The first moment of the digest after now. */
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

/** The same instant when it is not quiet, else the end of the quiet. */
export function afterQuiet(quiet: QuietHours, instant: Instant, zone: string): Instant {
  let moment = instant;
  // A quiet night may run into a quiet day and that into another: all of them are passed.
  for (let step = 0; step < 4 * MAX_DAYS_AHEAD; step++) {
    const end = endOfQuiet(quiet, moment, zone);
    if (end === undefined) return moment;
    moment = end;
  }
  // Every hour of the week is quiet. Never telling is not what anybody asked for.
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
  // Past midnight: it began yesterday, or begins today.
  return within(addDays(today, -1), today) ?? within(today, addDays(today, 1));
}
