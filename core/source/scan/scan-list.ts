/**
 * Reads one list of a resource from start to end against its manifest: skips unchanged pages and rows, commits the
 * rest, and returns the ids that were expected but absent.
 */

import { compareIds } from '../../model/record.ts';
import { MAX_MISSING_IDS, type SweepProgress } from '../../model/scan.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { between, type Clock, type Instant, SECOND } from '../../model/time.ts';
import type { ManifestKey, ManifestScope } from '../../ports/manifest-store.ts';
import type { ListFilters, PageRow, SourceApi } from '../../ports/source-api.ts';
import type { RowBatch } from './build-snapshot.ts';
import { addCommitted, type Committed, commitRows, NOTHING_COMMITTED } from './commit-rows.ts';
import { parseRows } from './list-rows.ts';
import { type Entry, mergeJoin, packEntries } from './manifest.ts';
import { type ManifestCursor, openManifestCursor, openSnapshotCursor } from './manifest-cursor.ts';
import { largestPage } from './page-size.ts';
import { type PageRead, type ReadOptions, readPages } from './paging.ts';
import type { CommitPorts, ScanContext } from './scan-context.ts';

export interface ScanPorts extends CommitPorts {
  readonly api: SourceApi;
  readonly clock: Clock;
}

/** Saves how far a sweep has come, so that the next one can resume there. */
export type SaveProgress = (progress: SweepProgress) => Promise<void>;

export interface ListOutcome {
  readonly seen: number;
  readonly created: number;
  readonly changed: number;
  /** Expected, but not in the list. Those that the last scan listed come first. */
  readonly missing: readonly string[];
  /** How many of them the last scan listed. */
  readonly vanished: number;
  /** How many more were missing before the sweep was interrupted; their ids were too many to save. */
  readonly more: number;
  /** Rows that could not be compared, because another process committed their record during the scan. */
  readonly conflicts: number;
  /** Rows were older than their snapshots: a replica of the API lags behind. */
  readonly outdated: boolean;
  /** False when rows may have been missed: `missing` then proves nothing. */
  readonly complete: boolean;
  /** Rows that have no valid id or cannot be parsed. They are ignored. */
  readonly skipped: number;
  /** The API's count of matching records, in the last page. */
  readonly listCount: number | null;
  /** The API's clock at the first page. */
  readonly serverTime: Instant | null;
  /** null: the list is empty. */
  readonly highestId: string | null;
}

/** How often progress is saved. A crash costs at most this much re-reading; a quick sweep costs no write. */
const SAVE_EVERY = 15 * SECOND;

/** @param saveProgress called now and then, and when the scan is aborted. @default - the scan cannot be resumed */
export async function scanList(
  ports: ScanPorts,
  context: ScanContext,
  scope: ManifestScope,
  saveProgress?: SaveProgress,
): Promise<ListOutcome> {
  const { source, resource, progress, startedAt, signal } = context;
  const key: ManifestKey = { source, resource: resource.name, scope };
  const cursor = await openCursor(ports, context, key);
  const dirty = new Set<string>();
  const tally = { seen: progress?.seen ?? 0, created: 0, changed: 0, conflicts: 0, skipped: progress?.skipped ?? 0 };
  let outdated = false;
  const more = progress?.more ?? 0;
  const missing: string[] = [...(progress?.missing ?? [])];
  const vanished: string[] = [];
  // The last scan showed the record. A dirty one may have been missing before.
  const addMissing = ({ id, fingerprint }: Entry) => (fingerprint === null ? missing : vanished).push(id);
  let complete = progress?.complete ?? true;
  let listCount: number | null = null;
  let serverTime: Instant | null = null;
  let savedAt = ports.clock.now();
  let last = progress?.last ?? null;
  let index = progress?.index ?? 0;

  for await (const read of readPages(buildReadOptions(ports, context, scope, cursor))) {
    // The page may have taken long enough for the lease to expire.
    await context.assertLeaseHeld();
    serverTime ??= read.page.serverTime;
    complete &&= read.complete;
    listCount = read.listCount;
    tally.skipped += read.invalid;
    tally.seen += read.fresh?.length ?? read.rows - (last === null ? 0 : 1);
    if (read.fresh === undefined) {
      cursor.skip();
    } else {
      const processed = await processPage(ports, context, { key, cursor, read, fresh: read.fresh, dirty });
      tally.created += processed.created;
      tally.changed += processed.changed;
      tally.conflicts += processed.conflicts.length;
      outdated ||= processed.outdated.length > 0;
      tally.skipped += processed.unreadable;
      for (const entry of processed.missing) addMissing(entry);
    }
    if (read.lastId !== null && (last === null || compareIds(read.lastId, last) > 0)) last = read.lastId;
    index = read.index;
    context.onProgress?.(resource.name, tally.seen, read.listCount);
    if (read.final) break;
    const now = ports.clock.now();
    if (last !== null && (signal?.aborted === true || between(savedAt, now) >= SAVE_EVERY)) {
      savedAt = now;
      await context.assertLeaseHeld();
      const offset = read.offset + Math.max(1, read.rows - 1);
      const absent = [...vanished, ...missing];
      await saveProgress?.({
        startedAt,
        index: index + 1,
        offset,
        last,
        seen: tally.seen,
        missing: absent.slice(0, MAX_MISSING_IDS),
        more: more + Math.max(0, absent.length - MAX_MISSING_IDS),
        complete,
        skipped: tally.skipped,
      });
    }
    signal?.throwIfAborted();
  }

  await context.assertLeaseHeld();
  const rest = await cursor.takeUpTo(null);
  const unseen = rest.map(({ id }) => id);
  for (const entry of rest) addMissing(entry);
  // Their chunks are about to be dropped. As dirty ids they stay expected until their absence is explained.
  if (unseen.length > 0) await ports.manifests.markDirty(key, unseen);
  if (!cursor.hasPages(index + 1)) await ports.manifests.finish(key, index + 1);
  return {
    ...tally,
    missing: [...vanished, ...missing],
    vanished: vanished.length,
    more,
    outdated,
    complete,
    listCount,
    serverTime,
    highestId: last,
  };
}

