/** Packs and unpacks the manifest entries of a page: an id and a fingerprint, 16 bytes each, in id order. Pure. */

import { compareIds } from '../../model/record.ts';

export interface Entry {
  readonly id: string;
  /** null: the record exists, but may have changed. */
  readonly fingerprint: bigint | null;
}

/** Increases when the fingerprint algorithm changes. A manifest of another version is ignored. */
export const MANIFEST_VERSION = 1;

const ENTRY_BYTES = 16;

/** Ids are integers of up to 19 digits (see cleanRow), so they fit in 64 bits. */
export function packEntries(entries: readonly { readonly id: string; readonly fingerprint: bigint }[]): Uint8Array {
  const packed = new Uint8Array(entries.length * ENTRY_BYTES);
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const { id, fingerprint } of entries) {
    view.setBigUint64(at, BigInt(id));
    view.setBigUint64(at + 8, fingerprint);
    at += ENTRY_BYTES;
  }
  return packed;
}

export function unpackEntries(packed: Uint8Array): Entry[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= packed.byteLength; at += ENTRY_BYTES) {
    entries.push({ id: view.getBigUint64(at).toString(), fingerprint: view.getBigUint64(at + 8) });
  }
  return entries;
}

export interface Joined<Row> {
  /** Rows that are new or may have changed. */
  readonly suspects: readonly Row[];
  /** Expected ids that are not among the rows. */
  readonly missing: readonly string[];
  /** Number of unchanged rows. */
  readonly same: number;
}

/**
 * Merge-joins the expected entries with the rows of a page, both in id order. `expected` ends at the last row, except
 * for the last page, where it holds all remaining entries.
 */
export function mergeJoin<Row extends { readonly id: string; readonly fingerprint: bigint }>(
  expected: readonly Entry[],
  rows: readonly Row[],
): Joined<Row> {
  const suspects: Row[] = [];
  const missing: string[] = [];
  let same = 0;
  let at = 0;
  for (const row of rows) {
    let entry = expected[at];
    while (entry !== undefined && compareIds(entry.id, row.id) < 0) {
      missing.push(entry.id);
      entry = expected[++at];
    }
    if (entry?.id !== row.id) {
      suspects.push(row);
      continue;
    }
    at += 1;
    if (entry.fingerprint === row.fingerprint) same += 1;
    else suspects.push(row);
  }
  for (; at < expected.length; at++) missing.push(expected[at]?.id ?? '');
  return { suspects, missing, same };
}
