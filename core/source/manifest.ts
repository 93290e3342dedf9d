/** Packs and unpacks what is remembered of a page: ids and fingerprints, sixteen bytes each, in id order. Pure. */

import { compareIds } from '../model/record.ts';

export interface Entry {
  readonly id: string;
  /** null: known to exist, but not to be believed unchanged. */
  readonly fingerprint: bigint | null;
}

/** Rises when fingerprints are made otherwise: a manifest of another version is none. */
export const MANIFEST_VERSION = 1;

const BYTES = 16;

/** Ids are whole numbers of at most 19 digits (see cleanRow): they fit 64 bits. */
export function packEntries(entries: readonly { readonly id: string; readonly fingerprint: bigint }[]): Uint8Array {
  const packed = new Uint8Array(entries.length * BYTES);
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const { id, fingerprint } of entries) {
    view.setBigUint64(at, BigInt(id));
    view.setBigUint64(at + 8, fingerprint);
    at += BYTES;
  }
  return packed;
}

export function unpackEntries(packed: Uint8Array): Entry[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const entries: Entry[] = [];
  for (let at = 0; at + BYTES <= packed.byteLength; at += BYTES) {
    entries.push({ id: view.getBigUint64(at).toString(), fingerprint: view.getBigUint64(at + 8) });
  }
  return entries;
}

export interface Joined<Row> {
  /** Rows that are new, or not the same as last time. */
  readonly suspects: readonly Row[];
  /** Ids that were expected up to here and did not come. */
  readonly missing: readonly string[];
  /** How many rows were the same as last time. */
  readonly same: number;
}

/**
 * Merge-join of what was expected with what came, both in id order. `expected` holds everything up to the last row,
 * and nothing beyond it, except after the last page.
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
