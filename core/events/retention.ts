/** Deletes events and feed entries past the retention period. Events with open deliveries are kept regardless of age. */

import { type Clock, type Duration, plus } from '../model/time.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { ChangeFeed } from '../ports/snapshot-store.ts';

export interface RetentionPorts {
  readonly events: EventStore;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
}

/** Returns the number of deleted events. */
export async function prune({ events, feed, clock }: RetentionPorts, retention: Duration): Promise<number> {
  const before = plus(clock.now(), -retention);
  await feed.prune(before);
  return events.prune(before);
}
