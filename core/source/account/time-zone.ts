/** Finds the time zone that defines "today" for a source: from the config, or from the token's user. */

import { refusesToken } from '../../model/error-codes.ts';
import { GiveUp } from '../../model/errors.ts';
import type { Fields } from '../../model/record.ts';
import { between, DAY, HOUR, type Instant } from '../../model/time.ts';
import type { SourceApi } from '../../ports/source-api.ts';

export interface ResolvedZone {
  /** null: not known yet. */
  readonly timeZone: string | null;
  readonly from: 'config' | 'user' | null;
  /** When the API last answered; null: ask in the next cycle. */
  readonly readAt: Instant | null;
}

/** How often a known zone is asked for again: people move. Two requests. */
const REREAD_ZONE = DAY;

/** How often the zone is asked for while the API answers without one: the token's role may grow. */
const REREAD_MISSING_ZONE = HOUR;

export interface ZoneOptions {
  readonly api: SourceApi;
  /** The zone in the config. @default - the zone of the token's user */
  readonly configured?: string;
  /** The health record of the source. @default - the first cycle */
  readonly health?: Fields;
  readonly now: Instant;
  readonly signal?: AbortSignal;
}

/** After a failed request the zone is asked for again in the next cycle. A known zone stays until the API names another. */
export async function resolveTimeZone({ api, configured, health, now, signal }: ZoneOptions): Promise<ResolvedZone> {
  if (configured !== undefined) return { timeZone: configured, from: 'config', readAt: null };
  const stored = storedZone(health);
  const { timeZone, readAt } = stored;
  const interval = timeZone === null ? REREAD_MISSING_ZONE : REREAD_ZONE;
  // A time in the future is due to a wrong clock.
  if (readAt !== null && readAt <= now && between(readAt, now) < interval) return stored;
  const fetched = await fetchTimeZone(api, signal);
  if (fetched === undefined) return { ...stored, readAt: null };
  return fetched === null ? { ...stored, readAt: now } : { timeZone: fetched, from: 'user', readAt: now };
}

/**
 * Whether the API answered without a zone, or does not answer this question while it answers others: until the config or the API
 * names one, no time-driven event comes.
 * @param isRead whether records are read. @default false
 */
export function isZoneMissing({ timeZone, readAt }: ResolvedZone, isRead = false): boolean {
  return timeZone === null && (readAt !== null || isRead);
}

/** The zone in the health record. Versions before this one stored UTC for an unknown zone, so theirs is asked for again. */
export function storedZone(health: Fields | undefined): ResolvedZone {
  const text = (field: string) => (typeof health?.[field] === 'string' ? health[field] : null);
  const from = text('timeZoneFrom');
  return {
    timeZone: text('timeZone'),
    from: from === 'config' || from === 'user' ? from : null,
    readAt: text('timeZoneReadAt'),
  };
}

/** The zone of the token's user; null when the API names none, undefined when it did not answer. */
async function fetchTimeZone(api: SourceApi, signal?: AbortSignal): Promise<string | null | undefined> {
  try {
    return await api.traits.findTimeZone(api, signal);
  } catch (error) {
    return error instanceof GiveUp && !refusesToken(error.code) ? null : undefined;
  }
}
