/**
 * Ledger on DynamoDB: one table, one item for each thing, two sparse indexes (see tables.ts, and docs/tables.md for what
 * each question costs). What is over expires by itself.
 */

import type { Clock, Duration } from '../../core/model/time.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import { deliveries } from './deliveries.ts';
import { events } from './events.ts';
import { leases, scans, subscriptions, threads } from './ledger-state.ts';
import { openTable, type TableOptions } from './table.ts';
import { openTimeline } from './timeline.ts';

export interface LedgerOptions extends TableOptions {
  /** How long events, and deliveries that are over, are kept. */
  readonly retention: Duration;
  /** Tells when a batch was recorded. */
  readonly clock: Clock;
}

export function dynamoLedger({ retention, clock, ...options }: LedgerOptions): Ledger {
  const table = openTable(options);
  const parts = { table, timeline: openTimeline(table, clock, retention), retention, clock };
  return {
    ...events(parts),
    ...deliveries(parts),
    ...subscriptions(table),
    ...threads(table),
    ...scans(table),
    ...leases(table),
  };
}
