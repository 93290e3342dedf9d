/**
 * Reads something for a monitor within a time limit: if the read takes longer, the caller gets the result of the one before, and
 * how long it has waited. A stalled store does not pile up reads.
 */

export interface TimedResult<T> {
  /** The newest result. Undefined before the first one. */
  readonly value: T | undefined;
  /** For how long the current read has been waiting. @default - it has ended: the value is fresh */
  readonly waitingMs?: number;
}

/** A monitor asks every few seconds, and gives up after a few. */
const LIMIT_MS = 500;

/** A process that was frozen, as Lambda's are, may never get the response to its read: it reads again. */
const MAX_READ_MS = 60_000;

interface TimedReadOptions {
  /** @default 500 */
  readonly limitMs?: number;
  /** For how long a result is returned again without a read. @default 0 */
  readonly freshMs?: number | undefined;
}

export function createTimedRead<T>(
  read: () => Promise<T>,
  { limitMs = LIMIT_MS, freshMs = 0 }: TimedReadOptions = {},
): () => Promise<TimedResult<T>> {
  let latest: T | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let current: { readonly startedAt: number; readonly reading: Promise<void> } | undefined;
  const start = () => {
    const started = {
      startedAt: performance.now(),
      reading: read()
        .then((value) => {
          latest = value;
          readAt = performance.now();
        })
        .finally(() => {
          if (current === started) current = undefined;
        }),
    };
    return started;
  };
  return async () => {
    if (performance.now() - readAt < freshMs) return { value: latest };
    if (current === undefined || performance.now() - current.startedAt > MAX_READ_MS) current = start();
    const { startedAt, reading } = current;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, limitMs, 'late');
    });
    try {
      const outcome = await Promise.race([reading, limit]);
      if (outcome !== 'late') return { value: latest };
      // Its failure is the business of a later request.
      reading.catch(() => {});
      return { value: latest, waitingMs: performance.now() - startedAt };
    } finally {
      clearTimeout(timer);
    }
  };
}
