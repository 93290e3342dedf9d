/** How many recorded events a filter would have matched, with samples: before a subscription counts. */

import { sayEvent } from '../../core/events/catalogue.ts';
import { DAY, plus } from '../../core/model/time.ts';
import { backtest } from '../../core/subscriptions/backtest.ts';
import { ANY_URL } from '../../runtime/config/placeholders.ts';
import { isConfigSection } from '../../runtime/config/values.ts';
import type { ApiPorts } from './api-ports.ts';
import { type Caller, isWithin } from './caller.ts';
import { parsePeriodStart } from './period.ts';
import { invalid } from './problem.ts';
import { readSubscriptionInput } from './subscription-input.ts';

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
  const { subscription } = readSubscriptionInput({ ...filter, url: ANY_URL }, { config: api.config, name: 'filter' });
  const { recorded, received } = await backtest(api.events, subscription, period);
  const visible = received.filter(({ type }) => isWithin(caller, type));
  const byType = Map.groupBy(visible, ({ type }) => type);
  return {
    ...period,
    recorded: caller.events === undefined ? recorded : null,
    matched: visible.length,
    byType: Object.fromEntries([...byType].map(([type, events]) => [type, events.length])),
    samples: visible
      .slice(-MAX_SAMPLES)
      .reverse()
      .map((event) => ({ line: sayEvent(event), event })),
  };
}

function readTime(text: unknown, pointer: string, now: string): string | undefined {
  if (text === undefined) return undefined;
  const instant = typeof text === 'string' ? parsePeriodStart(text, now) : undefined;
  if (instant === undefined) {
    const detail =
      "expected a timestamp with its offset, such as '2026-11-14T09:00:00Z', or how long ago, such as '2d'";
    throw invalid([{ pointer, detail }]);
  }
  return instant;
}
