/**
 * Opens all store ports on the two DynamoDB tables (see tables.ts, and docs/tables.md for the cost of each query).
 * Finished items expire by their time to live.
 */

import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import { dynamoAgenda } from './agenda.ts';
import { dynamoApiKeyStore } from './api-key-store.ts';
import { dynamoAuditStore } from './audit-store.ts';
import { dynamoConsolePassStore } from './console-pass-store.ts';
import { dynamoDeliveryStore } from './delivery-store.ts';
import { dynamoDocumentStore } from './document-store.ts';
import { dynamoEventStore } from './event-store.ts';
import { dynamoIdempotencyStore } from './idempotency-store.ts';
import { dynamoKeyUsageStore } from './key-usage-store.ts';
import { dynamoLeaseStore } from './lease-store.ts';
import { type LedgerTableOptions, openLedgerTable } from './ledger-table.ts';
import { dynamoManifestStore } from './manifest-store.ts';
import { dynamoRequestLimiter } from './request-limiter.ts';
import { dynamoScanStateStore } from './scan-state-store.ts';
import { dynamoSnapshotStore } from './snapshot-store.ts';
import { dynamoSourceDataStore } from './source-data-store.ts';
import { dynamoSourceStore } from './source-store.ts';
import { dynamoSubscriptionStore } from './subscription-store.ts';
import { openTable } from './table.ts';
import { dynamoThreadStore } from './thread-store.ts';

export interface DynamoStoresOptions extends Omit<LedgerTableOptions, 'table'> {
  /** Names of the tables. */
  readonly tables: { readonly snapshots: string; readonly ledger: string };
}

export function dynamoStores({ tables, retention, clock, ...options }: DynamoStoresOptions): DatabaseStores {
  const ledger = openLedgerTable({ ...options, retention, clock, table: tables.ledger });
  const { table } = ledger;
  return {
    events: dynamoEventStore(ledger),
    deliveries: dynamoDeliveryStore(ledger),
    agenda: dynamoAgenda(table),
    subscriptions: dynamoSubscriptionStore(table),
    threads: dynamoThreadStore(table),
    scanStates: dynamoScanStateStore(table),
    leases: dynamoLeaseStore(table),
    snapshots: dynamoSnapshotStore({ ...options, table: tables.snapshots, ledger: tables.ledger }),
    manifests: dynamoManifestStore({ ...options, table: tables.ledger }),
    apiKeys: dynamoApiKeyStore(table),
    audit: dynamoAuditStore(ledger),
    consolePasses: dynamoConsolePassStore(table),
    idempotency: dynamoIdempotencyStore(table),
    documents: dynamoDocumentStore(table),
    requestLimiter: dynamoRequestLimiter(table),
    keyUsage: dynamoKeyUsageStore(table),
    storedSources: dynamoSourceStore(table),
    sourceData: dynamoSourceDataStore({ snapshots: openTable({ ...options, table: tables.snapshots }), ledger: table }),
  };
}
