/** All store ports of one database, as its adapter opens them. Verbs take only the ports they use. */

import type { Agenda } from './agenda.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { AuditStore } from './audit-store.ts';
import type { ConsolePassStore } from './console-pass-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { DocumentStore } from './document-store.ts';
import type { EventStore } from './event-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { KeyUsageStore } from './key-usage-store.ts';
import type { LeaseStore } from './lease-store.ts';
import type { ManifestStore } from './manifest-store.ts';
import type { RequestLimiter } from './request-limiter.ts';
import type { ScanStateStore } from './scan-state-store.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { SourceDataStore } from './source-data-store.ts';
import type { SourceStore } from './source-store.ts';
import type { SubscriptionStore } from './subscription-store.ts';
import type { ThreadStore } from './thread-store.ts';

export interface DatabaseStores {
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly agenda: Agenda;
  readonly subscriptions: SubscriptionStore;
  readonly threads: ThreadStore;
  readonly scanStates: ScanStateStore;
  readonly leases: LeaseStore;
  readonly snapshots: SnapshotStore;
  readonly manifests: ManifestStore;
  readonly apiKeys: ApiKeyStore;
  readonly audit: AuditStore;
  readonly consolePasses: ConsolePassStore;
  readonly idempotency: IdempotencyStore;
  readonly documents: DocumentStore;
  readonly requestLimiter: RequestLimiter;
  readonly keyUsage: KeyUsageStore;
  readonly sourceData: SourceDataStore;
  /** The sources that are kept here, not those of the config. */
  readonly storedSources: SourceStore;
}
