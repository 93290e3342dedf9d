/**
 * Reads one list of a resource from end to end against its manifest: passes over what is the same as last time,
 * commits what is not, and tells what was expected and did not come.
 */

import { compareIds } from '../model/record.ts';
import type { SweepProgress } from '../model/scan.ts';
import { MAX_MISSING_IDS } from '../model/scan.ts';
import { between, type Clock, type Instant, SECOND } from '../model/time.ts';
import type { ManifestKey, ManifestScope } from '../ports/manifest-store.ts';
import type { SourceApi } from '../ports/source-api.ts';
import { type CommitPorts, type Committed, commitRows, type ScanContext } from './commit-rows.ts';
import { mergeJoin, packEntries } from './manifest.ts';
import { type ManifestCursor, openManifestCursor, openSnapshotCursor } from './manifest-cursor.ts';
import { type PageRead, readPages } from './paging.ts';

export interface ScanPorts extends CommitPorts {
  readonly api: SourceApi;
  readonly clock: Clock;
}

export interface ListOptions {
  readonly look: ScanContext;
  readonly scope: ManifestScope;
  /** Besides the sorting. */
  readonly filters: Readonly<Record<string, string>>;
  /** Where a broken-off scan had come to. */
  readonly progress: SweepProgress | null;
  /** Called now and then, and before the scan is broken off: save this, and the next scan goes on from there. */
  readonly save?: (progress: SweepProgress) => Promise<void>;
  /** Rows of every page. @default - adapts */
  readonly pageSize?: number;
  /** Told after each page, for people who wait. */
  readonly tell?: (seen: number, total: number | null) => void;
  /** Called before anything is written: throws when this scan may not go on. */
  readonly mayGoOn: () => Promise<void>;
  readonly signal?: AbortSignal;
}

export interface ListOutcome {
  readonly seen: number;
  readonly created: number;
  readonly changed: number;
  /** Expected, and not in the list. */
  readonly missing: readonly string[];
  /** How many more were missing before the scan was broken off, whose ids were too many to keep. */
  readonly more: number;
  /** Rows that were not compared for good, because somebody else committed their record meanwhile. */
  readonly conflicts: number;
  /** False when rows may have been missed: then missing means nothing. */
  readonly complete: boolean;
  /** What the API's clock said at the first page. */
  readonly serverTime: Instant | null;
}

/** How often progress is saved: a crash costs at most this much reading over again, an unchanged sweep no write. */
const SAVE_EVERY = 15 * SECOND;

export async function scanList(ports: ScanPorts, order: ListOptions): Promise<ListOutcome> {
  const { look, scope, progress } = order;
  const key: ManifestKey = { source: look.source, resource: look.resource.name, scope };
  const expectation = await expectationFor(ports, key, order);
  const doubted = new Set<string>();
  const tally = { seen: progress?.seen ?? 0, created: 0, changed: 0, conflicts: 0 };
  const more = progress?.more ?? 0;
  const missing: string[] = [...(progress?.missing ?? [])];
  let complete = progress?.complete ?? true;
  let serverTime: Instant | null = null;
  let savedAt = ports.clock.now();
  let last = progress?.last ?? null;
  let index = progress?.index ?? 0;

  for await (const read of readPages(readOptions(ports, order, expectation))) {
    // A page may have been long in coming.
    await order.mayGoOn();
    serverTime ??= read.page.serverTime;
    complete &&= read.complete;
    tally.seen += read.fresh?.length ?? read.rows - (last === null ? 0 : 1);
    if (read.fresh === undefined) {
      expectation.skip();
    } else {
      const dealt = await processPage(ports, order, key, expectation, read, read.fresh, doubted);
      tally.created += dealt.created;
      tally.changed += dealt.changed;
      tally.conflicts += dealt.conflicts.length;
      missing.push(...dealt.missing);
    }
    if (read.lastId !== null && (last === null || compareIds(read.lastId, last) > 0)) last = read.lastId;
    index = read.index;
    order.tell?.(tally.seen, read.listCount);
    if (read.final) break;
    const now = ports.clock.now();
    if (last !== null && (order.signal?.aborted === true || between(savedAt, now) >= SAVE_EVERY)) {
      savedAt = now;
      await order.mayGoOn();
      const offset = read.offset + Math.max(1, read.rows - 1);
      await order.save?.({
        startedAt: look.before,
        index: index + 1,
        offset,
        last,
        seen: tally.seen,
        missing: missing.slice(0, MAX_MISSING_IDS),
        more: more + Math.max(0, missing.length - MAX_MISSING_IDS),
        complete,
      });
    }
    order.signal?.throwIfAborted();
  }

  await order.mayGoOn();
  const unmet = (await expectation.takeUpTo(null)).map(({ id }) => id);
  // Their chunks go: what did not come stays expected, until somebody finds out what became of it.
  if (unmet.length > 0) await ports.manifests.markDirty(key, unmet);
  if (!expectation.hasPages(index + 1)) await ports.manifests.finish(key, index + 1);
  return { ...tally, missing: [...missing, ...unmet], more, complete, serverTime };
}

