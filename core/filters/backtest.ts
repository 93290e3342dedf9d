/** Which recorded events a subscription would have received, had it been there. Reads the event store, sends nothing. */

import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import type { EventPage, EventQuery } from '../ports/event-store.ts';
import { compileGlob } from './match.ts';
import { compilePattern } from './pattern.ts';

export interface BacktestPeriod {
  /** Both ends included. */
  readonly since: Instant;
  readonly until: Instant;
}

export interface BacktestResult {
  /** Number of events recorded in the period. */
  readonly recorded: number;
  /** The matching events, in recording order. */
  readonly received: readonly TidingsEvent[];
}

/** Events read at a time. */
const PAGE_SIZE = 500;

export async function backtest(
  store: { list(query: Pick<EventQuery, 'since' | 'limit' | 'after'>): Promise<EventPage> },
  { events, where }: Pick<Subscription, 'events' | 'where'>,
  { since, until }: BacktestPeriod,
): Promise<BacktestResult> {
  const globs = events.map(compileGlob);
  const hasContent = where === undefined ? () => true : compilePattern(where);
  const received: TidingsEvent[] = [];
  let recorded = 0;
  for (let after: string | undefined; ; ) {
    const page = await store.list({ since, limit: PAGE_SIZE, after });
    // Read on after `until`: events are stored in recording order, which is not strictly the order of their times.
    const within = page.events.filter(({ time, test }) => time <= until && test !== true);
    recorded += within.length;
    received.push(...within.filter((event) => globs.some((wants) => wants(event.type)) && hasContent(event)));
    if (!page.more) return { recorded, received };
    after = page.cursor;
  }
}
