/** The announce and deliver steps of a cycle, shared by `once` and `serve`, and the observer interface for their results. */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { createWorkTurns, createWritePace } from '../../adapters/event-loop-pace.ts';
import type { TakenJob } from '../../adapters/sqlite/stores.ts';
import { storedId } from '../../adapters/stored-job.ts';
import { type DeliveryResult, deliver } from '../../core/delivery/deliver.ts';
import type { LaneOutcome } from '../../core/delivery/lanes.ts';
import type { Unattempted } from '../../core/delivery/unattempted.ts';
import { announceFeed, type FeedPorts } from '../../core/events/announce-feed.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { plus, SECOND } from '../../core/model/time.ts';
import type { AttemptJob, Job } from '../../core/ports/queue.ts';
import type { FailedScan } from '../../core/source/poll-ports.ts';
import type { ScanReport } from '../../core/source/scan/scan-report.ts';
import type { Embedded } from './embedded.ts';
import { CONCURRENCY } from './embedded.ts';
import { createSignal } from './signal.ts';

/** Receives results as they happen, for a terminal, a log or a test. */
export interface Watcher {
  /** `total` is null when unknown. */
  progress?(source: string, resource: string, seen: number, total: number | null): void;
  scanned?(report: ScanReport): void;
  scanFailed?(failed: FailedScan): void;
  /** A scan of the source was due, but another process holds its lease. */
  leftToAnother?(source: string): void;
  /** The clock was put back since the last scan of this source. */
  clockMovedBack?(source: string): void;
  /** The API was asked for the zone and named none: no time-driven event can come. */
  zoneUnknown?(source: string): void;
  announced?(events: readonly TidingsEvent[]): void;
  delivered?(delivered: DeliveryResult): void;
  /** A job made no attempt. */
  unattempted?(job: AttemptJob, outcome: Unattempted): void;
}

/**
 * Longer than any request (15 s; mail and retries with a rotated secret 30 s), so that no job in flight is received again. To compose
 * very many digests takes longer: then the job is hidden again.
 */
const VISIBILITY = 60 * SECOND;

/** Announces what the feed has. Returns the number of events. A commit meanwhile notifies the caller, who announces again. */
export async function announceAll(embedded: Embedded, watcher: Watcher, signal?: AbortSignal): Promise<number> {
  let count = 0;
  // Others are served after each wait: no commit whose notification it takes is missed.
  const waitForNews = embedded.signals.changed.wait;
  const { testFilters } = embedded;
  while (signal?.aborted !== true) {
    const startedAt = embedded.clock.now();
    const takeTurns: FeedPorts['takeTurns'] = (serveOthers) => {
      const { pace, waitFor } = createWorkTurns({ serveOthers, waitForNews });
      return { pace, testFilters: testFilters && ((...asked) => waitFor(testFilters(...asked))) };
    };
    const batch = await announceFeed({ ...embedded, betweenWrites: createWritePace(), takeTurns }, signal);
    if (batch === undefined) break;
    const { events, isLast } = batch;
    embedded.tracer?.announced(events, startedAt);
    count += events.length;
    if (events.length > 0) watcher.announced?.(events);
    // Yield to the event loop: a feed of thousands must not delay the responses of receivers, and what is committed
    // meanwhile becomes one batch.
    await nextEventLoopTurn();
    // A read that finds nothing costs as much as one that finds something.
    if (isLast) break;
  }
  return count;
}

export interface DeliverOptions {
  /** On abort no further job is taken; attempts in flight are finished. @default - never */
  readonly signal?: AbortSignal;
  /** Resolves when there may be more on the queue. @default - stops as soon as the queue is empty */
  readonly more?: () => Promise<unknown>;
  /** Runs work of the Slack app. It throws when it is to be run again. @default - such jobs stay on the queue */
  readonly runTask?: RunQueuedTask;
  /** Called when no further job is taken. @default - nobody waits for that */
  readonly onDraining?: () => void;
}

/** @param id of the task */
export type RunQueuedTask = (id: string) => Promise<void>;

/**
 * Makes attempts concurrently, each subscription in its own lane, so that a slow receiver delays no other. Returns the
 * number of jobs taken.
 */
