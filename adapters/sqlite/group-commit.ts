/**
 * Makes one transaction of the small writes that come in one turn of the event loop, or in two while there are many: a
 * commit costs more than they do.
 * Each caller hears of its own write when it is safe in the file, and fails alone.
 */

export interface GroupCommit {
  /** Runs the work soon, together with what others ask for meanwhile. Resolves when it is committed. */
  batchWrite<T>(work: () => T): Promise<T>;
  /** Does now what still waits. */
  flush(): void;
}

/** Writes that came together the last time: as many are to be expected, so that it pays to wait for one more turn. */
const MANY = 4;

/** Takes part in a transaction; returns how to tell its caller once that is committed. */
type Member = () => () => void;

export function groupCommit(transaction: <T>(work: () => T) => T): GroupCommit {
  /** With a way to tell the caller that its work failed. */
  let waiting: { readonly member: Member; readonly fail: (error: unknown) => void }[] = [];

  let isBusy = false;

  const flush = () => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    isBusy = group.length > MANY;
    try {
      const told = transaction(() => group.map(({ member }) => member()));
      for (const tell of told) tell();
    } catch {
      // All of it was taken back. Each on its own now, so that what is wrong with one is not laid on the others.
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
        // Immediates run when all that the network brought in this turn has been looked at.
        if (waiting.push({ member, fail: reject }) > 1) return;
        setImmediate(() => (isBusy ? setImmediate(flush) : flush()));
      }),
  };
}
