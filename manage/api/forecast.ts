/** What the passing of time will bring: events that fire if nothing changes, and which subscriptions get them. */

import { sayEvent } from '../../core/events/catalogue.ts';
import { sourceName } from '../../core/model/event.ts';
import { DAY, parseDuration, parseInstant, plus } from '../../core/model/time.ts';
import { preview } from '../../runtime/inspect/preview.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, isWithin, seesAll } from './http/caller.ts';
import { Problem } from './http/problem.ts';

export interface ForecastQuery {
  /** An instant, or how long from now. @default - 24 hours from now */
  readonly until?: string;
  readonly limit: number;
}

/** The first ones, in the order in which they fire. */
export async function forecastEvents(api: ApiPorts, caller: Caller, { until: end, limit }: ForecastQuery) {
  const from = api.clock.now();
  const until = end === undefined ? plus(from, DAY) : (parsePeriodEnd(end, from) ?? from);
  if (until < from) {
    const detail = 'expected a time in the future';
    throw new Problem(400, 'TIDINGS_API_QUERY', { detail: `until: ${detail}`, errors: [{ pointer: 'until', detail }] });
  }
  const { events, unsettled } = await preview(api, api.config, { from, until }, from);
  const visible = events.filter(({ event }) => isWithin(caller, event.type));
  return {
    from,
    until,
    count: visible.length,
    unsettled,
    data: visible.slice(0, limit).map(({ at, event, to, sentAt }) => ({
      at,
      type: event.type,
      source: sourceName(event),
      subject: event.subject,
      line: sayEvent(event),
      subscriptions: seesAll(caller) ? to.map((name) => ({ name, sentAt: sentAt[name] ?? at })) : [],
    })),
  };
}

/** Undefined for text that is neither an instant nor a duration. */
function parsePeriodEnd(text: string, from: string): string | undefined {
  const ahead = parseDuration(text);
  return ahead === undefined ? parseInstant(text) : plus(from, ahead);
}