function readOptions({ api, clock }: ScanPorts, order: ListOptions, expectation: ManifestCursor) {
  const { look, filters, progress, pageSize, signal } = order;
  const { resource } = look;
  const sorting: Readonly<Record<string, string>> = resource.sortsById ? { sortfield: 'id', sortdir: 'ASC' } : {};
  return {
    fetch: (request: { offset: number; limit: number }) =>
      api.list(resource.name, { ...request, filters: { ...filters, ...sorting } }, signal),
    now: () => clock.now(),
    ...(progress === null ? {} : { from: { offset: progress.offset, index: progress.index, last: progress.last } }),
    onePage: !resource.sortsById,
    limitAt: pageSize === undefined ? expectation.limitAt : () => pageSize,
    known: expectation.matching,
  };
}

async function expectationFor(
  ports: ScanPorts,
  key: ManifestKey,
  { look, progress }: ListOptions,
): Promise<ManifestCursor> {
  const after = progress?.last ?? null;
  const remembered = await openManifestCursor(ports.manifests, key, after);
  if (remembered !== undefined) return remembered;
  // No manifest: the snapshots know what there is, though not what it looked like on the wire. Of the open ones
  // nobody knows which they were; a sweep finds what left them meanwhile.
  const known = key.scope === 'all' && look.cause !== 'baseline';
  return openSnapshotCursor(known ? ports.snapshots.list(key.source, key.resource) : nothing(), after);
}

async function* nothing(): AsyncGenerator<never> {}

async function processPage(
  ports: ScanPorts,
  { look, mayGoOn }: ListOptions,
  key: ManifestKey,
  expectation: ManifestCursor,
  read: PageRead,
  fresh: NonNullable<PageRead['fresh']>,
  doubted: Set<string>,
): Promise<Committed & { missing: readonly string[] }> {
  const upTo = read.final ? null : (fresh.at(-1)?.id ?? undefined);
  const expected = upTo === undefined ? [] : await expectation.takeUpTo(upTo);
  const { suspects, missing } = mergeJoin(expected, fresh);
  for (const { id, fingerprint } of expected) if (fingerprint === null) doubted.add(id);
  const committed = await commitRows(
    ports,
    { ...look, askedAt: read.askedAt, now: ports.clock.now() },
    suspects.map((row) => row.parse()),
  );
  for (const id of committed.markedDirty) doubted.add(id);
  const orphans = [...missing, ...(await expectation.unreadIdsUpTo(read.index))];
  if (orphans.length > 0) await ports.manifests.markDirty(key, orphans);
  for (const id of orphans) doubted.add(id);
  if (read.firstId !== null && read.lastId !== null) {
    // Over the page of one who took over it would vouch for what was there before.
    await mayGoOn();
    const { index, offset, limit, rows, firstId, lastId, page } = read;
    const left = new Set(committed.conflicts);
    const settled = fresh.map(({ id }) => id).filter((id) => doubted.has(id) && !left.has(id));
    const { digest, bytes, took } = page;
    const head = { index, offset, limit, rows, firstId, lastId, digest, bytes, took };
    await ports.manifests.write(key, head, packEntries(fresh), settled);
    for (const id of settled) doubted.delete(id);
  }
  return { ...committed, missing };
}
