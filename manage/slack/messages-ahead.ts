/** Says to a channel what its subscriptions will send, and when: the forecast of `tidings preview`, in words. */

import { nextAudibleDigest } from '../../core/events/deliver-at.ts';
import { clip } from '../../core/messages/clip.ts';
import { addDays, dayIn } from '../../core/model/calendar.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, type Duration, type Instant, plus, toMillis } from '../../core/model/time.ts';
import { type ForecastMessage, forecastMessages } from '../../runtime/inspect/forecast-messages.ts';
import { preview } from '../../runtime/inspect/preview.ts';
import { digestZone } from './draft.ts';
import type { ReadersOfEach } from './personal-messages.ts';
import type { SlackPorts } from './slack-ports.ts';

/** A weekly digest comes within it. */
const FIRST_WITHIN: Duration = 8 * DAY;

/**
 * What these subscriptions will send, which need not be stored yet.
 * @param readers of subscriptions that send each person messages of their own. @default - no one
 */
export async function listAhead(
  ports: SlackPorts,
  subscriptions: readonly Subscription[],
  within: Duration,
  readers: ReadersOfEach = new Map(),
): Promise<readonly ForecastMessage[]> {
  const now = ports.clock.now();
  const period = { from: now, until: plus(now, within) };
  return ports.inTurn(async (pace) => {
    const previewed = await preview(ports, ports.config, period, now, { only: subscriptions, pace });
    return forecastMessages(ports, previewed, now, { readers, pace });
  });
}

/** `tomorrow 08:30: 40 tasks overdue`. It may name records: it is no markup. How many others get it is not for the reader. */
export function sayAhead({ at, zone, title, isHeld }: ForecastMessage, now: Instant): string {
  const held = isHeld ? ' (held: the subscription is paused)' : '';
  return `${sayWhen(at, zone, now)}: ${clip(title, 300)}${held}`;
}

/** `today 17:00`, `tomorrow 08:30`, `Mon 23 Nov 08:30`, in the zone of the subscription. */
function sayWhen(at: Instant, timeZone: string, now: Instant): string {
  const time = formatIn(timeZone, at, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const [day, today] = [dayIn(timeZone, at), dayIn(timeZone, now)];
  if (day === today) return `today ${time}`;
  if (day === addDays(today, 1)) return `tomorrow ${time}`;
  return `${formatIn(timeZone, at, { weekday: 'short', day: 'numeric', month: 'short' }).replace(',', '')} ${time}`;
}

function formatIn(timeZone: string, at: Instant, format: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, ...format }).format(toMillis(at));
}

/** When the first message of a subscription comes, as a sentence. It may name records: it is no markup. */
export async function sayFirstAhead(ports: SlackPorts, subscription: Subscription): Promise<string> {
  const now = ports.clock.now();
  const [first] = await listAhead(ports, [subscription], FIRST_WITHIN);
  if (subscription.digest === undefined) {
    if (first === undefined) return 'The first message comes with the next event.';
    return `The first message comes with the next event, or ${sayAhead(first, now)}.`;
  }
  if (first !== undefined) return `The first message comes ${sayAhead(first, now)}.`;
  return `${await sayNextDigest(ports, subscription)}: nothing is to be listed so far, and an empty digest is not sent.`;
}

/** `The next digest is due tomorrow 08:30` */
export async function sayNextDigest(ports: SlackPorts, subscription: Subscription): Promise<string> {
  const { digest, quiet, timeZone = await digestZone(ports) } = subscription;
  const now = ports.clock.now();
  if (digest === undefined) return '';
  return `The next digest is due ${sayWhen(nextAudibleDigest(digest, quiet, now, timeZone), timeZone, now)}`;
}
