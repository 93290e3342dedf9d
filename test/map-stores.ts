/** Wraps each store of a database, for tests that count, delay or break their calls. */

import type { DatabaseStores } from '../core/ports/database-stores.ts';

/** The stores of the pipeline. */
export type MappedStores = Omit<
  DatabaseStores,
  | 'snapshots'
  | 'manifests'
  | 'sourceData'
  | 'apiKeys'
  | 'audit'
  | 'consolePasses'
  | 'idempotency'
  | 'documents'
  | 'requestLimiter'
  | 'keyUsage'
  | 'storedSources'
>;

/** Snapshots and manifests are left to the caller, because some of their methods return generators. */
export function mapStores(
  stores: MappedStores,
  wrap: <Store extends object>(store: Store, name: string) => Store,
): MappedStores {
  return {
    events: wrap(stores.events, 'events'),
    deliveries: wrap(stores.deliveries, 'deliveries'),
    agenda: wrap(stores.agenda, 'agenda'),
    subscriptions: wrap(stores.subscriptions, 'subscriptions'),
    threads: wrap(stores.threads, 'threads'),
    scanStates: wrap(stores.scanStates, 'scanStates'),
    leases: wrap(stores.leases, 'leases'),
  };
}
