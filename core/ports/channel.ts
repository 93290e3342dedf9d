/** Port: one way to a receiver. Resolves when the receiver took it; throws RetryLater or GiveUp when it did not. */

import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';

export interface Parcel {
  readonly subscription: Subscription;
  readonly event: TidingsEvent;
  /** When this attempt is made: signed, so that a receiver can refuse old copies. */
  readonly at: Instant;
}

export interface Receipt {
  readonly status?: number;
  /** First 4 KB of the answer. */
  readonly body?: string;
}

export interface Channel {
  send(parcel: Parcel, signal?: AbortSignal): Promise<Receipt>;
}
