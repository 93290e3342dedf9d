/** Deletes the stored data of a source, so that it can start over with another account. Events and deliveries stay. */

import type { Clock } from '../model/time.ts';
import type { LeaseStore } from '../ports/lease-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { SourceData, SourceDataStore } from '../ports/source-data-store.ts';
import { readAccount, rememberAccount } from './account/account.ts';
import { acquireSourceLease } from './source-lease.ts';

export interface ForgetPorts {
  readonly sourceData: SourceDataStore;
  readonly snapshots: SnapshotStore;
  readonly leases: LeaseStore;
  readonly clock: Clock;
  /** Identifies this process as a lease holder. */
  readonly holder: string;
}

/** What was deleted; undefined while another process polls the source. */
export async function forgetSource(ports: ForgetPorts, source: string): Promise<SourceData | undefined> {
  const lease = await acquireSourceLease(ports, source);
  if (lease === undefined) return undefined;
  try {
    const data = await ports.sourceData.describe(source);
    const memory = await readAccount(ports.snapshots, source);
    const forgottenVersion = Math.max(memory.forgottenVersion, data.highestVersion);
    // First: without the highest version, events of the next account could have ids that exist already.
    await rememberAccount(ports, source, { ...memory, forgottenVersion }, undefined);
    await ports.sourceData.forget(source);
    return data;
  } finally {
    await lease.release();
  }
}
