/** Port: leases that keep a piece of work to one holder at a time. */

import type { Duration, Instant } from '../model/time.ts';

export interface Lease {
  readonly name: string;
  readonly holder: string;
  /** Increases with every new lease of this name: a holder with a smaller fence has been overtaken. */
  readonly fence: number;
  /** Whether the previous holder did not release it, so that its work may be unfinished. True for a lease that is extended. */
  readonly isTakenOver: boolean;
}

interface LeaseOptions {
  /** Whether the store may forget the name a day after the lease has ended: names come and go. Its fences then start again. @default false */
  readonly isTemporary?: boolean;
}

export interface LeaseStore {
  /**
   * Returns undefined while the lease of another holder has not expired. A lease that ends later than twice the duration
   * from now has expired: the clock was put back. The same holder extends its own lease.
   */
  acquire(
    name: string,
    holder: string,
    now: Instant,
    duration: Duration,
    options?: LeaseOptions,
  ): Promise<Lease | undefined>;
  /** Releases the lease early; has no effect when another holder has taken it over. */
  release(lease: Lease): Promise<void>;
}
