/**
 * Does what only the passing of time makes due: re-stages records whose day has come, and puts deliveries whose moment
 * has come on the queue. Makes no attempt itself and asks nothing of the API.
 */

import type { AttemptMoment } from '../model/agenda.ts';
import { QUEUE_GRACE } from '../model/delivery.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { type Clock, type Duration, type Instant, plus } from '../model/time.ts';
import type { Agenda } from '../ports/agenda.ts';
import type { Queue } from '../ports/queue.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { computeStage, type StageRules } from './stage.ts';

export interface TickPorts {
  readonly snapshots: SnapshotStore;
  readonly agenda: Agenda;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly rules: StageRules;
  /** The zone in which a source's days are reckoned. */
  readonly zoneOf: (source: string) => Promise<string>;
  /**
   * Until the next tick, where those are rare: deliveries that are due by then are put on the queue now, which hands them
   * over at their moment. @default 0
   */
  readonly ahead?: Duration;
}

/** As many as fit one round of a small function; what is left is due at the next one still. */
export const TICK_BATCH = 500;

/** What one run has queued so far: an index that lags behind its table names it once more. */
export type QueuedAttempts = Set<string>;

/** Returns how many things were due. A fault of the one part does not keep the other from its work. */
export async function tick(ports: TickPorts, queued: QueuedAttempts = new Set()): Promise<number> {
  const [restaged] = await Promise.allSettled([restageDue(ports)]);
  const sent = await queueDue(ports, queued);
  if (restaged.status === 'rejected') throw restaged.reason;
  return restaged.value + sent;
}

/**
 * Earliest moment first, and each record as of its own moment, not as of now: after days of silence it is due soon
 * before it is overdue, as it would have been. A record with several moments in the past comes up again in this round.
 */
async function restageDue({ snapshots, clock, rules, zoneOf }: TickPorts): Promise<number> {
  const now = clock.now();
  const due = await snapshots.due(now, TICK_BATCH);
  for (const { key, at } of due) {
    const before = await snapshots.get(key);
    // Somebody else was here meanwhile: whatever it is now, its moment is another.
    if (before === undefined || before.nextMoment !== at) continue;
    const next = restage(before, await zoneOf(key.source), at, now, rules);
    await snapshots.commit([{ snapshot: next, expected: before.version }]);
  }
  return due.length;
}

/** The snapshot after its moment. What time alone did happened exactly then. */
export function restage(before: Snapshot, zone: string, at: Instant, now: Instant, rules: StageRules): Snapshot {
  const { stage, nextMoment } = computeStage(before.key.resource, before.record, zone, at, rules);
  // Nobody did this.
  const { by: _, ...rest } = before;
  return {
    ...rest,
    version: before.version + 1,
    stage,
    nextMoment,
    cause: 'tick',
    committedAt: now,
    occurred: { after: at, before: at },
  };
}

/** As many as a queue takes at once: what fails, fails for so many, and the others are moved on. */
const SEND_BATCH = 10;

async function queueDue(ports: TickPorts, queued: QueuedAttempts): Promise<number> {
  const now = ports.clock.now();
  const due = await newlyDue(ports, now, queued);
  const sent = await Promise.allSettled(
    inBatches(due).map(async (batch) => {
      await queueBatch(ports, batch, now);
      for (const moment of batch) queued.add(nameOf(moment));
    }),
  );
  const failed = sent.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return due.length;
}

/**
 * Those that were queued already may be named again, before any that were not: then as many more are asked for. Not from
 * the start, for after days of silence that would be thousands for nothing, with every batch again.
 */
async function newlyDue(
  { agenda, ahead = 0 }: TickPorts,
  now: Instant,
  queued: QueuedAttempts,
): Promise<readonly AttemptMoment[]> {
  const until = plus(now, ahead);
  for (let limit = TICK_BATCH; ; ) {
    const named = await agenda.due(until, limit);
    const fresh = named.filter((moment) => !queued.has(nameOf(moment)));
    if (fresh.length >= TICK_BATCH || named.length < limit) return fresh.slice(0, TICK_BATCH);
    limit = TICK_BATCH + named.length - fresh.length;
  }
}

/**
 * Queue first, move second: killed between the two, the deliveries are queued twice for the same attempt, and the second
 * job is stale. The other way round nobody would queue them for the two minutes they were moved by.
 */
async function queueBatch({ agenda, queue }: TickPorts, due: readonly AttemptMoment[], now: Instant): Promise<void> {
  const jobs = due.map(({ delivery, attempt, subscription, at }) => ({
    delivery,
    attempt,
    group: subscription,
    ...(at > now ? { notBefore: at } : {}),
  }));
  await queue.send(jobs, now);
  await Promise.all(due.map((moment) => agenda.postpone(moment, plus(moment.at > now ? moment.at : now, QUEUE_GRACE))));
}

const nameOf = ({ delivery, attempt }: AttemptMoment) => `${delivery} ${attempt}`;

const inBatches = <T>(all: readonly T[]): (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / SEND_BATCH) }, (_, n) => all.slice(n * SEND_BATCH, (n + 1) * SEND_BATCH));