function buildReadOptions(
  { api, clock }: ScanPorts,
  { resource, kind, state, progress, pageSize, signal }: ScanContext,
  scope: ManifestScope,
  cursor: ManifestCursor,
): ReadOptions {
  const filters: ListFilters = {
    ...(scope === 'open' ? { open: true } : {}),
    ...(resource.sortsById ? { order: 'ascending' } : {}),
  };
  return {
    fetch: (request) => api.list(resource.name, { ...request, filters }, signal),
    now: () => clock.now(),
    from: progress === null ? undefined : { ...progress, seen: progress.seen + (progress.skipped ?? 0) },
    onePage: !resource.sortsById,
    maxLimit: largestPage(resource, state.pageLimits?.[kind]),
    limitAt: pageSize === undefined ? cursor.limitAt : () => pageSize,
    findUnchanged: cursor.matching,
  };
}

async function openCursor(
  { manifests, snapshots }: ScanPorts,
  { progress }: ScanContext,
  key: ManifestKey,
): Promise<ManifestCursor> {
  const after = progress?.last ?? null;
  const cursor = await openManifestCursor(manifests, key, after);
  if (cursor !== undefined) return cursor;
  // Without a manifest the snapshots say what to expect: all of them in a sweep, also those of an earlier baseline that
  // did not finish; in an open scan those that were open when they were committed.
  const stored = snapshots.list(key.source, key.resource);
  return openSnapshotCursor(key.scope === 'all' ? stored : onlyOpen(stored), after);
}

async function* onlyOpen(snapshots: AsyncIterable<Snapshot>): AsyncGenerator<Snapshot> {
  for await (const snapshot of snapshots) if (snapshot.stage.owed !== false) yield snapshot;
}

/** A page with rows that are compared, and what the scan knows of its list. */
interface FreshPage {
  readonly key: ManifestKey;
  readonly cursor: ManifestCursor;
  readonly read: PageRead;
  readonly fresh: NonNullable<PageRead['fresh']>;
  /** Ids that are dirty. The page adds and removes its own. */
  readonly dirty: Set<string>;
}

async function processPage(
  ports: ScanPorts,
  context: ScanContext,
  { key, cursor, read, fresh, dirty }: FreshPage,
): Promise<Committed & { readonly missing: readonly Entry[]; readonly unreadable: number }> {
  const upTo = read.final ? null : (fresh.at(-1)?.id ?? undefined);
  const expected = upTo === undefined ? [] : await cursor.takeUpTo(upTo);
  const { suspects, missing } = mergeJoin(expected, fresh);
  for (const { id, fingerprint } of expected) if (fingerprint === null) dirty.add(id);
  const committed = await commitSuspects(ports, context, suspects, {
    requestedAt: read.requestedAt,
    now: ports.clock.now(),
    serverTime: read.page.serverTime,
    page: fresh,
  });
  for (const id of committed.markedDirty) dirty.add(id);
  // An unreadable row shows that its record exists. As a dirty id it stays expected and is parsed again.
  const unreadable = new Set(committed.unreadable);
  const orphans = [...missing, ...unreadable, ...(await cursor.unreadIdsUpTo(read.index))];
  if (orphans.length > 0) await ports.manifests.markDirty(key, orphans);
  for (const id of orphans) dirty.add(id);
  if (read.firstId !== null && read.lastId !== null) {
    // If another poller holds the lease, this write would overwrite its newer fingerprints.
    await context.assertLeaseHeld();
    const { index, offset, limit, rows, firstId, lastId, page } = read;
    const unsettled = new Set([...committed.conflicts, ...committed.outdated, ...unreadable]);
    const cleared = fresh.map(({ id }) => id).filter((id) => dirty.has(id) && !unsettled.has(id));
    const { digest, bytes, took } = page;
    const fingerprint = { index, offset, limit, rows, firstId, lastId, digest, bytes, took };
    const readable = unreadable.size === 0 ? fresh : fresh.filter(({ id }) => !unreadable.has(id));
    await ports.manifests.write(key, fingerprint, packEntries(readable), cleared);
    for (const id of cleared) dirty.delete(id);
  }
  const absent = new Set(missing);
  return { ...committed, missing: expected.filter(({ id }) => absent.has(id)), unreadable: unreadable.size };
}

/**
 * Rows of a baseline per commit. While a page of thousands is parsed and written as a whole, the garbage collector copies
 * its rows twice; a batch of this size is gone before the first time. It takes about 8 ms, which is how long a delivery waits.
 */
const MAX_BASELINE_ROWS = 200;

/**
 * Parses and commits the rows, those of a baseline in batches. Others stay together: many new ones at once may be due to
 * another role of the token.
 */
async function commitSuspects(
  ports: ScanPorts,
  context: ScanContext,
  suspects: readonly PageRow[],
  batch: RowBatch,
): Promise<Committed & { readonly unreadable: readonly string[] }> {
  const size = context.cause === 'baseline' ? MAX_BASELINE_ROWS : suspects.length;
  let all: Committed = NOTHING_COMMITTED;
  const unreadable: string[] = [];
  for (let at = 0; at < suspects.length; at += size) {
    const parsed = parseRows(suspects.slice(at, at + size));
    unreadable.push(...parsed.unreadable);
    all = addCommitted(all, await commitRows(ports, context, parsed.rows, batch));
  }
  return { ...all, unreadable };
}
