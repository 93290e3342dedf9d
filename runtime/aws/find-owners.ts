/**
 * Finds the owners of the subscriptions whose deliveries tick queues: the agenda has their names only. Remembers what it read,
 * because a list of all subscriptions every minute would cost more than the tick itself.
 */

import type { FindOwners } from '../../core/delivery/tick.ts';
import { between, type Clock, type Duration, type Instant, MINUTE } from '../../core/model/time.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';

/** A name gets another owner only if its subscription is removed and made again: until then its jobs have the old turn. */
const READ_EVERY: Duration = 15 * MINUTE;

/** A tick queues several batches. Names that a list did not have, such as removed ones, are not looked for in each of them. */
const MIN_PAUSE: Duration = MINUTE / 2;

interface OwnerLookupPorts {
  readonly subscriptions: Pick<SubscriptionStore, 'list'>;
  readonly clock: Clock;
}

export function createOwnerLookup({ subscriptions, clock }: OwnerLookupPorts): FindOwners {
  let known = new Map<string, string | undefined>();
  let readAt: Instant | undefined;
  return async (names) => {
    if (names.size === 0) return new Map();
    const now = clock.now();
    const age = readAt === undefined ? READ_EVERY : Math.abs(between(readAt, now));
    const isUnknown = [...names].some((name) => !known.has(name));
    if (age >= READ_EVERY || (isUnknown && age >= MIN_PAUSE)) {
      readAt = now;
      try {
        known = new Map((await subscriptions.list()).map(({ name, owner }) => [name, owner]));
      } catch {
        // Those that are known serve on: owners only order the queue, and what is due must be queued.
      }
    }
    const owners = new Map<string, string>();
    for (const name of names) {
      const owner = known.get(name);
      if (owner !== undefined) owners.set(name, owner);
    }
    return owners;
  };
}
