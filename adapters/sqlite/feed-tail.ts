/**
 * The newest entries of the feed, as this process committed them: a consumer that has caught up gets them without a read.
 * The stored feed stays the truth. After a restart, a gap or too many entries, the consumer reads it.
 */

import type { FeedMark } from '../../core/ports/snapshot-store.ts';

/** An entry as it is stored: snapshots as JSON. */
export interface StoredEntry {
  readonly position: number;
  readonly before: string | null;
  readonly after: string;
}

export interface FeedTail {
  /** The entries are committed. */
  add(entries: readonly StoredEntry[]): void;
  /** The mark is committed. */
  acknowledged(mark: FeedMark): void;
  /** What follows the mark of the consumer, and this position. Undefined if it has to be read from the file. */
  read(consumer: string, limit: number, after: number): readonly StoredEntry[] | undefined;
}

/** A consumer that is so far behind reads the file: a batch of the feed is 200 entries. */
const MAX_ENTRIES = 200;

/** Entries hold two snapshots each, which may be large. */
const MAX_CHARACTERS = 4_000_000;

export function createFeedTail(): FeedTail {
  let tail: readonly StoredEntry[] = [];
  const marks = new Map<string, number>();
  return {
    add(entries) {
      const [first] = entries;
      // A process that has not consumed the feed yet reads it first, and most never do.
      if (first === undefined || marks.size === 0) return;
      const last = tail.at(-1);
      // Another process has committed in between.
      const isGap = last !== undefined && first.position !== last.position + 1;
      const all = isGap ? entries : [...tail, ...entries];
      tail = all.length > MAX_ENTRIES || countCharacters(all) > MAX_CHARACTERS ? [] : all;
    },
    acknowledged({ consumer, position }) {
      if (position === null) marks.delete(consumer);
      else marks.set(consumer, Math.max(position, marks.get(consumer) ?? 0));
      const lowest = Math.min(...marks.values());
      tail = tail.filter((entry) => entry.position > lowest);
    },
    read(consumer, limit, after) {
      const known = marks.get(consumer);
      const mark = known === undefined ? undefined : Math.max(known, after);
      const next = tail.filter(({ position }) => mark !== undefined && position > mark);
      return next[0]?.position === (mark ?? 0) + 1 ? next.slice(0, limit) : undefined;
    },
  };
}

function countCharacters(entries: readonly StoredEntry[]): number {
  return entries.reduce((sum, { before, after }) => sum + (before?.length ?? 0) + after.length, 0);
}
