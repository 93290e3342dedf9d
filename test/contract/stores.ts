/** The contract suites of all stores that share one table or file. */

import { agendaContract } from './agenda.ts';
import { apiKeyStoreContract } from './api-key-store.ts';
import { auditStoreContract } from './audit-store.ts';
import { consolePassStoreContract } from './console-pass-store.ts';
import { deliveryStoreContract } from './delivery-store.ts';
import { documentStoreContract } from './document-store.ts';
import { eventStoreContract, type StoreTraits } from './event-store.ts';
import { idempotencyStoreContract } from './idempotency-store.ts';
import { keyUsageStoreContract } from './key-usage-store.ts';
import { leaseStoreContract } from './lease-store.ts';
import type { OpenStores } from './opened-stores.ts';
import { requestLimiterContract } from './request-limiter.ts';
import { scanStateStoreContract } from './scan-state-store.ts';
import { sourceDataStoreContract } from './source-data-store.ts';
import { sourceStoreContract } from './source-store.ts';
import { subscriptionStoreContract } from './subscription-store.ts';
import { threadStoreContract } from './thread-store.ts';

export function storeContracts(name: string, traits: StoreTraits, open: OpenStores): void {
  eventStoreContract(name, traits, open);
  deliveryStoreContract(name, open);
  agendaContract(name, open);
  subscriptionStoreContract(name, open);
  threadStoreContract(name, open);
  scanStateStoreContract(name, open);
  leaseStoreContract(name, open);
  apiKeyStoreContract(name, open);
  auditStoreContract(name, traits, open);
  consolePassStoreContract(name, open);
  idempotencyStoreContract(name, open);
  documentStoreContract(name, open);
  requestLimiterContract(name, open);
  keyUsageStoreContract(name, open);
  sourceDataStoreContract(name, open);
  sourceStoreContract(name, open);
}
