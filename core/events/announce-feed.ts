/**
 * Announces the feed of changes of a store, batch by batch: first to all but the keys that are late, which have many subscriptions or costly
 * filters. Each of these goes through the feed at its own speed, so that nobody waits for a key with more subscriptions.
 */

import type { TestFilters } from '../filters/match.ts';
import type { TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { ChangeFeed, FeedEntry, FeedMark } from '../ports/snapshot-store.ts';
import {
  type AnnouncePorts,
  announceChanges,
  type DerivedChange,
  deriveChanges,
  type SelectServed,
  typesOf,
} from './announce.ts';
import { divideSubscriptions } from './divided-subscriptions.ts';
import { createLateWrite, createWrite, endOfPart, findWanted } from './feed-writes.ts';

/** Where all have got the feed but those who are behind. Each of these has a mark of its own. */
const OTHERS = 'announce';
const markOf = (owner: string) => `${OTHERS} ${owner}`;

const BATCH_SIZE = 200;

/** Of those who are late, in one call: its events are reported at its end. */
const MAX_LATE_PARTS = 10;

export interface AnnouncedBatch {
  readonly events: readonly TidingsEvent[];
  /** The feed had no more entries for anyone when the batch was read. */
  readonly isLast: boolean;
}

export interface FeedPorts extends Omit<AnnouncePorts, 'handOver'> {
  readonly feed: ChangeFeed;
  /** Called between the writes of a batch for all but those who are late. It has several if it opens many deliveries. @default - goes on at once */
  readonly betweenWrites?: Pace;
  /** The turns of the work for those who are late, their matching and their writes, which serve others in between. @default - others are served after each write */
  readonly takeTurns?: (serveOthers: () => Promise<void>) => Turns;
}

interface Turns {
  readonly pace: Pace;
  /** See `AnnouncePorts`. Serves others meanwhile. */
  readonly testFilters?: TestFilters | undefined;
}

/**
 * Announces what the feed has, and a part of what those who are late have not got yet. Returns undefined if there is nothing.
 * @param signal stops between two writes. What was not written is announced again. @default - it is completed
 */
export async function announceFeed(ports: FeedPorts, signal?: AbortSignal): Promise<AnnouncedBatch | undefined> {
  const run: Run = {
    ports,
    signal,
    ...(await readProgress(ports.feed)),
    events: new Map(),
    running: new Set(),
  };
  const count = await announceToOthers(run);
  if (count === 0 && run.behind.size === 0) return undefined;
  let rank = 0;
  const turns = createLateTurns(run, () => rank);
  let parts = 0;
  for (let isGoingOn = true; isGoingOn && parts < MAX_LATE_PARTS; ) {
    isGoingOn = false;
    for (const party of await listParties(run)) {
      if (signal?.aborted === true) break;
      rank = party.rank;
      await announcePart(run, party, turns);
      parts += 1;
      isGoingOn = true;
    }
  }
  return { events: [...run.events.values()], isLast: count < BATCH_SIZE && run.behind.size === 0 };
}

/** Up to where who has got the feed, as it is stored. */
interface Progress {
  /** All but those who are behind. */
  position: number;
  /** Keys that have got it up to this position only. */
  readonly behind: Map<string, number>;
}

/** One call of `announceFeed`. */
interface Run extends Progress {
  readonly ports: FeedPorts;
  readonly signal: AbortSignal | undefined;
  /** What was announced, by id. */
  readonly events: Map<string, TidingsEvent>;
  /** The owners who are being served. */
  readonly running: Set<string>;
  /** What all but those who are behind got last: it is often what these get next. */
  latest?: Batch;
}

interface Batch {
  /** The position before its first entry. */
  readonly from: number;
  readonly entries: readonly FeedEntry[];
  readonly changes: readonly DerivedChange[];
}

async function readProgress(feed: ChangeFeed): Promise<Progress> {
  const behind = new Map<string, number>();
  let position = 0;
  for (const mark of await feed.marks()) {
    if (mark.consumer === OTHERS) position = mark.position ?? 0;
    else if (mark.consumer.startsWith(markOf('')))
      behind.set(mark.consumer.slice(markOf('').length), mark.position ?? 0);
  }
  return { position, behind };
}

function batchOf({ ports }: Run, from: number, entries: readonly FeedEntry[]): Batch {
  return {
    from,
    entries,
    changes: deriveChanges(
      entries.map(({ transition }) => transition),
      ports,
    ),
  };
}

/** Announces a batch to all but those who are late, or behind. Returns how many entries it had. */
async function announceToOthers(run: Run): Promise<number> {
  const { ports, signal, behind } = run;
  const entries = await ports.feed.read(OTHERS, BATCH_SIZE, run.position);
  const last = entries.at(-1);
  if (last === undefined) return 0;
  const from = run.position;
  const batch = batchOf(run, from, entries);
  const { changes } = batch;
  const { late } = divideSubscriptions(await ports.subscriptions.list());
  // One that is late or on time by the end of the batch is neither left out nor served twice.
  const left = new Set([...late.all, ...behind.keys()]);
  const added = [...left].filter((owner) => !behind.has(owner));
  const marks = [
    { consumer: OTHERS, position: last.position },
    ...added.map((owner) => ({ consumer: markOf(owner), position: from })),
  ];
  const select: SelectServed = (divided) => divided.except(left);
  for (let next = 0; next < changes.length; ) {
    if (next > 0) await ports.betweenWrites?.();
    if (signal?.aborted === true) return entries.length;
    const served = select(divideSubscriptions(await ports.subscriptions.list()));
    await served.prepare(typesOf(changes), ports.betweenEvents ?? UNPACED);
    const end = endOfPart(changes, next, served);
    const recordAndSend = createWrite(ports, end === changes.length ? marks : undefined);
    const announced = await announceChanges({ ...ports, recordAndSend }, changes.slice(next, end), select);
    for (const event of announced) run.events.set(event.id, event);
    next = end;
  }
  for (const owner of added) behind.set(owner, from);
  run.position = last.position;
  run.latest = batch;
  return entries.length;
}

/** Owners who are behind at the same position. */
interface Party {
  readonly owners: ReadonlySet<string>;
  readonly position: number;
  /** Those with fewer subscriptions have a lower one, and are served in between. */
  readonly rank: number;
}

/** The lowest rank first. */
async function listParties({ ports, behind, running }: Run): Promise<readonly Party[]> {
  if (behind.size === 0) return [];
  const { groups } = divideSubscriptions(await ports.subscriptions.list()).late;
  const waiting = [...behind].filter(([owner]) => !running.has(owner));
  const rankOf = (owner: string) => groups.findIndex((group) => group.has(owner));
  const parties = Map.groupBy(waiting, ([owner, position]) => `${rankOf(owner)} ${position}`);
  return [...parties.values()]
    .map((members) => {
      const [[first, position] = ['', 0]] = members;
      return { owners: new Set(members.map(([owner]) => owner)), position, rank: rankOf(first) };
    })
    .sort((one, other) => one.rank - other.rank);
}

/**
 * Announces a part of what they have not got yet to those who are behind. The changes that they do not want are skipped now, not before:
 * a subscription may be added meanwhile.
 */
async function announcePart(run: Run, { owners, position }: Party, turns: LateTurns): Promise<void> {
  const { ports, running, behind } = run;
  const { pace, testFilters, afterWrite } = turns;
  for (const owner of owners) running.add(owner);
  try {
    const batch = await readBatch(run, owners, position);
    const { changes, entries } = batch;
    const select: SelectServed = (divided) => divided.only(owners);
    const served = select(divideSubscriptions(await ports.subscriptions.list()));
    await served.prepare(typesOf(changes), pace);
    const { wanted, end } = findWanted(changes, served);
    const reached = entries[end - 1]?.position ?? run.position;
    // With the last write: others may go on right after it.
    const advance = (): readonly FeedMark[] => {
      const isAtEnd = reached >= run.position;
      for (const owner of owners) {
        if (isAtEnd) behind.delete(owner);
        else behind.set(owner, reached);
      }
      return [...owners].map((owner) => ({ consumer: markOf(owner), position: isAtEnd ? null : reached }));
    };
    if (wanted.length === 0) {
      for (const mark of advance()) await ports.feed.acknowledge(mark.consumer, mark.position);
      return;
    }
    const recordAndSend = createLateWrite(ports, advance, afterWrite, run.signal);
    const { signal } = run;
    await announceChanges({ ...ports, betweenEvents: pace, testFilters, signal, recordAndSend }, wanted, select);
    // Many parts that match nothing may come one after the other.
    await afterWrite();
  } finally {
    for (const owner of owners) running.delete(owner);
  }
}

/** What comes after this position, up to what all others have got. */
async function readBatch(run: Run, [first = '']: Iterable<string>, position: number): Promise<Batch> {
  const { latest } = run;
  if (latest?.from === position) return latest;
  const entries = await run.ports.feed.read(markOf(first), BATCH_SIZE, position);
  return batchOf(
    run,
    position,
    entries.filter((entry) => entry.position <= run.position),
  );
}

interface LateTurns extends Turns {
  /** Serves others too where there is no pace. */
  readonly afterWrite: Pace;
}

/**
 * A pace counts the time since its last turn. So the parts that follow one another have one together, and those that are announced
 * in between one of their own.
 * @param rankNow of those who are served now: those with a lower one have their turn in between
 */
function createLateTurns(run: Run, rankNow: () => number): LateTurns {
  const { takeTurns, betweenEvents = UNPACED } = run.ports;
  const serveOthers = async () => {
    await announceToOthers(run);
    for (const party of await listParties(run))
      if (party.rank < rankNow())
        await announcePart(
          run,
          party,
          createLateTurns(run, () => party.rank),
        );
  };
  const turns = takeTurns?.(serveOthers);
  const orStop = (go: Pace) => async () => {
    if (run.signal?.aborted !== true) await go();
  };
  return {
    pace: orStop(turns?.pace ?? betweenEvents),
    testFilters: turns?.testFilters,
    afterWrite: orStop(turns?.pace ?? serveOthers),
  };
}
