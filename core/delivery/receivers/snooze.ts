/**
 * Snoozes: until a time, a subscription sends nothing about one record, or nothing at all. They are part of its health, which
 * every attempt reads anyway. Pure. Deliveries that come due wait until the end.
 */

import type { Instant } from '../../model/time.ts';
import type { Health } from './health-state.ts';

/** Instead of a record: all messages of the subscription. */
export const EVERYTHING = '*';

/** The name of a record in a snooze. */
export const snoozeKey = ({ source, subject }: { readonly source: string; readonly subject: string }) =>
  `${source} ${subject}`;

/** The name of a record in a snooze that concerns one reader, such as `main/5`. */
export const personalSnoozeKey = (key: string, person: string) => `${key} ${person}`;

/** More than people press in a day. */
const MAX_SNOOZES = 500;

/** The reader whom a snooze concerns; empty: all receivers. */
const readerOf = (key: string) => key.split(' ')[2] ?? '';

/** Without the oldest ones of whom most concern, while there are too many: so a person forgets no snoozes of others, and never a pause. */
function keepNewest(entries: readonly (readonly [key: string, end: Instant])[]): typeof entries {
  const records = entries.filter(([key]) => key !== EVERYTHING);
  if (records.length <= MAX_SNOOZES) return entries;
  const most = [...Map.groupBy(records, ([key]) => readerOf(key)).values()].reduce((a, b) =>
    b.length > a.length ? b : a,
  );
  return keepNewest(entries.filter((entry) => entry !== most[0]));
}

/** The health with a snooze added, replaced, or with `until` null removed; the same object if nothing changed. */
export function changeSnooze(health: Health, key: string, until: Instant | null, now: Instant): Health {
  const before = health.snoozes ?? {};
  if ((before[key] ?? null) === until) return health;
  const open = Object.entries(before).filter(([other, end]) => other !== key && end > now);
  const entries = until === null ? open : keepNewest([...open, [key, until] as const]);
  const { snoozes: _, ...rest } = health;
  return entries.length === 0 ? rest : { ...rest, snoozes: Object.fromEntries(entries) };
}

/** Until when everything of the subscription is silent; undefined: it is not. */
function pauseEndOf({ snoozes }: Pick<Health, 'snoozes'>, now: Instant): Instant | undefined {
  const end = snoozes?.[EVERYTHING];
  return end !== undefined && end > now ? end : undefined;
}

/** Until when people have paused the subscription. Null: until it is resumed, whatever else was paused; undefined: they have not. */
export function pausedUntil({ state, snoozes }: Pick<Health, 'state' | 'snoozes'>, now: Instant) {
  return state === 'paused' ? null : pauseEndOf({ snoozes }, now);
}

/**
 * When messages about all of these records may be sent; undefined: now.
 * @param person the only reader. @default - all receivers of the subscription
 */
export function snoozeEnd(
  health: Pick<Health, 'snoozes'>,
  keys: readonly string[],
  now: Instant,
  person?: string,
): Instant | undefined {
  const { snoozes } = health;
  if (snoozes === undefined) return undefined;
  const all = pauseEndOf(health, now);
  if (all !== undefined) return all;
  const endOf = (key: string) => {
    const own = person === undefined ? undefined : snoozes[personalSnoozeKey(key, person)];
    const ends = [snoozes[key], own].filter((end) => end !== undefined && end > now);
    return ends.sort().at(-1);
  };
  // A message about several records is sent if one of them is not snoozed.
  const open = keys.map(endOf).filter((end) => end !== undefined);
  return keys.length === 0 || open.length < keys.length ? undefined : open.sort()[0];
}
