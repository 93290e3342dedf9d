/** Port: subscriptions, both those declared in the config and those added by commands. */

import type { Subscription } from '../model/subscription.ts';

export interface Applied {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Returns the subscription to store, given the declared one and the stored one it replaces. */
type MergeSubscription = (declared: Subscription, stored: Subscription | undefined) => Subscription;

export interface SubscriptionStore {
  get(name: string): Promise<Subscription | undefined>;
  /** Sorted by name. @param consistent whether it sees every write that has ended. @default false: it may miss those of the last second */
  list(consistent?: boolean): Promise<readonly Subscription[]>;
  /** Those whose names begin so, sorted by name. Reads no others, and sees every write that has ended. */
  listNamed(prefix: string): Promise<readonly Subscription[]>;
  /**
   * Makes the declared subscriptions exactly these. Subscriptions added by commands are left unchanged. `merge` is called
   * atomically to carry state from the stored subscription into its replacement. @default - nothing is carried over
   */
  applyDeclared(subscriptions: readonly Subscription[], merge?: MergeSubscription): Promise<Applied>;
  /** Adds it, or replaces the one with the same name. */
  save(subscription: Subscription): Promise<void>;
  /**
   * Adds it unless one with the same name is stored that `replaces` does not accept. Returns whether it was stored. Two
   * concurrent calls add one. @param replaces @default - no stored one is replaced
   */
  add(subscription: Subscription, replaces?: (stored: Subscription) => boolean): Promise<boolean>;
  /** Changes the stored subscription atomically. Returns false when there is none. An error of `change` is thrown, and nothing is written. */
  update(name: string, change: (stored: Subscription) => Subscription): Promise<boolean>;
  /**
   * Returns false when there was none. Its deliveries stay, and fail at their next attempt. @param assertRemovable gets the
   * stored one atomically, and throws to keep it. @default - it is removed whatever it is
   */
  remove(name: string, assertRemovable?: (stored: Subscription) => void): Promise<boolean>;
}
