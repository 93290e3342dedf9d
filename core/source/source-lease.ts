/**
 * Keeps a source to one poller at a time: its quota, its pace and its resources are one poller's while it is held.
 * Knows nothing of scans; what one that was overtaken may still do is made harmless by the versions it writes on.
 */

import { RetryLater, TidingsError } from '../model/errors.ts';
import { between, type Clock, type Duration, MINUTE } from '../model/time.ts';
import type { Lease, ScanLedger } from '../ports/ledger.ts';

export interface SourceLeasePorts {
  readonly ledger: Pick<ScanLedger, 'acquireLease' | 'releaseLease'>;
  readonly clock: Clock;
  /** Names this process among pollers; a lease belongs to one holder. */
  readonly holder: string;
}

export interface SourceLease {
  /** To be called before anything is written: throws TIDINGS_SOURCE_LEASE_LOST when another poller took over. */
  renew(): Promise<void>;
  /** Gives the source back; no effect when it was lost. */
  release(): Promise<void>;
}

/** Longer than a page takes; a poller that dies holds up the next one no longer than this. */
const LEASE: Duration = 2 * MINUTE;

/**
 * A hold younger than this is believed without asking: a page takes seconds, and a write a page would be a price. The
 * other half is left for what is written next, and for clocks that differ.
 */
const BELIEVED: Duration = LEASE / 2;

const LOST = 'TIDINGS_SOURCE_LEASE_LOST';

/** Undefined while another poller is at the source. */
export async function acquireSourceLease(
  { ledger, clock, holder }: SourceLeasePorts,
  source: string,
): Promise<SourceLease | undefined> {
  const name = `poll/${source}`;
  let heldAt = clock.now();
  let lease: Lease | undefined = await ledger.acquireLease(name, holder, heldAt, LEASE);
  if (lease === undefined) return undefined;
  return {
    async renew() {
      if (lease === undefined) throw leaseLostError(source);
      const now = clock.now();
      if (between(heldAt, now) < BELIEVED) return;
      const had = lease.fence;
      lease = await ledger.acquireLease(name, holder, now, LEASE);
      heldAt = now;
      // The next fence: the lease ran out, as it does when a page takes minutes, and nobody came in between.
      if (lease !== undefined && lease.fence - had <= 1) return;
      const taken = lease;
      lease = undefined;
      if (taken !== undefined) await ledger.releaseLease(taken);
      throw leaseLostError(source);
    },

    async release() {
      if (lease !== undefined) await ledger.releaseLease(lease);
    },
  };
}

export function leaseLostError(what: string): RetryLater {
  return new RetryLater(LOST, `${what}: another poller took over; this one stops`);
}

export function isLeaseLost(error: unknown): boolean {
  return error instanceof TidingsError && error.code === LOST;
}
