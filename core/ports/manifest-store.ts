/**
 * Port: packed fingerprints of what was last read, so that a scan of what did not change reads a few items.
 * Never the truth, only a shortcut: dropped at any time, no event is lost and none is false.
 */

import type { Duration } from '../model/time.ts';

/** Which list of a resource it remembers: all records, or those of its `open` filter. */
export type ManifestScope = 'all' | 'open';

export interface ManifestKey {
  readonly source: string;
  readonly resource: string;
  readonly scope: ManifestScope;
}

/** What a page looked like when it was last read; small, so that all heads are read at once. */
export interface PageFingerprint {
  /** Number of the page, from 0. */
  readonly index: number;
  readonly offset: number;
  readonly limit: number;
  /** Rows of the page, the one it shares with the page before included. */
  readonly rows: number;
  /** First and last id of the page. */
  readonly firstId: string;
  readonly lastId: string;
  /** Hash of the page's rows. */
  readonly digest: string;
  /** Size of its body, and how long the API took for it: what the next pages should be like. */
  readonly bytes: number;
  readonly took: Duration;
}

export interface ManifestHead {
  /** In the order of pages. */
  readonly chunks: readonly PageFingerprint[];
  /** Ids whose fingerprint is not to be believed: they were committed, or missed, since their page was read. */
  readonly dirty: readonly string[];
}

export interface ManifestStore {
  /** Undefined when there is none, when its first scan has not finished, or when its fingerprints are of another version. */
  head(key: ManifestKey): Promise<ManifestHead | undefined>;
  /** The packed entries of a chunk (see packEntries); undefined when it is gone. */
  entries(key: ManifestKey, index: number): Promise<Uint8Array | undefined>;
  /** Must be done before a commit outside of a page's own writing: killed in between, the record is looked at again. */
  markDirty(key: ManifestKey, ids: readonly string[]): Promise<void>;
  /** Writes a chunk; the ids in `settled` are no longer doubtful. One act. */
  write(key: ManifestKey, chunk: PageFingerprint, entries: Uint8Array, settled: readonly string[]): Promise<void>;
  /** Takes ids off the doubtful ones. */
  clearDirty(key: ManifestKey, ids: readonly string[]): Promise<void>;
  /** The list ended after this many pages: chunks beyond go, and the manifest is whole. */
  finish(key: ManifestKey, pages: number): Promise<void>;
}
