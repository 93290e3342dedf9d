/** Which recorded events a subscription would have received, had it been there. Reads the event store, sends nothing. */

import type { TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
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

type EventPages = { list(query: Pick<EventQuery, 'since' | 'types' | 'limit' | 'after'>): Promise<EventPage> };
type Filter = Pick<Subscription, 'events' | 'where'>;

/** @param pace @default - in one go */
export async function backtest(
  store: EventPages,
  filter: Filter,
  period: BacktestPeriod,
  pace: Pace = UNPACED,
): Promise<BacktestResult> {
  const received: TidingsEvent[] = [];
  const recorded = await visitMatches(store, filter, period, (event) => void received.push(event), { pace });
  return { recorded, received };
}

export interface VisitOptions {
  /** Event types of which all others are neither read nor counted. @default - all are */
  readonly types?: readonly string[] | undefined;
  /** Asked before the content of an event is compared, which takes time that depends on the content. @default - all are visible */
  readonly isVisible?: (event: TidingsEvent) => boolean;
  /** @default - in one go */
  readonly pace?: Pace;
}

/** Calls `visit` with each matching event, in recording order, and keeps none. Returns the number of events recorded in the period. */
export async function visitMatches(
  store: EventPages,
  { events, where }: Filter,
  { since, until }: BacktestPeriod,
  visit: (event: TidingsEvent) => void | Promise<void>,
  { types, isVisible = () => true, pace = UNPACED }: VisitOptions = {},
): Promise<number> {
  const globs = events.map(compileGlob);
  const hasContent = where === undefined ? () => true : compilePattern(where);
  let recorded = 0;
  for (let after: string | undefined; ; ) {
    const page = await store.list({ since, types, limit: PAGE_SIZE, after });
    // Read on after `until`: events are stored in recording order, which is not strictly the order of their times.
    // Of a page that has none, too.
    await pace();
    const within = page.events.filter(({ time, test }) => time <= until && test !== true);
    recorded += within.length;
    for (const event of within) {
      if (isVisible(event) && globs.some((wants) => wants(event.type)) && hasContent(event)) await visit(event);
      await pace();
    }
    if (!page.more) return recorded;
    after = page.cursor;
  }
}
