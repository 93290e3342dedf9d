/**
 * Limits how often the state of one subscription is announced. Its receiver decides how often it fails and recovers, and its key how
 * often it is resumed: the event of each change would let it send a message a second to people. Pure.
 */

import { between, HOUR, type Instant } from '../../model/time.ts';
import type { AnnouncedChanges, Health } from './health-state.ts';

/** How many failures, and how many recoveries, are announced within an hour. */
const MAX_ANNOUNCED = 3;

export const UNSTABLE =
  'it has failed and recovered several times within an hour: it counts as recovered with the first success after that hour';

/**
 * The health after an attempt, with a note of what is announced of it. After several failures one that people know of is not announced
 * again before the hour is over, also if the subscription was resumed meanwhile. After several recoveries it counts as failing for the
 * rest of the hour: its messages are sent, and what was announced last is still right.
 */
export function noteAnnounced(before: Health, after: Health, at: Instant): Health {
  if (after.state === before.state) return after;
  const { unannounced: _, ...rest } = after;
  const announced = recentlyAnnounced(before, at) ?? nothingAnnounced(at);
  if (after.state === 'ok') {
    if (announced.recoveries < MAX_ANNOUNCED) {
      return { ...rest, announced: { ...announced, state: 'ok', recoveries: announced.recoveries + 1 } };
    }
    // Later successes change nothing.
    if (before.state === 'failing' && before.circuit === null) return before;
    return { ...rest, announced, state: 'failing', reason: UNSTABLE, unannounced: 'failing' };
  }
  const isKnown = announced.state === after.state || (after.state === 'failing' && announced.state !== 'ok');
  if (isKnown && announced.failures >= MAX_ANNOUNCED) return { ...rest, announced, unannounced: after.state };
  return { ...rest, announced: { ...announced, state: after.state, failures: announced.failures + 1 } };
}

/** Whether people are told that it fails. */
export function isFailureAnnounced(before: Health, after: Health): boolean {
  return after.state !== before.state && after.state !== 'ok' && after.unannounced !== after.state;
}

/** The health after a failure that is not announced. Nor is its recovery, if nothing else was. */
export function withoutAnnouncement(before: Health, after: Health, at: Instant): Health {
  return { ...after, announced: recentlyAnnounced(before, at) ?? nothingAnnounced(at), unannounced: after.state };
}

const nothingAnnounced = (since: Instant): AnnouncedChanges => ({ since, state: 'ok', failures: 0, recoveries: 0 });

function recentlyAnnounced({ announced }: Health, at: Instant): AnnouncedChanges | undefined {
  return announced !== undefined && Math.abs(between(announced.since, at)) < HOUR ? announced : undefined;
}
