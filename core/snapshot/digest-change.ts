/** A digest of what happened in a transition, for event ids. Stored with the snapshot, so that it never changes. */

import { createHash } from 'node:crypto';
import { canonicalJson } from '../model/json.ts';
import type { Fields } from '../model/record.ts';
import type { Change, Snapshot, Stage } from '../model/snapshot.ts';
import { compare, OWN_RECORD } from './compare.ts';

/**
 * 64 bits of SHA-256 over the changes of watched fields, the stage and whether the record exists. When it was noticed is
 * left out: a change that is found again after a restored backup is the same change.
 */
export function digestChange(
  before: Pick<Snapshot, 'stage' | 'deletedAt'> | null | undefined,
  after: Pick<Snapshot, 'stage' | 'deletedAt'>,
  changes: readonly Change[],
): string {
  const fields = changes.map(({ field, from, to }) => [field, from, to] as const);
  const content = [
    fields.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    before == null ? null : withoutFindTime(before.stage),
    withoutFindTime(after.stage),
    (before?.deletedAt ?? null) !== null,
    after.deletedAt !== null,
  ];
  return createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 16);
}

/** The day on which a change without a date was found. */
function withoutFindTime({ activeDay: _, ...stage }: Stage): Stage {
  return stage;
}

/** Of a record of our own, which has no stage and is never deleted. */
export function digestOwnChange(before: Fields | undefined, after: Fields): string {
  const state = { stage: {}, deletedAt: null };
  return digestChange(state, state, before === undefined ? [] : compare(before, after, OWN_RECORD).changes);
}
