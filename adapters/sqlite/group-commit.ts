/**
 * Commits the small writes of one event-loop turn, or of two under load, in one transaction: a commit costs more than the
 * writes. Each caller's promise settles with its own write, once it is committed.
 */

import { isUnavailable } from './lock-gate.ts';

export interface GroupCommit {
  /** Runs the work in the next group. Resolves when it is committed. */
  batchWrite<T>(work: () => T): Promise<T>;
  /** Commits the pending group now. */
  flush(): void;
}

/** After a group larger than this, the next flush waits one more turn, because as many writes are to be expected. */
const BUSY_GROUP_SIZE = 4;

/** Runs in the transaction and returns a callback that resolves the caller's promise after the commit. */
type Member = () => () => void;

export function groupCommit(transaction: <T>(work: () => T) => T): GroupCommit {
  let waiting: { readonly member: Member; readonly fail: (error: unknown) => void }[] = [];

  let isBusy = false;

  const flush = () => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    isBusy = group.length > BUSY_GROUP_SIZE;
    try {
      const resolvers = transaction(() => group.map(({ member }) => member()));
      for (const resolve of resolvers) resolve();
    } catch (groupError) {
      if (isUnavailable(groupError)) {
        for (const { fail } of group) fail(groupError);
        return;
      }
      // The group was rolled back. Run each write alone, so that only the faulty one fails.
      for (const { member, fail } of group) {
        try {
          transaction(member)();
        } catch (error) {
          fail(error);
        }
      }
    }
  };

  return {
    flush,
    batchWrite: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        const member = () => {
          const result = work();
          return () => resolve(result);
        };
        // Immediates run after all network events of this turn.
        if (waiting.push({ member, fail: reject }) > 1) return;
        setImmediate(() => (isBusy ? setImmediate(flush) : flush()));
      }),
  };
}
