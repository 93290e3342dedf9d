/**
 * Snoozes: until a time, a subscription sends nothing about one record, or nothing at all. They are part of its health, which
 * every attempt reads anyway. Pure. Deliveries that come due wait until the end.
 */

import type { Instant } from '../../model/time.ts';
import type { Health } from './health.ts';

/** Instead of a record: all messages of the subscription. */
export const EVERYTHING = '*';

/** The name of a record in a snooze. */
export const snoozeKey = ({ source, subject }: { readonly source: string; readonly subject: string }) =>
  `${source} ${subject}`;

/** More than anyone presses: the oldest are forgotten. */
const MAX_SNOOZES = 200;

/** The health with a snooze added, replaced, or with `until` null removed; the same object if nothing changed. */
export function changeSnooze(health: Health, key: string, until: Instant | null, now: Instant): Health {
  const before = health.snoozes ?? {};
  if ((before[key] ?? null) === until) return health;
  const open = Object.entries(before).filter(([other, end]) => other !== key && end > now);
  const entries = until === null ? open : [...open.slice(-MAX_SNOOZES), [key, until] as const];
  const { snoozes: _, ...rest } = health;
  return entries.length === 0 ? rest : { ...rest, snoozes: Object.fromEntries(entries) };
}

/** When messages about all of these records may be sent; undefined: now. */
export function snoozeEnd({ snoozes }: Health, keys: readonly string[], now: Instant): Instant | undefined {
  if (snoozes === undefined) return undefined;
  const all = snoozes[EVERYTHING];
  if (all !== undefined && all > now) return all;
  const ends = keys.map((key) => snoozes[key]);
  // A message about several records is sent if one of them is not snoozed.
  const open = ends.filter((end) => end !== undefined && end > now);
  return keys.length === 0 || open.length < keys.length ? undefined : open.sort()[0];
}
