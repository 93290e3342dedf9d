/** Who may do what to which table, on one page. Plain data; nothing is granted that is not here. */

import type { FunctionName } from '../runtime/aws/metrics.ts';

export interface TablePermissions {
  /** Actions of DynamoDB on the table itself. */
  readonly table: readonly string[];
  /** Indexes that may be queried. @default - none */
  readonly indexes?: readonly string[];
}

export interface FunctionPermissions {
  /** @default - nothing */
  readonly snapshots?: TablePermissions;
  /** @default - nothing */
  readonly ledger?: TablePermissions;
  /** Whether it puts jobs on the queue. @default false */
  readonly queue?: boolean;
}

/** What is asked for in one turn is read in one batch. */
const READ = ['GetItem', 'BatchGetItem'] as const;

export const FUNCTION_PERMISSIONS: Readonly<Record<FunctionName, FunctionPermissions>> = {
  poll: {
    snapshots: { table: [...READ, 'Query', 'PutItem'] },
    // Scan states, leases, and the manifest, whose stale parts it clears away.
    ledger: { table: [...READ, 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'] },
  },
  tick: {
    snapshots: { table: [...READ, 'PutItem'], indexes: ['agenda'] },
    ledger: { table: ['UpdateItem'], indexes: ['agenda'] },
    queue: true,
  },
  announce: {
    // The zone of a source is remembered with its health.
    snapshots: { table: READ },
    ledger: { table: [...READ, 'Query', 'PutItem', 'UpdateItem'] },
    queue: true,
  },
  deliver: {
    // The health of a subscription is a snapshot: its change is an event.
    snapshots: { table: [...READ, 'PutItem'] },
    ledger: { table: [...READ, 'Query', 'PutItem', 'UpdateItem'], indexes: ['agenda', 'lists'] },
  },
  manage: {
    // Who unsubscribed is part of a subscription's health.
    snapshots: { table: [...READ, 'PutItem'] },
    ledger: { table: READ },
  },
  setup: {
    // Those that the config no longer has are deleted.
    ledger: { table: [...READ, 'Query', 'PutItem', 'BatchWriteItem'] },
  },
};
