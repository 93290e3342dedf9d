/**
 * The records a scan expects: the manifest's entries and dirty ids in id order.
 * Reads a chunk only when a page needs it, so that memory does not grow with the account.
 */

import { compareIds } from '../../model/record.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { ManifestKey, ManifestStore, PageFingerprint } from '../../ports/manifest-store.ts';
import { type Entry, unpackEntries } from './manifest.ts';
import { betterLimit } from './page-size.ts';
import type { PageRequest } from './paging.ts';

export interface ManifestCursor {
  /** The chunk of an unchanged page: same digest, nothing taken from it yet and no dirty id in it. */
  matching(index: number, request: PageRequest, digest: string, last: string | null): PageFingerprint | undefined;
  /** The page size for this offset: the last one or a better one; undefined when unknown. */
  limitAt(offset: number): number | undefined;
  /** Skips the chunk that matched. */
  skip(): void;
  /** Takes the entries up to and including this id; null: all remaining ones. */
  takeUpTo(id: string | null): Promise<readonly Entry[]>;
  /**
   * Ids in the chunks up to this index that no page has taken yet. They stay expected, but their chunks are about to
   * be overwritten: the caller marks these ids dirty.
   */
  unreadIdsUpTo(index: number): Promise<readonly string[]>;
  /** Whether the manifest has exactly this many chunks. */
  hasPages(count: number): boolean;
}

/** Undefined when there is no manifest. `after`: the last id that an interrupted scan has processed. */
export async function openManifestCursor(
  store: ManifestStore,
  key: ManifestKey,
  after: string | null,
): Promise<ManifestCursor | undefined> {
  const head = await store.head(key);
  if (head === undefined) return undefined;
  const { chunks } = head;
  const dirty = head.dirty.filter((id) => after === null || compareIds(id, after) > 0).sort(compareIds);
  const dirtySet = new Set(dirty);
  const better = betterLimit(chunks);
  // The position: the next chunk to open, the remaining entries of the open chunk, and the next dirty id.
  let nextChunk = after === null ? 0 : chunks.findIndex(({ lastId }) => compareIds(lastId, after) > 0);
  if (nextChunk === -1) nextChunk = chunks.length;
  const open: Entry[] = [];
  let nextDirty = 0;
  // A scan with larger pages that was interrupted leaves later chunks that overlap with its own.
  let highest = after;
  if (after !== null) await openNext();

  async function openNext(): Promise<boolean> {
    const chunk = chunks[nextChunk];
    if (chunk === undefined) return false;
    nextChunk += 1;
    const packed = await store.entries(key, chunk.index);
    const entries = packed === undefined ? [] : unpackEntries(packed);
    for (const entry of entries) {
      if (highest !== null && compareIds(entry.id, highest) <= 0) continue;
      open.push(entry);
      highest = entry.id;
    }
    return true;
  }

  const isWithin = (id: string, limit: string | null) => limit === null || compareIds(id, limit) <= 0;

  return {
    matching(index, { offset, limit }, digest, last) {
      const chunk = chunks[nextChunk];
      // The chunk index must match, otherwise the stale chunk at this index would survive.
      if (chunk === undefined || chunk.index !== index || open.length > 0) return undefined;
      if (chunk.offset !== offset || chunk.limit !== limit || chunk.digest !== digest) return undefined;
      // A page shares its first row with the page before. If it does not, the list has changed.
      if (last !== null && chunk.firstId !== last) return undefined;
      const dirtyId = dirty[nextDirty];
      return dirtyId !== undefined && compareIds(dirtyId, chunk.lastId) <= 0 ? undefined : chunk;
    },

    limitAt: (offset) => better ?? chunks.find((chunk) => chunk.offset === offset)?.limit,

    skip() {
      highest = chunks[nextChunk]?.lastId ?? highest;
      nextChunk += 1;
    },

    async takeUpTo(limit) {
      const taken: Entry[] = [];
      for (;;) {
        const last = open.at(-1);
        const enough = last !== undefined && limit !== null && compareIds(last.id, limit) >= 0;
        if (enough || !(await openNext())) break;
      }
      const cut = limit === null ? open.length : open.findIndex(({ id }) => compareIds(id, limit) > 0);
      const entries = cut === -1 ? open.splice(0) : open.splice(0, cut);
      let at = 0;
      for (;;) {
        const dirtyId = dirty[nextDirty];
        const entry = entries[at];
        const dirtyIsNext = dirtyId !== undefined && isWithin(dirtyId, limit);
        if (entry === undefined && !dirtyIsNext) return taken;
        if (dirtyIsNext && (entry === undefined || compareIds(dirtyId, entry.id) <= 0)) {
          taken.push({ id: dirtyId, fingerprint: null });
          nextDirty += 1;
          if (entry?.id === dirtyId) at += 1;
        } else if (entry !== undefined) {
          taken.push(dirtySet.has(entry.id) ? { id: entry.id, fingerprint: null } : entry);
          at += 1;
        }
      }
    },

    async unreadIdsUpTo(index) {
      while ((chunks[nextChunk]?.index ?? Number.POSITIVE_INFINITY) <= index) await openNext();
      // The open entries belong to the chunk opened last. If that chunk is not overwritten, it keeps them.
      const openIndex = chunks[nextChunk - 1]?.index ?? Number.POSITIVE_INFINITY;
      return openIndex <= index ? open.map(({ id }) => id) : [];
    },

    hasPages: (count) => chunks.length === count,
  };
}

/** The cursor for a scan without a manifest: expects all snapshots, and any of them may have changed. */
export function openSnapshotCursor(snapshots: AsyncIterable<Snapshot>, after: string | null): ManifestCursor {
  const iterator = snapshots[Symbol.asyncIterator]();
  let peeked: Snapshot | undefined;
  const peek = async (): Promise<Snapshot | undefined> => {
    for (;;) {
      if (peeked === undefined) {
        const { value, done } = await iterator.next();
        if (done === true) return undefined;
        peeked = value as Snapshot;
      }
      const isPast = after !== null && compareIds(peeked.key.id, after) <= 0;
      if (peeked.deletedAt === null && !isPast) return peeked;
      peeked = undefined;
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
        peeked = undefined;
      }
      return taken;
    },
    // Until the scan has finished its manifest they are expected from the snapshots; its end marks absent ids dirty.
    unreadIdsUpTo: async () => [],
    hasPages: () => false,
  };
}
