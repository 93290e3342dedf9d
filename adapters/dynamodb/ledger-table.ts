/** The table of events and deliveries, with the timeline that orders them. */

import type { Clock, Duration } from '../../core/model/time.ts';
import type { TableOptions } from './send.ts';
import { openTable, type Table } from './table.ts';
import { openTimeline, type Timeline } from './timeline.ts';

export interface LedgerTableOptions extends TableOptions {
  /** How long events and finished deliveries are kept. */
  readonly retention: Duration;
  /** Gives each recorded batch its time. */
  readonly clock: Clock;
}

export interface LedgerTable {
  readonly table: Table;
  readonly timeline: Timeline;
  readonly retention: Duration;
  readonly clock: Clock;
}

export function openLedgerTable({ retention, clock, ...options }: LedgerTableOptions): LedgerTable {
  const table = openTable(options);
  return { table, timeline: openTimeline(table, clock, retention), retention, clock };
}
