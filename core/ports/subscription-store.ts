/** Port: subscriptions, both those declared in the config and those added by commands. */

import type { Subscription } from '../model/subscription.ts';

export interface Applied {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Returns the subscription to store, given the declared one and the stored one it replaces. */
export type MergeSubscription = (declared: Subscription, stored: Subscription | undefined) => Subscription;

export interface SubscriptionStore {
  get(name: string): Promise<Subscription | undefined>;
  /** Sorted by name. */
  list(): Promise<readonly Subscription[]>;
  /**
   * Makes the declared subscriptions exactly these. Subscriptions added by commands are left unchanged. `merge` is called
   * atomically to carry state from the stored subscription into its replacement. @default - nothing is carried over
   */
  applyDeclared(subscriptions: readonly Subscription[], merge?: MergeSubscription): Promise<Applied>;
  /** Adds it, or replaces the one with the same name. */
  save(subscription: Subscription): Promise<void>;
  /** Changes the stored subscription atomically. Returns false when there is none. */
  update(name: string, change: (stored: Subscription) => Subscription): Promise<boolean>;
  /** Returns false when there was none. Its deliveries stay, and fail at their next attempt. */
  remove(name: string): Promise<boolean>;
}
