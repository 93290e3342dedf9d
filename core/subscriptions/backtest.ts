/** Which recorded events a subscription would have received, had it been there. Reads the ledger, sends nothing. */

import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import type { Ledger } from '../ports/ledger.ts';
import { compileGlob } from './match.ts';
import { compilePattern } from './pattern.ts';

export interface BacktestPeriod {
  /** Both ends included. */
  readonly since: Instant;
  readonly until: Instant;
}

export interface BacktestResult {
  /** How many events were recorded in the period, wanted or not. */
  readonly recorded: number;
  /** Those it would have received, in the order they were recorded. */
  readonly received: readonly TidingsEvent[];
}

/** Events read at a time. */
const PAGE = 500;

export async function backtest(
  ledger: Pick<Ledger, 'events'>,
  { events, where }: Pick<Subscription, 'events' | 'where'>,
  { since, until }: BacktestPeriod,
): Promise<BacktestResult> {
  const globs = events.map(compileGlob);
  const hasContent = where === undefined ? () => true : compilePattern(where);
  const received: TidingsEvent[] = [];
  let recorded = 0;
  for (let after: string | undefined; ; ) {
    const page = await ledger.events({ since, limit: PAGE, ...(after === undefined ? {} : { after }) });
    // Not the end of it: events are kept in the order of recording, which is not strictly that of their times.
    const within = page.events.filter(({ time, test }) => time <= until && test !== true);
    recorded += within.length;
    received.push(...within.filter((event) => globs.some((wants) => wants(event.type)) && hasContent(event)));
    if (page.events.length < PAGE) return { recorded, received };
    after = page.cursor;
  }
}
