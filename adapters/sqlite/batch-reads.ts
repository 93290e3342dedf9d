/**
 * Makes one transaction of the reads that are asked for together: the locks a read takes by itself cost as much as the
 * read. Each caller hears of its own read, and fails alone.
 */

/** Runs the read as soon as all who are at it now have asked for theirs, within this turn of the event loop. */
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
      // Who was answered stays answered; the others hear what is wrong when they try alone.
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
