/**
 * Announces the feed of changes of a store, batch by batch. Keys that have many subscriptions, or costly filters, are served after all others.
 */

import type { CompiledSubscriptions } from '../filters/match.ts';
import type { TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { ChangeFeed, FeedMark } from '../ports/snapshot-store.ts';
import {
  type AnnouncePorts,
  announceChanges,
  createRecordAndSend,
  type DerivedChange,
  deriveChanges,
  type SelectServed,
  typesOf,
} from './announce.ts';
import { divideSubscriptions, type LateOwners } from './divided-subscriptions.ts';

const CONSUMER = 'announce';
const BATCH_SIZE = 200;

export interface AnnouncedBatch {
  readonly events: readonly TidingsEvent[];
  /** The feed had no more entries when the batch was read. */
  readonly isLast: boolean;
}

export interface FeedPorts extends Omit<AnnouncePorts, 'handOver'> {
  readonly feed: ChangeFeed;
  /** Called between the writes of a batch of the feed, which has several if it opens many deliveries. @default - goes on at once */
  readonly betweenWrites?: Pace;
  /**
   * Returns the pace of matching the filters of those who are late, which serves all others in between. @default - others are served
   * after each write
   */
  readonly takeTurns?: (serveOthers: () => Promise<void>) => Pace;
}

/**
 * Announces one batch of the feed. Returns undefined if the feed has no new entries. Keys with more than a few subscriptions come
 * later: a bulk edit opens a delivery for each of them and each record, which may take a minute. Others do not wait for these: what is
 * committed meanwhile is announced to all others in between.
 * @param signal stops between two writes. The batch stays in the feed and is announced again. @default - it is completed
 */
export async function announceFeed(ports: FeedPorts, signal?: AbortSignal): Promise<AnnouncedBatch | undefined> {
  const { feed } = ports;
  const read = await feed.read(CONSUMER, BATCH_SIZE);
  const [early] = aheadOf(feed);
  const entries = early === undefined ? read : read.filter(({ position }) => position <= early.position);
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const events = new Map<string, TidingsEvent>();
  const report = (announced: readonly TidingsEvent[]) => {
    for (const event of announced) events.set(event.id, event);
  };
  const transitions = entries.map(({ transition }) => transition);
  const late = early?.late ?? divideSubscriptions(await ports.subscriptions.list()).late;
  const mark = { consumer: CONSUMER, position: last.position };
  const batch: Batch = { changes: deriveChanges(transitions, ports), late, mark };
  const serveOthers = () => announceAhead(ports, last.position, report, signal);
  let progress: Progress = early === undefined ? await announceEarly(ports, batch, report, signal) : 'announced';
  if (progress === 'announced') progress = await announceLate(ports, batch, serveOthers, signal);
  if (progress === 'stopped') return { events: [...events.values()], isLast: false };
  // Those who come last want none of it.
  if (progress === 'announced') await feed.acknowledge(CONSUMER, last.position);
  if (early !== undefined) aheadOf(feed).shift();
  return { events: [...events.values()], isLast: entries.length < BATCH_SIZE && aheadOf(feed).length === 0 };
}

interface Batch {
  readonly changes: readonly DerivedChange[];
  readonly late: LateOwners;
  /** Acknowledges the feed with the last write. @default - it is not acknowledged */
  readonly mark?: FeedMark;
}

/** `processed`: the feed was acknowledged with the last write. */
type Progress = 'stopped' | 'announced' | 'processed';

/** Entries up to this position were announced before their turn, to all but those who are late. */
interface Ahead {
  readonly position: number;
  /** As of then: a subscription that has become late or early since is neither left out nor served twice. */
  readonly late: LateOwners;
}

/** Oldest first. In this process only: after a restart these entries are announced again. */
const ahead = new WeakMap<ChangeFeed, Ahead[]>();

function aheadOf(feed: ChangeFeed): Ahead[] {
  const known = ahead.get(feed) ?? [];
  ahead.set(feed, known);
  return known;
}

/** Announces what follows to all but those who are late. */
async function announceAhead(
  ports: FeedPorts,
  position: number,
  report: (events: readonly TidingsEvent[]) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { feed } = ports;
  const known = aheadOf(feed);
  const entries = await feed.read(CONSUMER, BATCH_SIZE, known.at(-1)?.position ?? position);
  const last = entries.at(-1);
  if (last === undefined) return;
  const { late } = divideSubscriptions(await ports.subscriptions.list());
  const transitions = entries.map(({ transition }) => transition);
  const changes = deriveChanges(transitions, ports);
  const progress = await announceEarly(ports, { changes, late }, report, signal);
  if (progress !== 'stopped') known.push({ position: last.position, late });
}

/** Announces a batch to all but those who are late. */
async function announceEarly(
  ports: FeedPorts,
  { changes, late, mark }: Batch,
  report: (events: readonly TidingsEvent[]) => void,
  signal: AbortSignal | undefined,
): Promise<Progress> {
  const select: SelectServed = (divided) => divided.except(late.all);
  const lastMark = late.groups.length === 0 ? mark : undefined;
  for (let next = 0; next < changes.length; ) {
    if (next > 0) await ports.betweenWrites?.();
    if (signal?.aborted === true) return 'stopped';
    const end = endOfPart(changes, next, await readServed(ports, changes, select));
    const recordAndSend = createWrite(ports, end === changes.length ? lastMark : undefined);
    report(await announceChanges({ ...ports, recordAndSend }, changes.slice(next, end), select));
    next = end;
  }
  return lastMark === undefined ? 'announced' : 'processed';
}

/**
 * Announces a batch to those who are late, group after group. The changes that a group does not want are skipped when their turn comes, not
 * before: a subscription may be added meanwhile.
 */
async function announceLate(
  ports: FeedPorts,
  { changes, late, mark }: Batch,
  serveOthers: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Progress> {
  const { takeTurns, betweenEvents = UNPACED } = ports;
  const createPace = () => takeTurns?.(serveOthers) ?? betweenEvents;
  let pace = createPace();
  for (const owners of late.groups) {
    const select: SelectServed = (divided) => divided.only(owners);
    for (let next = 0; next < changes.length; ) {
      const served = await readServed(ports, changes, select);
      const start = changes.findIndex((change, index) => index >= next && countWanted(change, served) > 0);
      if (start === -1) break;
      if (signal?.aborted === true) return 'stopped';
      const end = endOfPart(changes, start, served);
      const part = changes.slice(start, end).filter((change) => countWanted(change, served) > 0);
      const lastMark = end === changes.length && owners === late.groups.at(-1) ? mark : undefined;
      const recordAndSend = createLateWrite(ports, lastMark, () => {
        pace = createPace();
      });
      await announceChanges({ ...ports, betweenEvents: () => pace(), recordAndSend }, part, select);
      if (lastMark !== undefined) return 'processed';
      await serveOthers();
      // Many parts that match nothing may come one after the other.
      await pace();
      next = end;
    }
  }
  return 'announced';
}

/** @param processed acknowledges the feed: if the process dies before, the batch is announced again. @default - it is not acknowledged */
function createWrite(ports: FeedPorts, processed: FeedMark | undefined): NonNullable<AnnouncePorts['recordAndSend']> {
  const { recordAndSend, feed } = ports;
  if (recordAndSend !== undefined)
    return (announcements, jobs, now) => recordAndSend(announcements, jobs, now, processed);
  const write = createRecordAndSend(ports);
  return async (announcements, jobs, now) => {
    await write(announcements, jobs, now);
    if (processed !== undefined) await feed.acknowledge(processed.consumer, processed.position);
  };
}

/**
 * The events are recorded already: a part that opens no deliveries, such as the health of receivers, is not written.
 * @param onWritten called after a write, before which others had their turn
 */
function createLateWrite(
  ports: FeedPorts,
  processed: FeedMark | undefined,
  onWritten: () => void,
): ReturnType<typeof createWrite> {
  const write = createWrite(ports, processed);
  return async (announcements, jobs, now) => {
    const opening = announcements.filter(({ deliveries }) => deliveries.length > 0);
    if (opening.length > 0) await ports.betweenWrites?.();
    if (opening.length > 0 || processed !== undefined) await write(opening, jobs, now);
    if (opening.length > 0) onWritten();
  };
}

/** As they are now: the list may have changed since the last write. */
async function readServed(
  { subscriptions, betweenEvents = UNPACED }: FeedPorts,
  changes: readonly DerivedChange[],
  select: SelectServed,
): Promise<CompiledSubscriptions> {
  const served = select(divideSubscriptions(await subscriptions.list()));
  await served.prepare(typesOf(changes), betweenEvents);
  return served;
}

/** Deliveries that one write may open, if every filter matches. In the embedded mode it takes 0.1 ms for each. */
const MAX_DELIVERIES_PER_WRITE = 1000;

/** The deliveries of a change, if every filter matches. */
const countWanted = ({ events }: DerivedChange, served: CompiledSubscriptions): number =>
  events.reduce((sum, { type }) => sum + served.wanting(type).length, 0);

/** Where the next part begins. A part has one change at least. */
function endOfPart(changes: readonly DerivedChange[], start: number, served: CompiledSubscriptions): number {
  let deliveries = 0;
  for (const [index, change] of changes.entries()) {
    if (index < start) continue;
    deliveries += countWanted(change, served);
    if (deliveries > MAX_DELIVERIES_PER_WRITE && index > start) return index;
  }
  return changes.length;
}
