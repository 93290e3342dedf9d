/** Opens all store ports on one SQLite database, and the queue, which is in the same file. */

import type { Delivery } from '../../core/model/delivery.ts';
import type { Instant } from '../../core/model/time.ts';
import type { ReadBacklog } from '../../core/ports/agenda.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { Announcement } from '../../core/ports/event-store.ts';
import type { NewJob, Queue, ReceivedJob } from '../../core/ports/queue.ts';
import type { ChangeFeed, FeedMark, History, SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { storedId } from '../stored-job.ts';
import { sqliteAgenda, sqliteBacklog } from './agenda.ts';
import { sqliteApiKeyStore } from './api-key-store.ts';
import { sqliteAuditStore } from './audit-store.ts';
import { sqliteConsolePassStore } from './console-pass-store.ts';
import type { Database } from './database.ts';
import { saveAttempt, sqliteDeliveryStore } from './delivery-store.ts';
import { sqliteDocumentStore } from './document-store.ts';
import { insertEvents, type RecordedDelivery, sqliteEventStore } from './event-store.ts';
import { acknowledgeFeed } from './feed-table.ts';
import { createFeedTail } from './feed-tail.ts';
import { sqliteIdempotencyStore } from './idempotency-store.ts';
import { sqliteKeyUsageStore } from './key-usage-store.ts';
import { sqliteLeaseStore } from './lease-store.ts';
import { type LockGate, lockGate } from './lock-gate.ts';
import { sqliteManifestStore } from './manifest-store.ts';
import { hideJob, removeJob, sendJobs, sqliteQueue, type TakeOptions } from './queue.ts';
import { sqliteRequestLimiter } from './request-limiter.ts';
import { sqliteScanStateStore } from './scan-state-store.ts';
import { sqliteSnapshotStore } from './snapshot-store.ts';
import { sqliteSourceDataStore } from './source-data-store.ts';
import { sqliteSourceStore } from './source-store.ts';
import { sqliteSubscriptionStore } from './subscription-store.ts';
import { sqliteThreadStore } from './thread-store.ts';
import { sqliteWorkload, type Workload } from './workload.ts';

/** A job that was received in the write that queued it. */
export interface TakenJob extends ReceivedJob {
  /** Its delivery, if it was recorded in the same write. @default - it has to be read */
  readonly recorded?: RecordedDelivery | undefined;
}

export interface SqliteStores extends DatabaseStores {
  readonly snapshots: SnapshotStore & ChangeFeed & History;
  readonly queue: Queue;
  /**
   * Saves a delivery after an attempt and acknowledges its job in one transaction. Returns false and writes nothing when
   * that attempt is already recorded.
   */
  finishJob(delivery: Delivery, received: ReceivedJob): Promise<boolean>;
  /** Hides a job in flight from other receivers until then. */
  extendJob(received: ReceivedJob, until: Instant): Promise<void>;
  /**
   * Records events with their deliveries, queues the jobs and acknowledges the feed, in one transaction. Returns the jobs that
   * were received at once.
   */
  recordAndTake(
    announcements: readonly Announcement[],
    jobs: readonly NewJob[],
    now: Instant,
    options: { readonly take: TakeOptions; readonly processed?: readonly FeedMark[] },
  ): Promise<readonly TakenJob[]>;
  readonly readBacklog: ReadBacklog;
  /** The work that waits. */
  workload(): Promise<Workload>;
  /** Why the stores do not answer now. Needs no read. @default - they do */
  readonly unavailable: LockGate['unavailable'];
}

export function sqliteStores(db: Database): SqliteStores {
  const { guard, unavailable } = lockGate(db);
  const tail = createFeedTail();
  const snapshots = sqliteSnapshotStore(db, tail);
  const agenda = guard(sqliteAgenda(db));
  const subscriptions = guard(sqliteSubscriptionStore(db));
  return {
    events: guard(sqliteEventStore(db)),
    deliveries: guard(sqliteDeliveryStore(db)),
    agenda,
    readBacklog: sqliteBacklog(db, agenda, subscriptions),
    subscriptions,
    threads: guard(sqliteThreadStore(db)),
    scanStates: guard(sqliteScanStateStore(db)),
    leases: guard(sqliteLeaseStore(db)),
    // The lists are iterators over reads, which never wait for a writer.
    snapshots: { ...guard(snapshots), list: snapshots.list, listOpen: snapshots.listOpen },
    manifests: guard(sqliteManifestStore(db)),
    apiKeys: guard(sqliteApiKeyStore(db)),
    audit: guard(sqliteAuditStore(db)),
    consolePasses: guard(sqliteConsolePassStore(db)),
    idempotency: guard(sqliteIdempotencyStore(db)),
    documents: guard(sqliteDocumentStore(db)),
    requestLimiter: guard(sqliteRequestLimiter(db)),
    keyUsage: guard(sqliteKeyUsageStore(db)),
    sourceData: guard(sqliteSourceDataStore(db)),
    storedSources: guard(sqliteSourceStore(db)),
    queue: guard(sqliteQueue(db)),
    workload: sqliteWorkload(db),
    unavailable,
    ...guard({
      recordAndTake: async (
        announcements: readonly Announcement[],
        jobs: readonly NewJob[],
        now: Instant,
        { take, processed = [] }: { readonly take: TakeOptions; readonly processed?: readonly FeedMark[] },
      ) => {
        const jobsTaken = db.transaction(() => {
          for (const mark of processed) acknowledgeFeed(db, mark);
          const recorded = insertEvents(db, announcements);
          const taken = sendJobs(db, jobs, now, { take, recorded });
          return taken.map((received): TakenJob => ({ ...received, recorded: recorded.get(storedId(received.job)) }));
        });
        for (const mark of processed) tail.acknowledged(mark);
        return jobsTaken;
      },
      finishJob: (delivery: Delivery, received: ReceivedJob) =>
        db.batchWrite(() => {
          const isSaved = saveAttempt(db, delivery);
          if (isSaved) removeJob(db, received);
          return isSaved;
        }),
      extendJob: (received: ReceivedJob, until: Instant) => db.batchWrite(() => hideJob(db, received, until)),
    }),
  };
}
