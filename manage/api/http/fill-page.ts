/**
 * Fills a page for a caller that does not see all that is stored. A short page, or a cursor that nothing follows, would show that
 * something is hidden there, and how much: so it is read on until the page is full and a further item is found, or all is read.
 */

import { createByteBudget, MAX_RESPONSE_BYTES, takeFitting } from '../../../core/model/byte-budget.ts';
import { type Duration, SECOND } from '../../../core/model/time.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { runWithinBudget } from './work-budget.ts';

export interface FilledPage<T> {
  readonly items: readonly T[];
  /** Where the page ended. */
  readonly cursor: string | undefined;
  readonly more: boolean;
}

export interface FillOptions<T> {
  readonly limit: number;
  /** @default - from the start */
  readonly after?: string | undefined;
  /** Reads so many items from the store, or fewer. */
  readonly read: (after: string | undefined, size: number) => Promise<FilledPage<T>>;
  /** Those that the caller may see, in the same order. @default - all that are read */
  readonly keep?: (items: readonly T[]) => Promise<readonly T[]>;
  /** How many items are read at a time at least. @default 1 */
  readonly readSize?: number;
  /** @default 1 s */
  readonly maxTime?: Duration;
}

/** A page that takes longer ends early. That shows only how long it took, which the caller can measure anyway. */
const MAX_TIME = SECOND;

export function fillPage<T>(
  api: Pick<ApiPorts, 'config' | 'workLimits' | 'beginLong' | 'assertUnitsLeft'>,
  caller: Caller,
  options: FillOptions<T>,
): Promise<FilledPage<T>> {
  const { limit, read, keep = async (items) => items, readSize = 1, maxTime = MAX_TIME } = options;
  return runWithinBudget(api, caller, async (pace) => {
    const end = performance.now() + maxTime;
    const items: T[] = [];
    let [cursor, size] = [options.after, Math.max(readSize, limit)];
    for (;;) {
      const page = await read(cursor, size);
      // What was read counts, also where the page ends with it.
      await pace();
      const kept = await keep(page.items);
      const taken = takeFitting([...items, ...kept].slice(0, limit), createByteBudget(MAX_RESPONSE_BYTES));
      const count = taken.length - items.length;
      // It is full, and the position of another item shows nothing.
      if (count === 0 && kept.length > 0) return { items, cursor, more: true };
      const last = kept[count - 1];
      if (last !== undefined && count < kept.length) {
        // The store knows only where its own page ends: read again, up to the last item of this one.
        size = page.items.indexOf(last) + 1;
        continue;
      }
      items.push(...kept);
      cursor = page.cursor;
      if (!page.more || performance.now() > end) return { items, cursor, more: page.more };
      size = Math.max(readSize, limit - items.length);
    }
  });
}
