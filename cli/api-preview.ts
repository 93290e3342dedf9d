/** The time-driven events ahead, through the management API: those that a subscription of the key will get. */

import { dayIn } from '../core/model/calendar.ts';
import type { Instant } from '../core/model/time.ts';
import type { ForecastEvent, Preview } from '../runtime/inspect/preview.ts';
import type { PlacedStores } from './place.ts';

/** An event ahead with its line for people: the API does not show its record. */
export interface ShownEvent extends Omit<ForecastEvent, 'event'> {
  readonly event: { readonly type: string; readonly subject: string; readonly source?: string };
  readonly line: string;
}

export interface ShownPreview extends Omit<Preview, 'events'> {
  readonly events: readonly ShownEvent[];
}

export async function previewThroughApi(
  { client, subscriptions }: PlacedStores,
  period: Preview['period'],
): Promise<ShownPreview> {
  const sources = (await client?.listSources())?.data ?? [];
  const zones = Object.fromEntries(sources.map(({ source, timeZone }) => [source, String(timeZone ?? 'UTC')]));
  const [zone = 'UTC', ...others] = new Set(Object.values(zones));
  const found = new Map<string, ShownEvent>();
  for (const { name } of await subscriptions.list()) {
    const { events = [] } = (await client?.previewSubscription(name, { until: period.until })) ?? {};
    for (const { at, type, subject, line } of events) {
      const key = `${at} ${type} ${subject}`;
      const to = [...(found.get(key)?.to ?? []), name];
      // With several zones the API does not say whose this is.
      found.set(key, toShown(at, others.length === 0 ? zone : 'UTC', { type, subject }, line, to));
    }
  }
  const events = [...found.values()].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { period, zones, events, unsettled: [] };
}

function toShown(
  at: Instant,
  zone: string,
  event: ShownEvent['event'],
  line: string,
  to: readonly string[],
): ShownEvent {
  return { at, zone, day: dayIn(zone, at), event, line, to, sentAt: {} };
}
