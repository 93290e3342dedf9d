/** How many recorded events a filter would have matched, with samples: before a subscription counts. */

import { sayEvent } from '../../core/events/catalogue.ts';
import { backtest } from '../../core/filters/backtest.ts';
import { DAY, type Instant, plus } from '../../core/model/time.ts';
import type { EventFilter } from '../../runtime/config/validate-subscription.ts';
import { isConfigSection } from '../../runtime/config/values.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, isWithin } from './http/caller.ts';
import { parsePeriodStart } from './http/period.ts';
import { invalid } from './http/problem.ts';
import { sinceSchema } from './http/schemas.ts';
import { checkFilter } from './subscriptions/check-subscription.ts';

/** The newest matching events that are returned. */
const MAX_SAMPLES = 10;
const DEFAULT_DAYS = 7;

export async function testFilter(api: ApiPorts, caller: Caller, body: unknown) {
  if (!isConfigSection(body)) throw invalid([{ pointer: '', detail: 'expected an object' }]);
  const { since, until, ...filter } = body;
  const now = api.clock.now();
  const period = {
    since: readTime(since, '/since', now) ?? plus(now, -DEFAULT_DAYS * DAY),
    until: readTime(until, '/until', now) ?? now,
  };
  const { events, where, digest, quiet } = readFilter(api, caller, filter);
  const { recorded, received } = await backtest(api.events, { events, where }, period);
  const visible = received.filter(({ type }) => isWithin(caller, type));
  const byType = Map.groupBy(visible, ({ type }) => type);
  return {
    ...period,
    filter: { events, where, digest, quiet },
    recorded: caller.events === undefined ? recorded : null,
    matched: visible.length,
    byType: Object.fromEntries([...byType].map(([type, events]) => [type, events.length])),
    samples: visible
      .slice(-MAX_SAMPLES)
      .reverse()
      .map((event) => ({ line: sayEvent(event), event })),
  };
}

const KEYS = ['query', 'event', 'events', 'where', 'since', 'until'];

function readFilter(api: ApiPorts, caller: Caller, body: Readonly<Record<string, unknown>>): EventFilter {
  const unknown = Object.keys(body).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) throw invalid(unknown.map((key) => ({ pointer: `/${key}`, detail: 'unknown key' })));
  return checkFilter(api, caller, body);
}

function readTime(text: unknown, pointer: string, now: Instant): Instant | undefined {
  if (text === undefined) return undefined;
  const parsed = sinceSchema.safeParse(text);
  if (!parsed.success) throw invalid([{ pointer, detail: parsed.error.issues[0]?.message ?? 'expected a time' }]);
  return parsePeriodStart(parsed.data, now);
}
