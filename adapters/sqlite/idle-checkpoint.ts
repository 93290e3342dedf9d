/**
 * Moves the write-ahead log into the data file while nothing else is to be written. Otherwise SQLite does it within a commit,
 * once the log has grown to thousands of pages, and delays what runs then by tens of milliseconds.
 */

export interface IdleCheckpoint {
  /** A transaction was committed. */
  committed(): void;
  stop(): void;
}

/** The pause after a write that counts as idle: longer than the time between the writes of one delivery. */
const IDLE_MS = 5;

/**
 * A transaction writes 5 to 30 pages: after this many, the log has 4 MB. Most of a checkpoint is waiting for the disk, so fewer and
 * larger ones take less time; past 16 MB, SQLite makes one within a commit. Node cannot ask how long the log is: its file is
 * used again and never gets shorter.
 */
const MIN_TRANSACTIONS = 100;

export function createIdleCheckpoint(checkpoint: () => void): IdleCheckpoint {
  let transactions = 0;
  const timer = setTimeout(() => {
    if (transactions < MIN_TRANSACTIONS) return;
    transactions = 0;
    try {
      checkpoint();
    } catch {
      // The disk may be full. SQLite tries again within a commit, whose caller gets the error.
    }
  }, IDLE_MS).unref();
  return {
    committed() {
      transactions += 1;
      if (transactions >= MIN_TRANSACTIONS) timer.refresh();
    },
    stop: () => clearTimeout(timer),
  };
}
