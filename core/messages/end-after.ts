/** Ends synchronous work that takes too long, wherever it is: no library has to ask for the time in between. */

import { Script } from 'node:vm';

/** Node ends what a script calls, and only a script. It runs in this realm, so that errors and values keep their classes. */
const WORK = Symbol.for('tidings.work');
const script = new Script("globalThis[Symbol.for('tidings.work')]()");
const realm: typeof globalThis & { [WORK]?: (() => unknown) | undefined } = globalThis;

export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/**
 * Returns what the work returns. What ends it runs no `catch` and no `finally`: the work must leave nothing behind that others use.
 * @param limit in milliseconds. Throws `TookTooLong` after it
 */
export function endAfter<Result>(limit: number, work: () => Result): Result {
  const outer = realm[WORK];
  let result: { readonly value: Result } | undefined;
  realm[WORK] = () => {
    result = { value: work() };
  };
  try {
    script.runInThisContext({ timeout: limit, displayErrors: false });
  } catch (error) {
    const isEnded = error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    throw isEnded ? new TookTooLong(`ended after ${limit} ms`) : error;
  } finally {
    realm[WORK] = outer;
  }
  if (result === undefined) throw new TookTooLong('ended before it had begun');
  return result.value;
}
