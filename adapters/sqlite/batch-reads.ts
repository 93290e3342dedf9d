/**
 * Runs the reads requested in one turn in one transaction: the locks of a single read cost as much as the read itself.
 * Each caller gets the result or error of its own read.
 */

/** Runs the read together with the other reads of this microtask round. */
export type BatchRead = <T>(read: () => T) => Promise<T>;

export function batchReads(transaction: (work: () => void) => void): BatchRead {
  let waiting: (() => void)[] = [];

  const flush = () => {
    const group = waiting;
    waiting = [];
    const readAll = () => {
      for (const member of group) member();
    };
    if (group.length === 1) return readAll();
    try {
      transaction(readAll);
    } catch {
      // Promises that are settled stay settled; the remaining reads fail or succeed alone.
      readAll();
    }
  };

  return <T>(read: () => T) =>
    new Promise<T>((resolve, reject) => {
      const member = () => {
        try {
          resolve(read());
        } catch (error) {
          reject(error);
        }
      };
      if (waiting.push(member) === 1) queueMicrotask(flush);
    });
}
