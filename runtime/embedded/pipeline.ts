/** The pieces of work a cycle consists of, shared by `once` and `serve`, and who is told of them. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DeliveryResult, deliver } from '../../core/delivery/deliver.ts';
import { announceFeed } from '../../core/events/announce.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { SECOND } from '../../core/model/time.ts';
import type { ReceivedJob } from '../../core/ports/queue.ts';
import type { FailedScan } from '../../core/source/poll.ts';
import type { ScanReport } from '../../core/source/scan.ts';
import type { Embedded } from './embedded.ts';
import { createSignal } from './signal.ts';

/** Told of everything as it happens: a terminal, a log, a test. */
export interface Watcher {
  /** `total` is null where nobody counted. */
  progress?(source: string, resource: string, seen: number, total: number | null): void;
  scanned?(report: ScanReport): void;
  scanFailed?(failed: FailedScan): void;
  /** Something of the source was due, and another process is at it. */
  leftToAnother?(source: string): void;
  announced?(events: readonly TidingsEvent[]): void;
  delivered?(delivered: DeliveryResult): void;
}

/** Longer than an attempt can take (15 s, mail and what is done again with a new secret 30 s): no job comes back under our hands. */
const VISIBILITY = 60 * SECOND;

/**
 * Attempts at the same time, all subscriptions together. Most of them wait for a receiver and cost a socket each; it
 * is wide so that those that hang leave the others room.
 */
export const CONCURRENCY = 256;

/** Announces until the feed is dry. Returns how many events there were. */
export async function announceAll(embedded: Embedded, watcher: Watcher, signal?: AbortSignal): Promise<number> {
  let count = 0;
  while (signal?.aborted !== true) {
    const events = await announceFeed(embedded);
    if (events === undefined) break;
    count += events.length;
    if (events.length > 0) watcher.announced?.(events);
    // A feed of thousands must not keep answers of receivers waiting: nothing here gives way by itself.
    await nextTurn();
  }
  return count;
}

export interface DeliverOptions {
  /** No job is taken after it; attempts in hand are finished. @default - never */
  readonly signal?: AbortSignal;
  /** Resolves when there may be more on the queue. @default - done as soon as the queue is dry */
  readonly more?: () => Promise<void>;
}

/**
 * Makes attempts, each on its own and each subscription in a lane of its own: a slow receiver delays nobody else's.
 * Returns how many jobs it took.
 */
export async function deliverAll(
  embedded: Embedded,
  watcher: Watcher,
  { signal, more }: DeliverOptions = {},
): Promise<number> {
  const { queue, clock, lanes } = embedded;
  const faults: unknown[] = [];
  const news = createSignal();
  let inHand = 0;
  let count = 0;
  // One wait at a time, kept over many rounds: a busy queue would pile up timers otherwise.
  let isWaiting = false;

  const work = async (received: ReceivedJob): Promise<void> => {
    const { group } = received.job;
    let went: 'well' | 'badly' | 'nothing' = 'badly';
    lanes.begin(group, performance.now());
    inHand += 1;
    try {
      let isAcknowledged = false;
      const saveOutcome = async (delivery: Delivery): Promise<boolean> => {
        isAcknowledged = await embedded.finishJob(delivery, received);
        return isAcknowledged;
      };
      const delivered = await deliver({ ...embedded, saveOutcome }, received.job);
      if (delivered === undefined) went = 'nothing';
      else if (delivered.delivery.status === 'settled') went = 'well';
      if (!isAcknowledged) await queue.acknowledge(received);
      if (delivered !== undefined) watcher.delivered?.(delivered);
    } catch (fault) {
      faults.push(fault);
    } finally {
      lanes.end(group, went);
      inHand -= 1;
      news.notify();
    }
  };

  // A queue that cannot be asked ends the work, not the attempts in hand: what they told would be told again.
  const receive = (limit: number, room: (group: string) => number): Promise<readonly ReceivedJob[]> =>
    queue.receive({ limit, visibility: VISIBILITY, room }, clock.now()).catch((fault: unknown) => {
      faults.push(fault);
      return [];
    });

  while (signal?.aborted !== true && faults.length === 0) {
    const limit = CONCURRENCY - inHand;
    const wasIdle = inHand === 0;
    const room = (group: string) => lanes.room(group, performance.now());
    const received = limit === 0 ? [] : await receive(limit, room);
    count += received.length;
    for (const one of received) void work(one);
    if (faults.length > 0) break;
    if (received.length > 0 && received.length === limit) continue;
    // Real time, whatever time it is for the events: a rate is about a receiver, and that lives in real time.
    const opensAt = lanes.opensAt();
    // Only a look at the queue with nothing in hand tells that it is dry: what was in hand may have kept its lane full.
    if (wasIdle && inHand === 0 && opensAt === undefined && more === undefined) break;
    if (more !== undefined && limit > 0 && !isWaiting) {
      isWaiting = true;
      void more().then(() => {
        isWaiting = false;
        news.notify();
      });
    }
    await news.wait(opensAt === undefined ? undefined : opensAt - performance.now(), signal);
    // Attempts end in groups: those of this turn are all counted before the queue is asked for more.
    await nextTurn();
  }
  while (inHand > 0) await news.wait();
  if (faults.length > 0) throw faults[0];
  return count;
}
