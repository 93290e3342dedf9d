/** What time will bring, through the management API. */

import { dayIn } from '../../core/model/calendar.ts';
import type { TidingsClient } from '../../kit/client.ts';
import type { SourceStatus } from '../../runtime/inspect/status.ts';
import type { ShownForecast, ShownPreview } from './backend.ts';

/** The most that the API returns at once. */
export const PAGE_SIZE = 200;

/** The events that a subscription of the key will get. When they are sent is known only to the server. */
export async function previewThroughApi(
  client: TidingsClient,
  sources: readonly SourceStatus[],
  period: ShownPreview['period'],
): Promise<ShownPreview> {
  const zones = Object.fromEntries(sources.map(({ source, timeZone }) => [source, timeZone ?? 'UTC']));
  // With several zones the API does not say whose an event is.
  const [first = 'UTC', ...others] = new Set(Object.values(zones));
  const zone = others.length === 0 ? first : 'UTC';
  const { unsettled, messages } = await client.forecastEvents({ until: period.until, limit: PAGE_SIZE });
  const events = new Map<string, ShownForecast>();
  for await (const { name } of client.iterateSubscriptions({ limit: PAGE_SIZE })) {
    const forecast = await client.previewSubscription(name, { until: period.until });
    for (const { at, type, subject, line } of forecast.events) {
      const key = `${at} ${type} ${subject}`;
      const to = [...(events.get(key)?.to ?? []), name];
      events.set(key, { at, zone, day: dayIn(zone, at), event: { type, subject }, line, to, sentAt: {} });
    }
  }
  return {
    period,
    zones,
    events: [...events.values()].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    unsettled,
    messages,
  };
}
