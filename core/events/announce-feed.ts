/**
 * Announces the feed of changes of a store, batch by batch. Keys that have many subscriptions, or costly filters, are served after all others.
 */

import type { TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { Transition } from '../model/snapshot.ts';
import type { Subscription } from '../model/subscription.ts';
import type { ChangeFeed, FeedMark } from '../ports/snapshot-store.ts';
import { type AnnouncePorts, announce, createRecordAndSend, type IsServed } from './announce.ts';
import { findCostlyOwners, MANY_SUBSCRIPTIONS } from './late-deliveries.ts';

const CONSUMER = 'announce';
const BATCH_SIZE = 200;

export interface AnnouncedBatch {
  readonly events: readonly TidingsEvent[];
  /** The feed had no more entries when the batch was read. */
  readonly isLast: boolean;
}

export interface FeedPorts extends AnnouncePorts {
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
  const subscriptions = await ports.subscriptions.list();
  const groups = early?.late ?? findLate(subscriptions);
  const late = groups.map(isOneOf).flatMap((isServed) => {
    const parts = splitBatch(transitions, subscriptions, isServed);
    return parts.map((part) => ({ part, isServed }));
  });
  if (early === undefined) {
    const isOnly = late.length === 0;
    const isDone = await announceEarly(ports, transitions, groups, report, signal, isOnly ? last.position : undefined);
    if (!isDone) return { events: [...events.values()], isLast: false };
  }
  for (const [index, { part, isServed }] of late.entries()) {
    if (signal?.aborted === true) return { events: [...events.values()], isLast: false };
    const isLast = index === late.length - 1;
    const mark = isLast ? { consumer: CONSUMER, position: last.position } : undefined;
    const serveOthers = () => announceAhead(ports, last.position, report, signal);
    const { takeTurns, betweenEvents = UNPACED } = ports;
    const pace = takeTurns?.(serveOthers) ?? betweenEvents;
    const recordAndSend = createLateWrite(ports, mark);
    await announce({ ...ports, betweenEvents: pace, recordAndSend }, part, isServed);
    if (!isLast) await serveOthers();
  }
  // No subscription is late any more.
  if (early !== undefined && late.length === 0) await feed.acknowledge(CONSUMER, last.position);
  if (early !== undefined) aheadOf(feed).shift();
  return { events: [...events.values()], isLast: entries.length < BATCH_SIZE && aheadOf(feed).length === 0 };
}

/** Entries up to this position were announced before their turn, to all but those who are late. */
interface Ahead {
  readonly position: number;
  /** As of then: a subscription that has become late or early since is neither left out nor served twice. */
  readonly late: LateGroups;
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
  const late = findLate(await ports.subscriptions.list());
  const transitions = entries.map(({ transition }) => transition);
  if (await announceEarly(ports, transitions, late, report, signal)) known.push({ position: last.position, late });
}

/** Returns false if it was stopped. @param processed acknowledges the feed with the last write. @default - it is not acknowledged */
async function announceEarly(
  ports: FeedPorts,
  transitions: readonly Transition[],
  late: LateGroups,
  report: (events: readonly TidingsEvent[]) => void,
  signal: AbortSignal | undefined,
  processed?: number,
): Promise<boolean> {
  const { recordAndSend, feed } = ports;
  const isLate = isOneOf(new Set(late.flatMap((owners) => [...owners])));
  const isEarly: IsServed = (one) => !isLate(one);
  const parts = splitBatch(transitions, await ports.subscriptions.list(), isEarly, true);
  for (const [index, part] of parts.entries()) {
    if (index > 0) await ports.betweenWrites?.();
    if (signal?.aborted === true) return false;
    const isMarked = processed !== undefined && index === parts.length - 1;
    const mark = isMarked ? { consumer: CONSUMER, position: processed } : undefined;
    const write: AnnouncePorts['recordAndSend'] =
      recordAndSend && ((announcements, jobs, now) => recordAndSend(announcements, jobs, now, mark));
    report(await announce(write === undefined ? ports : { ...ports, recordAndSend: write }, part, isEarly));
    if (isMarked && write === undefined) await feed.acknowledge(CONSUMER, processed);
  }
  return true;
}

/**
 * The events are recorded already: a part that opens no deliveries, such as the health of receivers, is not written.
 * @param processed if the process dies before, the batch is announced again. @default - the batch has more parts
 */
function createLateWrite(ports: FeedPorts, processed?: FeedMark): NonNullable<AnnouncePorts['recordAndSend']> {
  const { recordAndSend, betweenWrites, feed } = ports;
  const write = recordAndSend ?? createRecordAndSend(ports);
  return async (announcements, jobs, now) => {
    const opening = announcements.filter(({ deliveries }) => deliveries.length > 0);
    if (opening.length > 0) await betweenWrites?.();
    if (opening.length > 0 || processed !== undefined) await write(opening, jobs, now, processed);
    if (recordAndSend === undefined && processed !== undefined) await feed.acknowledge(CONSUMER, processed.position);
  };
}

/** Deliveries that one write may open, if each event of a record goes to every subscription. In the embedded mode it takes 0.1 ms for each. */
const MAX_DELIVERIES_PER_WRITE = 1000;

/** A key with no more subscriptions is served with those of the operator, if its filters take little time. */
const FEW_SUBSCRIPTIONS = 5;

/** The owners who are served after all others: one group after the other. */
type LateGroups = readonly ReadonlySet<string>[];

const isOneOf =
  (owners: ReadonlySet<string>): IsServed =>
  ({ owner }) =>
    owner !== undefined && owners.has(owner);

/** Keys with some subscriptions together, then each key that has many, or costly ones. Those with the fewest come first. */
function findLate(subscriptions: readonly Subscription[]): LateGroups {
  const costly = findCostlyOwners(subscriptions);
  const counts = new Map<string, number>();
  for (const { owner } of subscriptions) if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const isAlone = ([owner, count]: readonly [string, number]) => costly.has(owner) || count > MANY_SUBSCRIPTIONS;
  const alone = [...counts].filter(isAlone).sort(([, one], [, other]) => one - other);
  const some = [...counts].filter((one) => !isAlone(one) && one[1] > FEW_SUBSCRIPTIONS);
  const groups = [some, ...alone.map((one) => [one])].filter(({ length }) => length > 0);
  return groups.map((group) => new Set(group.map(([owner]) => owner)));
}

/** The writes of a batch for these subscriptions. @param recordsEvents whether there is one even if no subscription is served */
function splitBatch(
  transitions: readonly Transition[],
  subscriptions: readonly Subscription[],
  isServed: IsServed,
  recordsEvents = false,
): readonly (readonly Transition[])[] {
  const count = subscriptions.filter(isServed).length;
  if (count === 0 && !recordsEvents) return [];
  return inParts(transitions, Math.max(1, Math.floor(MAX_DELIVERIES_PER_WRITE / Math.max(1, count))));
}

const inParts = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));
