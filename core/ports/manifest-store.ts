/**
 * Port: packed fingerprints of the last scan, so that scanning unchanged records reads only a few items.
 * A cache, never the truth: it can be dropped at any time without losing or inventing events.
 */

import type { Duration } from '../model/time.ts';

/** Which list of a resource it covers: all records, or those of its `open` filter. */
export type ManifestScope = 'all' | 'open';

export interface ManifestKey {
  readonly source: string;
  readonly resource: string;
  readonly scope: ManifestScope;
}

/** Summary of a page at its last read; small, so that one query reads all of them. */
export interface PageFingerprint {
  /** Number of the page, from 0. */
  readonly index: number;
  readonly offset: number;
  readonly limit: number;
  /** Number of rows, including the one it shares with the previous page. */
  readonly rows: number;
  /** First and last id of the page. */
  readonly firstId: string;
  readonly lastId: string;
  /** Hash of the page's rows. */
  readonly digest: string;
  /** Response size and time, for choosing the size of the next pages. */
  readonly bytes: number;
  readonly took: Duration;
}

interface ManifestHead {
  /** In page order. */
  readonly chunks: readonly PageFingerprint[];
  /** Ids whose fingerprint is stale: they were committed, or missing, since their page was read. */
  readonly dirty: readonly string[];
}

export interface ManifestStore {
  /** Undefined when there is no manifest, its first scan has not finished, or it has another version. */
  head(key: ManifestKey): Promise<ManifestHead | undefined>;
  /** The packed entries of a chunk (see packEntries); undefined when it does not exist. */
  entries(key: ManifestKey, index: number): Promise<Uint8Array | undefined>;
  /** Call before a commit that is not part of writing a page: if the process dies in between, the record is read again. */
  markDirty(key: ManifestKey, ids: readonly string[]): Promise<void>;
  /** Writes a chunk and clears the dirty mark of the ids in `settled`, atomically where the store can. */
  write(key: ManifestKey, chunk: PageFingerprint, entries: Uint8Array, cleared: readonly string[]): Promise<void>;
  /** Removes the dirty mark of these ids. */
  clearDirty(key: ManifestKey, ids: readonly string[]): Promise<void>;
  /** Marks the manifest complete with this many pages and deletes chunks beyond them. */
  finish(key: ManifestKey, pages: number): Promise<void>;
}
