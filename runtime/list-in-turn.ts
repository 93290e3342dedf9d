/** Lets one list of what is open be read at a time. */

import type { SnapshotStore } from '../core/ports/snapshot-store.ts';

/**
 * Hundreds of digests may be due in the same minute, and each reads everything that is open. Read side by side, all of them would be
 * composed at the end, and all of it would be in memory until then. One after the other, the first one is sent while the next one reads.
 */
export function listInTurn(listOpen: SnapshotStore['listOpen']): SnapshotStore['listOpen'] {
  let last: Promise<void> = Promise.resolve();
  return async function* (source, resource) {
    const before = last;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    last = ended;
    await before;
    try {
      yield* listOpen(source, resource);
    } finally {
      end();
    }
  };
}
