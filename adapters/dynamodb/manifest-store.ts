/**
 * ManifestStore on DynamoDB. The fingerprint of a page is one small item; its entries are split into immutable parts of
 * under 1 KB. A page with one changed record costs one part and the fingerprint, whose write makes the new parts valid.
 */

import { createHash } from 'node:crypto';
import { RetryLater } from '../../core/model/errors.ts';
import type { ManifestKey, ManifestStore, PageFingerprint } from '../../core/ports/manifest-store.ts';
import { MANIFEST_VERSION } from '../../core/source/scan/manifest.ts';
import { inParallel } from '../aws/parallel.ts';
import { chunkKey, dirtyIdsKey, type Key, manifestPartition, partKey, partPrefix, type StoredItem } from './keys.ts';
import type { TableOptions } from './send.ts';
import { openTable } from './table.ts';

/** 54 entries of 16 bytes: even with the longest names of source and resource a part takes one write unit. */
const PART_BYTES = 54 * 16;

/** Sorts after `chunk#` and before `doubt#` (the items of dirty ids), so that one query reads all three. */
const COMPLETE = 'complete';
const HEADS = { name: 'sk', from: 'chunk#', upTo: 'doubt#~' } as const;

interface Chunk {
  readonly head: PageFingerprint;
  readonly parts: readonly string[];
  readonly version: number;
}

/** Read consistently: if a dirty id were missed, a page that must be read would be skipped. */
const CONSISTENT = true;

export function dynamoManifestStore(options: TableOptions): ManifestStore {
  const table = openTable(options);
  /** Parts that no fingerprint refers to, by the key of their chunk. A process that died while writing leaves them. */
  const orphans = new Map<string, readonly string[]>();

  const chunkAt = async (key: ManifestKey, index: number): Promise<Chunk | undefined> => {
    const item = await table.get(chunkKey(key, index), CONSISTENT);
    return item === undefined ? undefined : chunkOf(item);
  };

  const clearDirty = async (key: ManifestKey, ids: readonly string[]): Promise<void> => {
    await inParallel(groupByItem(key, ids), ({ at, ids }) => table.update(at, { take: { ids } }));
  };

  /** Deletes the `complete` item, which makes the manifest invalid: the next scan reads the snapshots instead. */
  const invalidate = async (key: ManifestKey): Promise<never> => {
    await table.writeAll([], [{ pk: manifestPartition(key), sk: COMPLETE }]);
    throw new RetryLater(
      'TIDINGS_MANIFEST_BROKEN',
      `manifest of ${key.source} ${key.resource} (${key.scope}): entries are missing; the next scan rebuilds it`,
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
        dirty: items.filter(isDirtyIds).flatMap(({ ids }) => (ids ?? []) as string[]),
      };
    },

    async entries(key, index) {
      const chunk = await chunkAt(key, index);
      if (chunk === undefined) return undefined;
      const partsByDigest = new Map<string, Uint8Array>();
      const partition = ['pk', manifestPartition(key)] as const;
      const range = { name: 'sk', prefix: partPrefix(index) };
      for await (const { sk, entries } of table.query({ partition, range, consistent: CONSISTENT })) {
        if (entries instanceof Uint8Array) partsByDigest.set(String(sk).slice(partPrefix(index).length), entries);
      }
      const named = new Set(chunk.parts);
      const unnamed = [...partsByDigest.keys()].filter((digest) => !named.has(digest));
      if (unnamed.length > 0) orphans.set(nameOf(key, index), unnamed);
      const parts = chunk.parts.flatMap((digest) => partsByDigest.get(digest) ?? []);
      return parts.length < chunk.parts.length ? invalidate(key) : Buffer.concat(parts);
    },

    async markDirty(key, ids) {
      await inParallel(groupByItem(key, ids), ({ at, ids }) => table.update(at, { add: { ids } }));
    },

    async write(key, chunk, entries, cleared) {
      const before = (await chunkAt(key, chunk.index))?.parts ?? [];
      const parts = split(entries);
      const digests = parts.map(digestOf);
      const [had, has] = [new Set(before), new Set(digests)];
      const fresh = parts.flatMap((part, n) => {
        const digest = digests[n] ?? '';
        return had.has(digest) ? [] : [{ ...partKey(key, chunk.index, digest), entries: part }];
      });
      await table.writeAll(fresh, []);
      // This write makes the new parts valid. If the process dies before it, they are orphans until the page is written again.
      await table.put({ ...chunkKey(key, chunk.index), ...chunk, version: MANIFEST_VERSION, parts: digests });
      const stale = [...had.union(new Set(orphans.get(nameOf(key, chunk.index)))).difference(has)];
      await table.writeAll(
        [],
        stale.map((digest) => partKey(key, chunk.index, digest)),
      );
      orphans.delete(nameOf(key, chunk.index));
      // Last: if the process dies before it, the records are only read once more.
      await clearDirty(key, cleared);
    },

    clearDirty,

    async finish(key, pages) {
      const pk = manifestPartition(key);
      const obsolete = new Set<string>();
      for await (const item of table.query({ partition: ['pk', pk], range: HEADS, consistent: CONSISTENT })) {
        if (!isChunk(item)) continue;
        const { head, version, parts } = chunkOf(item);
        if (head.index < pages && version === MANIFEST_VERSION) continue;
        obsolete.add(String(item.sk));
        for (const digest of parts) obsolete.add(partKey(key, head.index, digest).sk);
      }
      // Orphans too, with an eventually consistent read at half the price: the next call deletes what it misses.
      const beyond = { name: 'sk', from: partPrefix(pages), upTo: 'part#~' };
      for await (const { sk } of table.query({ partition: ['pk', pk], range: beyond })) obsolete.add(String(sk));
      await table.writeAll(
        [],
        [...obsolete].map((sk) => ({ pk, sk })),
      );
      await table.put({ pk, sk: COMPLETE, version: MANIFEST_VERSION });
    },
  };
}

const nameOf = (key: ManifestKey, index: number) => JSON.stringify(chunkKey(key, index));
const isChunk = ({ sk }: StoredItem) => String(sk).startsWith('chunk#');
const isDirtyIds = ({ sk }: StoredItem) => String(sk).startsWith('doubt#');

/** Unchecked: only this store writes these items. */
function chunkOf({ pk: _, sk: __, version, parts, ...head }: StoredItem): Chunk {
  return { head: head as unknown as PageFingerprint, parts: parts as string[], version: Number(version) };
}

function groupByItem(
  key: ManifestKey,
  ids: readonly string[],
): { readonly at: Key; readonly ids: readonly string[] }[] {
  const groups = Map.groupBy(new Set(ids), (id) => dirtyIdsKey(key, id).sk);
  return [...groups].map(([sk, members]) => ({ at: { pk: manifestPartition(key), sk }, ids: members }));
}

function split(entries: Uint8Array): Uint8Array[] {
  const count = Math.ceil(entries.byteLength / PART_BYTES);
  return Array.from({ length: count }, (_, n) => entries.subarray(n * PART_BYTES, (n + 1) * PART_BYTES));
}

/** 64 bits are enough to distinguish the parts of one page from its earlier ones. */
function digestOf(part: Uint8Array): string {
  return createHash('sha256').update(part).digest('base64url').slice(0, 11);
}
