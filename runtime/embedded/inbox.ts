/**
 * Hands fresh jobs to the deliver loop of this process in the write that queues them, which saves a second write and the way
 * through the queue. The row in the queue stays the truth: if the process dies, the job is received again.
 */

import type { TakeOptions } from '../../adapters/sqlite/queue.ts';
import type { TakenJob } from '../../adapters/sqlite/stores.ts';

interface InboxReader {
  /** What may begin now. */
  readonly options: () => TakeOptions;
  begin(received: TakenJob): void;
}

export interface Inbox {
  /** @returns ends the reading */
  open(reader: InboxReader): () => void;
  /** Which jobs can be put into it now. None without a reader. */
  options(): TakeOptions;
  put(received: readonly TakenJob[]): void;
}

export function createInbox(): Inbox {
  let reader: InboxReader | undefined;
  return {
    open(next) {
      reader = next;
      return () => {
        if (reader === next) reader = undefined;
      };
    },
    options: () => reader?.options() ?? { limit: 0, visibility: 0, room: () => 0 },
    // Without a reader, which has just stopped, the jobs are received again when they become visible.
    put: (received) => {
      for (const one of received) reader?.begin(one);
    },
  };
}
