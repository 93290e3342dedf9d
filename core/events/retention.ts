/** Deletes what is past the retention period: events, feed entries, audit entries, and links and sessions that expired. Events with open deliveries are kept regardless of age. */

import { type Clock, type Duration, plus } from '../model/time.ts';
import type { AuditStore } from '../ports/audit-store.ts';
import type { ConsolePassStore } from '../ports/console-pass-store.ts';
import type { DocumentStore } from '../ports/document-store.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { ChangeFeed } from '../ports/snapshot-store.ts';

export interface RetentionPorts {
  readonly events: EventStore;
  readonly feed: ChangeFeed;
  readonly audit: AuditStore;
  readonly consolePasses: ConsolePassStore;
  readonly idempotency: IdempotencyStore;
  readonly documents: Pick<DocumentStore, 'prune'>;
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
  return events.prune(before);
}
