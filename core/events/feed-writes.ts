/** The writes of a batch of the feed: how much each of them announces, and which marks of the feed it moves. */

import type { CompiledSubscriptions } from '../filters/match.ts';
import type { Pace } from '../model/pace.ts';
import type { Announcement } from '../ports/event-store.ts';
import type { ChangeFeed, FeedMark } from '../ports/snapshot-store.ts';
import { type AnnouncePorts, createRecordAndSend, type DerivedChange } from './announce.ts';

/** Deliveries that one write may open, if every filter matches. In the embedded mode it takes 0.1 ms for each. */
const MAX_DELIVERIES_PER_WRITE = 1000;

/** Deliveries of one write for those who are late: others wait for it. */
const MAX_LATE_PER_WRITE = 100;

/** The deliveries of a change, if every filter matches. */
const countWanted = ({ events }: DerivedChange, served: CompiledSubscriptions): number =>
  events.reduce((sum, { type }) => sum + served.wanting(type).length, 0);

/** Where the next part begins. A part has one change at least. */
export function endOfPart(changes: readonly DerivedChange[], start: number, served: CompiledSubscriptions): number {
  let deliveries = 0;
  for (const [index, change] of changes.entries()) {
    if (index < start) continue;
    deliveries += countWanted(change, served);
    if (deliveries > MAX_DELIVERIES_PER_WRITE && index > start) return index;
  }
  return changes.length;
}

interface WantedPart {
  readonly wanted: readonly DerivedChange[];
  /** Where the next part begins, with a change that is wanted. */
  readonly end: number;
}

/** The first part of what they want. */
export function findWanted(changes: readonly DerivedChange[], served: CompiledSubscriptions): WantedPart {
  const isWanted = (change: DerivedChange) => countWanted(change, served) > 0;
  const start = changes.findIndex(isWanted);
  if (start === -1) return { wanted: [], end: changes.length };
  const end = endOfPart(changes, start, served);
  const next = changes.findIndex((change, index) => index >= end && isWanted(change));
  return { wanted: changes.slice(start, end).filter(isWanted), end: next === -1 ? changes.length : next };
}

type RecordAndSend = NonNullable<AnnouncePorts['recordAndSend']>;

interface WritePorts extends Pick<AnnouncePorts, 'events' | 'queue' | 'recordAndSend'> {
  readonly feed: Pick<ChangeFeed, 'acknowledge'>;
}

/** @param marks to set with the write: if the process dies before, the batch is announced again. @default - none */
export function createWrite(ports: WritePorts, marks: readonly FeedMark[] | undefined): RecordAndSend {
  const { recordAndSend, feed } = ports;
  if (recordAndSend !== undefined) return (announcements, jobs, now) => recordAndSend(announcements, jobs, now, marks);
  const write = createRecordAndSend(ports);
  return async (announcements, jobs, now) => {
    await write(announcements, jobs, now);
    for (const { consumer, position } of marks ?? []) await feed.acknowledge(consumer, position);
  };
}

/**
 * Writes for those who are late. The events are recorded already: one that opens no deliveries, such as the health of receivers, is not
 * written.
 * @param advance returns the marks to set with the last write
 * @param afterWrite serves others
 * @param signal stops before the next write: the whole part is announced again
 */
export function createLateWrite(
  ports: WritePorts,
  advance: () => readonly FeedMark[],
  afterWrite: Pace,
  signal?: AbortSignal,
): RecordAndSend {
  return async (announcements, jobs, now) => {
    const parts = splitDeliveries(announcements);
    const jobOf = new Map(jobs.flatMap((job) => (job.kind === 'attempt' ? [[job.delivery, job] as const] : [])));
    for (const [index, part] of parts.entries()) {
      if (signal?.aborted === true) return;
      const own = part.flatMap(({ deliveries }) => deliveries.flatMap(({ id }) => jobOf.get(id) ?? []));
      await createWrite(ports, index === parts.length - 1 ? advance() : undefined)(part, own, now);
      await afterWrite();
    }
    if (parts.length === 0) await createWrite(ports, advance())([], [], now);
  };
}

/** What one write opens. An event of many deliveries is in several. */
function splitDeliveries(announcements: readonly Announcement[]): readonly (readonly Announcement[])[] {
  const parts: Announcement[][] = [];
  let room = 0;
  for (const { event, deliveries } of announcements) {
    for (let next = 0; next < deliveries.length; ) {
      if (room === 0) {
        parts.push([]);
        room = MAX_LATE_PER_WRITE;
      }
      const taken = deliveries.slice(next, next + room);
      parts.at(-1)?.push({ event, deliveries: taken });
      next += taken.length;
      room -= taken.length;
    }
  }
  return parts;
}
