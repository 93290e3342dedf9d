/**
 * Deletes what is past the retention period: events, feed entries, audit entries, and what expired: subscriptions, links and sessions. Events
 * with open deliveries are kept regardless of age.
 */

import { UsageError } from '../model/errors.ts';
import { isExpired, KEPT_AFTER_EXPIRY, type Subscription } from '../model/subscription.ts';
import { type Clock, type Duration, plus } from '../model/time.ts';
import type { AuditStore } from '../ports/audit-store.ts';
import type { ConsolePassStore } from '../ports/console-pass-store.ts';
import type { DocumentStore } from '../ports/document-store.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { ChangeFeed } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';

export interface RetentionPorts {
  readonly events: EventStore;
  readonly feed: ChangeFeed;
  readonly audit: AuditStore;
  readonly consolePasses: ConsolePassStore;
  readonly idempotency: IdempotencyStore;
  readonly documents: Pick<DocumentStore, 'prune'>;
  readonly subscriptions: SubscriptionStore;
  readonly clock: Clock;
}

/** Returns the number of deleted events. */
export async function prune(ports: RetentionPorts, retention: Duration): Promise<number> {
  const { events, feed, audit, consolePasses, idempotency, documents, clock } = ports;
  const now = clock.now();
  const before = plus(now, -retention);
  await feed.prune(before);
  await audit.prune(before);
  await idempotency.prune(now);
  await consolePasses.prune(now);
  await documents.prune(now);
  await removeExpired(ports);
  return events.prune(before);
}

/** Some days after their end: until then their last deliveries are retried. */
async function removeExpired({ subscriptions, clock }: RetentionPorts): Promise<void> {
  const before = plus(clock.now(), -KEPT_AFTER_EXPIRY);
  // Its program may declare it again meanwhile.
  const assertExpired = (stored: Subscription) => {
    if (isExpired(stored, before)) return;
    throw new UsageError('TIDINGS_API_CHANGED', `subscription '${stored.name}' was added again`);
  };
  for (const one of await subscriptions.list()) {
    if (!isExpired(one, before)) continue;
    try {
      await subscriptions.remove(one.name, assertExpired);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
  }
}
