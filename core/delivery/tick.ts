/** Puts the deliveries whose time has come on the queue. Makes no attempt itself and makes no request to the API. */

import type { AttemptMoment } from '../model/agenda.ts';
import { QUEUE_GRACE } from '../model/delivery.ts';
import { takeTurns } from '../model/take-turns.ts';
import { type Clock, type Duration, type Instant, plus } from '../model/time.ts';
import type { Agenda, ReadBacklog } from '../ports/agenda.ts';
import type { NewJob, Queue } from '../ports/queue.ts';

export interface TickPorts {
  readonly agenda: Agenda;
  readonly queue: Queue;
  readonly clock: Clock;
  /** Time until the next tick, where ticks are rare. Deliveries due by then are queued now with a delay. @default 0 */
  readonly ahead?: Duration;
  /** Who made each of these subscriptions, for a queue that schedules owners fairly. @default - the queue does not */
  readonly findOwners?: FindOwners;
  /** Reads a long backlog with something of each subscription, however much of others is due before. @default - the earliest */
  readonly readBacklog?: ReadBacklog;
  /** The same for what became due since the last tick: to read all of a long backlog takes seconds. @default - it is read with the rest */
  readonly readRecent?: ReadBacklog;
}

/** Returns the owners of those of these subscriptions that have one. */
export type FindOwners = (subscriptions: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;

/** As many as one run of a small function can process; the rest stays due for the next run. */
export const TICK_BATCH = 500;

/** What one run has queued so far: an eventually consistent index may return it again. */
export type QueuedAttempts = Set<string>;

/** The batch size of a queue. A failed batch does not affect the others. */
const SEND_BATCH = 10;

/** How much of a backlog is read at once, so that the owners take turns in it. */
const FAIR_WINDOW = 10_000;

/**
 * Returns how many deliveries it queued. With more than a batch of them the owners take turns, where they are known: the backlog of one
 * does not delay the others. @param mayGoOn whether there is time for another batch of such a backlog. @default - there is not
 */
export async function tick(
  ports: TickPorts,
  queued: QueuedAttempts = new Set(),
  mayGoOn: () => boolean = () => false,
): Promise<number> {
  const { findOwners, readBacklog = ports.agenda.due, readRecent } = ports;
  const now = ports.clock.now();
  const earliest = await newlyDue(ports, ports.agenda.due, now, queued, TICK_BATCH);
  const queueInOrder = async (due: readonly AttemptMoment[], isFair: boolean, goesOn: () => boolean) => {
    const owners = await findOwners?.(new Set(due.map(({ subscription }) => subscription)));
    // Each subscription without an owner counts as one.
    const ownerOf = ({ subscription }: AttemptMoment) => owners?.get(subscription) ?? ` ${subscription}`;
    const ordered = isFair ? takeTurns(due, ownerOf) : due;
    let count = 0;
    do {
      const batch = ordered.slice(count, count + TICK_BATCH);
      await queueAll(ports, batch, now, queued, owners);
      count += batch.length;
    } while (count < ordered.length && goesOn());
    return count;
  };
  const isBacklog = findOwners !== undefined && earliest.length === TICK_BATCH;
  if (!isBacklog) return queueInOrder(earliest, false, mayGoOn);
  const recent = readRecent === undefined ? [] : await newlyDue(ports, readRecent, now, queued, FAIR_WINDOW);
  const first = await queueInOrder(recent, true, () => false);
  if (first >= TICK_BATCH && !mayGoOn()) return first;
  return first + (await queueInOrder(await newlyDue(ports, readBacklog, now, queued, FAIR_WINDOW), true, mayGoOn));
}

async function queueAll(
  ports: TickPorts,
  due: readonly AttemptMoment[],
  now: Instant,
  queued: QueuedAttempts,
  owners: Owners,
): Promise<void> {
  const sent = await Promise.allSettled(
    inBatches(due).map(async (batch) => {
      await queueBatch(ports, batch, now, owners);
      for (const moment of batch) queued.add(attemptKey(moment));
    }),
  );
  const failed = sent.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

type Owners = ReadonlyMap<string, string> | undefined;

/**
 * The index may return deliveries that are already queued before others; then that many more are requested. Not from
 * the start, because after a long downtime that would read thousands for nothing.
 */
async function newlyDue(
  { ahead = 0 }: Pick<TickPorts, 'ahead'>,
  readDue: ReadBacklog,
  now: Instant,
  queued: QueuedAttempts,
  size: number,
): Promise<readonly AttemptMoment[]> {
  const until = plus(now, ahead);
  for (let limit = size; ; ) {
    const named = await readDue(until, limit);
    const fresh = named.filter((moment) => !queued.has(attemptKey(moment)));
    if (fresh.length >= size || named.length < limit) return fresh.slice(0, size);
    limit = size + named.length - fresh.length;
  }
}

/**
 * Postpones first, then queues each delivery that it postponed, with the new time: of two concurrent ticks, one queues it,
 * and jobs of earlier ticks are stale. After a crash in between, the delivery is queued when the postponement ends.
 */
async function queueBatch(
  { agenda, queue }: TickPorts,
  due: readonly AttemptMoment[],
  now: Instant,
  owners: Owners = new Map(),
): Promise<void> {
  const moves = due.map((moment) => ({ moment, to: plus(moment.at > now ? moment.at : now, QUEUE_GRACE) }));
  const moved = await Promise.allSettled(moves.map(({ moment, to }) => agenda.postpone(moment, to)));
  const won = moves.filter((_, index) => moved[index]?.status === 'fulfilled' && moved[index].value);
  try {
    await queue.send(won.map(toJob(now, owners)), now);
  } catch (error) {
    // Due again for the next tick, which makes jobs that were sent nevertheless stale.
    await Promise.all(won.map(({ moment, to }) => agenda.postpone({ ...moment, at: to }, moment.at)));
    throw error;
  }
  const failed = moved.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const toJob =
  (now: Instant, owners: ReadonlyMap<string, string>) =>
  ({ moment: { delivery, attempt, subscription, at }, to }: { moment: AttemptMoment; to: Instant }): NewJob => ({
    kind: 'attempt',
    delivery,
    attempt,
    group: subscription,
    dueAt: to,
    notBefore: at > now ? at : undefined,
    owner: owners.get(subscription),
  });

const attemptKey = ({ delivery, attempt }: AttemptMoment) => `${delivery} ${attempt}`;

const inBatches = <T>(all: readonly T[]): (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / SEND_BATCH) }, (_, n) => all.slice(n * SEND_BATCH, (n + 1) * SEND_BATCH));
