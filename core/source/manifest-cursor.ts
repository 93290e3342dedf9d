/**
 * What a scan expects to find: the entries of the manifest in id order, with the doubtful ids among them.
 * Reads a chunk only when a page asks for it, so that memory does not grow with the account.
 */

import { compareIds } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ManifestKey, ManifestStore, PageFingerprint } from '../ports/manifest-store.ts';
import { type Entry, unpackEntries } from './manifest.ts';
import { betterLimit, type PageRequest } from './paging.ts';

export interface ManifestCursor {
  /** The chunk that says this very page, if nothing of it was taken yet and nothing in it is doubtful. */
  matching(index: number, request: PageRequest, digest: string, last: string | null): PageFingerprint | undefined;
  /** The page size to use at this offset: that of last time, or a better one; undefined to find out. */
  limitAt(offset: number): number | undefined;
  /** Passes over the chunk that matched. */
  skip(): void;
  /** Takes what is expected up to and including this id; null: all that is left. */
  takeUpTo(id: string | null): Promise<readonly Entry[]>;
  /**
   * Ids that the chunks up to this index still hold and no page has asked for yet. They are expected as before,
   * but the chunks are about to be rewritten: the caller writes these ids down as doubtful.
   */
  unreadIdsUpTo(index: number): Promise<readonly string[]>;
  /** Whether the manifest has just this many chunks. */
  hasPages(count: number): boolean;
}

/** Undefined when nothing is remembered: then every row is a suspect. `after`: where a broken-off scan had come to. */
export async function openManifestCursor(
  store: ManifestStore,
  key: ManifestKey,
  after: string | null,
): Promise<ManifestCursor | undefined> {
  const head = await store.head(key);
  if (head === undefined) return undefined;
  const { chunks } = head;
  const doubtful = head.dirty.filter((id) => after === null || compareIds(id, after) > 0).sort(compareIds);
  const doubted = new Set(doubtful);
  const better = betterLimit(chunks);
  // Where we are: the next chunk to open, what is left of the open one, and the next doubtful id.
  let nextChunk = after === null ? 0 : chunks.findIndex(({ lastId }) => compareIds(lastId, after) > 0);
  if (nextChunk === -1) nextChunk = chunks.length;
  const open: Entry[] = [];
  let nextDoubtful = 0;
  if (after !== null) await openNext(after);

  async function openNext(beyond: string | null): Promise<boolean> {
    const chunk = chunks[nextChunk];
    if (chunk === undefined) return false;
    nextChunk += 1;
    const packed = await store.entries(key, chunk.index);
    const entries = packed === undefined ? [] : unpackEntries(packed);
    open.push(...(beyond === null ? entries : entries.filter(({ id }) => compareIds(id, beyond) > 0)));
    return true;
  }

  const isWithin = (id: string, limit: string | null) => limit === null || compareIds(id, limit) <= 0;

  return {
    matching(index, { offset, limit }, digest, last) {
      const chunk = chunks[nextChunk];
      // Of another number it would stay where it is, while this page's place keeps what stood there before.
      if (chunk === undefined || chunk.index !== index || open.length > 0) return undefined;
      if (chunk.offset !== offset || chunk.limit !== limit || chunk.digest !== digest) return undefined;
      // The page shares its first row with the one before: anything else there, and it is another list.
      if (last !== null && chunk.firstId !== last) return undefined;
      const doubt = doubtful[nextDoubtful];
      return doubt !== undefined && compareIds(doubt, chunk.lastId) <= 0 ? undefined : chunk;
    },

    limitAt: (offset) => better ?? chunks.find((chunk) => chunk.offset === offset)?.limit,

    skip() {
      nextChunk += 1;
    },

    async takeUpTo(limit) {
      const taken: Entry[] = [];
      for (;;) {
        const last = open.at(-1);
        const enough = last !== undefined && limit !== null && compareIds(last.id, limit) >= 0;
        if (enough || !(await openNext(null))) break;
      }
      const cut = limit === null ? open.length : open.findIndex(({ id }) => compareIds(id, limit) > 0);
      const known = cut === -1 ? open.splice(0) : open.splice(0, cut);
      let at = 0;
      for (;;) {
        const doubt = doubtful[nextDoubtful];
        const entry = known[at];
        const doubtIsNext = doubt !== undefined && isWithin(doubt, limit);
        if (entry === undefined && !doubtIsNext) return taken;
        if (doubtIsNext && (entry === undefined || compareIds(doubt, entry.id) <= 0)) {
          taken.push({ id: doubt, fingerprint: null });
          nextDoubtful += 1;
          if (entry?.id === doubt) at += 1;
        } else if (entry !== undefined) {
          taken.push(doubted.has(entry.id) ? { id: entry.id, fingerprint: null } : entry);
          at += 1;
        }
      }
    },

    async unreadIdsUpTo(index) {
      while ((chunks[nextChunk]?.index ?? Number.POSITIVE_INFINITY) <= index) await openNext(null);
      // What is open comes from the chunk opened last; a later one than is rewritten keeps its own.
      const opened = chunks[nextChunk - 1]?.index ?? Number.POSITIVE_INFINITY;
      return opened <= index ? open.map(({ id }) => id) : [];
    },

    hasPages: (count) => chunks.length === count,
  };
}

/** The same from the snapshots, when there is no manifest: all are expected, none is believed unchanged. */
export function openSnapshotCursor(snapshots: AsyncIterable<Snapshot>, after: string | null): ManifestCursor {
  const iterator = snapshots[Symbol.asyncIterator]();
  let ahead: Snapshot | undefined;
  const peek = async (): Promise<Snapshot | undefined> => {
    for (;;) {
      if (ahead === undefined) {
        const { value, done } = await iterator.next();
        if (done === true) return undefined;
        ahead = value as Snapshot;
      }
      const isPast = after !== null && compareIds(ahead.key.id, after) <= 0;
      if (ahead.deletedAt === null && !isPast) return ahead;
      ahead = undefined;
    }
  };
  return {
    matching: () => undefined,
    limitAt: () => undefined,
    skip: () => {},
    async takeUpTo(limit) {
      const taken: Entry[] = [];
      for (let next = await peek(); next !== undefined; next = await peek()) {
        if (limit !== null && compareIds(next.key.id, limit) > 0) break;
        taken.push({ id: next.key.id, fingerprint: null });
        ahead = undefined;
      }
      return taken;
    },
    // They are in the snapshots, and expected from there as long as there is no manifest; once this scan has
    // written one, its end writes down what did not come.
    unreadIdsUpTo: async () => [],
    hasPages: () => false,
  };
}
