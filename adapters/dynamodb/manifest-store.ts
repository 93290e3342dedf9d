/**
 * ManifestStore on DynamoDB. A chunk's head is one small item, its entries are parts of under 1 KB that never change:
 * a page in which one record moved costs one part and its head, and putting the head is the act that makes them count.
 */

import { createHash } from 'node:crypto';
import { RetryLater } from '../../core/model/errors.ts';
import type { ManifestKey, ManifestStore, PageFingerprint } from '../../core/ports/manifest-store.ts';
import { MANIFEST_VERSION } from '../../core/source/manifest.ts';
import { inParallel } from '../aws/parallel.ts';
import { chunkKey, doubtKey, type Key, manifestPartition, partKey, partsOf } from './keys.ts';
import { openTable, type StoredItem, type TableOptions } from './table.ts';

/** 54 entries of 16 bytes: with the names of source and resource at their longest a part stays within one write unit. */
const PART_BYTES = 54 * 16;

/** Behind every chunk, before every doubt: one query reads all three. */
const COMPLETE = 'complete';
const HEADS = { name: 'sk', from: 'chunk#', upTo: 'doubt#~' } as const;

interface Chunk {
  readonly head: PageFingerprint;
  readonly parts: readonly string[];
  readonly version: number;
}

/** Heads and entries are read consistently: a doubt that is not seen yet would let a page pass that must be looked at. */
const CONSISTENT = true;

export function dynamoManifestStore(options: TableOptions): ManifestStore {
  const table = openTable(options);
  /** Parts that no head named when they were read, by the key of their chunk: of a writer that was killed. */
  const orphans = new Map<string, readonly string[]>();

  const chunkAt = async (key: ManifestKey, index: number): Promise<Chunk | undefined> => {
    const item = await table.get(chunkKey(key, index), CONSISTENT);
    return item === undefined ? undefined : chunkOf(item);
  };

  const settle = async (key: ManifestKey, ids: readonly string[]): Promise<void> => {
    await inParallel(byDoubtItem(key, ids), ({ at, ids }) => table.update(at, { take: { ids } }));
  };

  /** Something is missing that should be there. Without its mark the manifest is none, and the snapshots are asked instead. */
  const forget = async (key: ManifestKey): Promise<never> => {
    await table.writeAll([], [{ pk: manifestPartition(key), sk: COMPLETE }]);
    throw new RetryLater(
      'TIDINGS_MANIFEST_BROKEN',
      `manifest of ${key.source} ${key.resource} (${key.scope}): entries are missing; the next scan makes it anew`,
    );
  };

  return {
    async head(key) {
      const items: StoredItem[] = [];
      const partition = ['pk', manifestPartition(key)] as const;
      for await (const item of table.query({ partition, range: HEADS, consistent: CONSISTENT })) items.push(item);
      const complete = items.find(({ sk }) => sk === COMPLETE);
      if (complete?.version !== MANIFEST_VERSION) return undefined;
      const chunks = items.filter(isChunk).map(chunkOf);
      return {
        chunks: chunks.filter(({ version }) => version === MANIFEST_VERSION).map(({ head }) => head),
        dirty: items.filter(isDoubt).flatMap(({ ids }) => (ids ?? []) as string[]),
      };
    },

    async entries(key, index) {
      const chunk = await chunkAt(key, index);
      if (chunk === undefined) return undefined;
      const found = new Map<string, Uint8Array>();
      const partition = ['pk', manifestPartition(key)] as const;
      const range = { name: 'sk', prefix: partsOf(index) };
      for await (const { sk, entries } of table.query({ partition, range, consistent: CONSISTENT })) {
        if (entries instanceof Uint8Array) found.set(String(sk).slice(partsOf(index).length), entries);
      }
      const named = new Set(chunk.parts);
      const unnamed = [...found.keys()].filter((digest) => !named.has(digest));
      if (unnamed.length > 0) orphans.set(nameOf(key, index), unnamed);
      const parts = chunk.parts.flatMap((digest) => found.get(digest) ?? []);
      return parts.length < chunk.parts.length ? forget(key) : Buffer.concat(parts);
    },

    async markDirty(key, ids) {
      await inParallel(byDoubtItem(key, ids), ({ at, ids }) => table.update(at, { add: { ids } }));
    },

    async write(key, chunk, entries, settled) {
      const before = (await chunkAt(key, chunk.index))?.parts ?? [];
      const parts = split(entries);
      const digests = parts.map(digestOf);
      const [had, has] = [new Set(before), new Set(digests)];
      const fresh = parts.flatMap((part, n) => {
        const digest = digests[n] ?? '';
        return had.has(digest) ? [] : [{ ...partKey(key, chunk.index, digest), entries: part }];
      });
      await table.writeAll(fresh, []);
      // From here on the new parts count. Killed before, they are orphans, until the page is read and written once more.
      await table.put({ ...chunkKey(key, chunk.index), ...chunk, version: MANIFEST_VERSION, parts: digests });
      const stale = [...had.union(new Set(orphans.get(nameOf(key, chunk.index)))).difference(has)];
      await table.writeAll(
        [],
        stale.map((digest) => partKey(key, chunk.index, digest)),
      );
      orphans.delete(nameOf(key, chunk.index));
      // Last: killed before, the record is only looked at once more.
      await settle(key, settled);
    },

    clearDirty: settle,

    async finish(key, pages) {
      const pk = manifestPartition(key);
      const gone = new Set<string>();
      for await (const item of table.query({ partition: ['pk', pk], range: HEADS, consistent: CONSISTENT })) {
        if (!isChunk(item)) continue;
        const { head, version, parts } = chunkOf(item);
        if (head.index < pages && version === MANIFEST_VERSION) continue;
        gone.add(String(item.sk));
        for (const digest of parts) gone.add(partKey(key, head.index, digest).sk);
      }
      // Orphans too, read at half the price: one that is not seen yet goes the next time.
      const beyond = { name: 'sk', from: partsOf(pages), upTo: 'part#~' };
      for await (const { sk } of table.query({ partition: ['pk', pk], range: beyond })) gone.add(String(sk));
      await table.writeAll(
        [],
        [...gone].map((sk) => ({ pk, sk })),
      );
      await table.put({ pk, sk: COMPLETE, version: MANIFEST_VERSION });
    },
  };
}

const nameOf = (key: ManifestKey, index: number) => JSON.stringify(chunkKey(key, index));
const isChunk = ({ sk }: StoredItem) => String(sk).startsWith('chunk#');
const isDoubt = ({ sk }: StoredItem) => String(sk).startsWith('doubt#');

/** We wrote it, in this form. */
function chunkOf({ pk: _, sk: __, version, parts, ...head }: StoredItem): Chunk {
  return { head: head as unknown as PageFingerprint, parts: parts as string[], version: Number(version) };
}

function byDoubtItem(
  key: ManifestKey,
  ids: readonly string[],
): { readonly at: Key; readonly ids: readonly string[] }[] {
  const groups = Map.groupBy(new Set(ids), (id) => doubtKey(key, id).sk);
  return [...groups].map(([sk, members]) => ({ at: { pk: manifestPartition(key), sk }, ids: members }));
}

function split(entries: Uint8Array): Uint8Array[] {
  const count = Math.ceil(entries.byteLength / PART_BYTES);
  return Array.from({ length: count }, (_, n) => entries.subarray(n * PART_BYTES, (n + 1) * PART_BYTES));
}

/** 64 bits: it only has to tell the parts of one page from those it had before. */
function digestOf(part: Uint8Array): string {
  return createHash('sha256').update(part).digest('base64url').slice(0, 11);
}