export async function deliverAll(
  embedded: Embedded,
  watcher: Watcher,
  { signal, more, runTask, onDraining }: DeliverOptions = {},
): Promise<number> {
  const { queue, clock, lanes } = embedded;
  const faults: unknown[] = [];
  const wakeUp = createSignal();
  const inFlight = new Set<string>();
  /** Attempts whose outcome is not known yet. */
  let running = 0;
  let count = 0;
  /** Whether the last read may have left jobs on the queue for lack of room. */
  let isLimited = false;
  // One wait at a time over many rounds: otherwise a busy queue would pile up timers.
  let isWaiting = false;
  const isDraining = () => more === undefined || signal?.aborted === true || faults.length > 0;

  const work = async (received: TakenJob): Promise<void> => {
    const { job, recorded } = received;
    const { group } = job;
    const name = `${storedId(job)} ${job.attempt}`;
    // While the machine slept, the job of an attempt in flight became visible again.
    if (inFlight.has(name)) return;
    lanes.begin(group, performance.now());
    inFlight.add(name);
    running += 1;
    const endAlive = embedded.keepAlive(() => embedded.extendJob(received, plus(clock.now(), VISIBILITY)));
    let isRunning = true;
    const end = (outcome: LaneOutcome) => {
      if (!isRunning) return;
      isRunning = false;
      running -= 1;
      lanes.end(group, outcome);
      if (isLimited) wakeUp.notify();
    };
    try {
      if (job.kind === 'task') {
        if (await runOrLeave(runTask, job.task)) await queue.acknowledge(received);
        return;
      }
      let isAcknowledged = false;
      const saveOutcome = async (delivery: Delivery): Promise<boolean> => {
        // Before the write, so that the next job is received in the same transaction.
        end(delivery.status === 'settled' ? 'success' : 'failure');
        isAcknowledged = await embedded.finishJob(delivery, received);
        return isAcknowledged;
      };
      const outcome = await deliver({ ...embedded, saveOutcome }, job, { recorded });
      if (outcome.kind !== 'attempted') end('unsent');
      if (!isAcknowledged) await queue.acknowledge(received);
      if (outcome.kind === 'attempted') {
        embedded.tracer?.delivered(outcome.result);
        watcher.delivered?.(outcome.result);
      } else if (outcome.kind !== 'duplicate') watcher.unattempted?.(job, outcome);
    } catch (fault) {
      faults.push(fault);
    } finally {
      end('failure');
      endAlive();
      inFlight.delete(name);
      if (isDraining()) wakeUp.notify();
    }
  };

  const limit = () => (signal?.aborted === true ? 0 : CONCURRENCY - running);
  const offerJobs = () => {
    const offer = lanes.offer();
    const room = (group: string, kind: Job['kind']) =>
      kind === 'task' && runTask === undefined ? 0 : offer.room(group, performance.now());
    return { room, took: offer.take };
  };
  const closeInbox = embedded.inbox.open({
    options: () => ({ limit: limit(), visibility: VISIBILITY, ...offerJobs() }),
    begin: (received) => {
      count += 1;
      void work(received);
    },
  });

  const receive = async (): Promise<void> => {
    const offered = new Map<string, number>();
    const jobs = offerJobs();
    const offer = (group: string, kind: Job['kind']) => {
      // An attempt that ends from now on makes room that this read does not use.
      isLimited = true;
      const free = jobs.room(group, kind);
      offered.set(group, free);
      return free;
    };
    isLimited = false;
    let max = 0;
    const limitNow = () => {
      max = limit();
      return max;
    };
    const options = { limit: limitNow, visibility: VISIBILITY, room: offer, took: jobs.took };
    const received = await queue.receive(options, clock.now());
    const taken = Map.groupBy(received, ({ job }) => job.group);
    isLimited = received.length >= max || [...offered].some(([group, free]) => (taken.get(group)?.length ?? 0) >= free);
    count += received.length;
    for (const one of received) void work(one);
  };

  while (!(signal?.aborted === true || faults.length > 0)) {
    const wasIdle = inFlight.size === 0;
    // A failing queue ends the loop but not the attempts in flight: aborting them would send their events again.
    await receive().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) break;
    // Rates are kept in real time, whatever clock the events use.
    const opensAt = lanes.opensAt();
    // The queue is known to be empty only if nothing was in flight when it was read: a full lane may have hidden jobs.
    if (wasIdle && inFlight.size === 0 && opensAt === undefined && more === undefined) break;
    if (more !== undefined && !isWaiting) {
      isWaiting = true;
      void more().then(() => {
        isWaiting = false;
        wakeUp.notify();
      });
    }
    await wakeUp.wait(opensAt === undefined ? undefined : opensAt - performance.now(), signal);
  }
  closeInbox();
  onDraining?.();
  while (inFlight.size > 0) await wakeUp.wait();
  if (faults.length > 0) throw faults[0];
  return count;
}

/** False if it failed: the job is received again later. Its own faults do not end the service. */
async function runOrLeave(runTask: RunQueuedTask | undefined, id: string): Promise<boolean> {
  if (runTask === undefined) return false;
  return runTask(id).then(
    () => true,
    () => false,
  );
}
