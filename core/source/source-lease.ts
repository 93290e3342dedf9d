/**
 * Ensures that only one poller at a time reads a source, so that its quota and request rate have one owner.
 * A poller that lost its lease does no harm: its writes are conditional on versions that have changed.
 */

import { RetryLater, TidingsError } from '../model/errors.ts';
import { between, type Clock, type Duration, MINUTE } from '../model/time.ts';
import type { Lease, LeaseStore } from '../ports/lease-store.ts';

export interface SourceLeasePorts {
  readonly leases: LeaseStore;
  readonly clock: Clock;
  /** Identifies this process as a lease holder. */
  readonly holder: string;
}

export interface SourceLease {
  /** Called before every write. Throws TIDINGS_SOURCE_LEASE_LOST when another poller has taken over. */
  renew(): Promise<void>;
  /** No effect when the lease was lost. */
  release(): Promise<void>;
}

/** Longer than a page takes. After a crash the next poller waits no longer than this. */
const LEASE_DURATION: Duration = 2 * MINUTE;

/**
 * A lease renewed more recently than this is trusted without a write, because a page takes only seconds. The other half
 * leaves time for the next write and for clocks that differ.
 */
const RENEW_AFTER: Duration = LEASE_DURATION / 2;

const LOST = 'TIDINGS_SOURCE_LEASE_LOST';

/** Who holds it polls the source, and alone writes its snapshots. */
export const sourceLeaseName = (source: string) => `poll/${source}`;

/** Undefined while another poller holds the lease. */
export async function acquireSourceLease(
  { leases, clock, holder }: SourceLeasePorts,
  source: string,
): Promise<SourceLease | undefined> {
  const name = sourceLeaseName(source);
  let renewedAt = clock.now();
  let lease: Lease | undefined = await leases.acquire(name, holder, renewedAt, LEASE_DURATION);
  if (lease === undefined) return undefined;
  return {
    async renew() {
      if (lease === undefined) throw leaseLostError(source);
      const now = clock.now();
      // In both directions: the clock may be put back.
      if (Math.abs(between(renewedAt, now)) < RENEW_AFTER) return;
      const previousFence = lease.fence;
      lease = await leases.acquire(name, holder, now, LEASE_DURATION);
      renewedAt = now;
      // A fence one higher: the lease had expired, as it does when a page takes minutes, but no other poller held it.
      if (lease !== undefined && lease.fence - previousFence <= 1) return;
      const unwanted = lease;
      lease = undefined;
      if (unwanted !== undefined) await leases.release(unwanted);
      throw leaseLostError(source);
    },

    async release() {
      if (lease !== undefined) await leases.release(lease);
    },
  };
}

/** @param what the source, or the source and its resource */
export function leaseLostError(what: string): RetryLater {
  return new RetryLater(LOST, `${what}: lease lost; another poller has taken over`);
}

export function isLeaseLost(error: unknown): boolean {
  return error instanceof TidingsError && error.code === LOST;
}
