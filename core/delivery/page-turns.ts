/**
 * Reads and changes many deliveries page by page, one page of all subscriptions at a time: hundreds of receivers may come back in the same
 * moment, and their first pages together would be one piece of work of seconds.
 */

import type { Delivery } from '../model/delivery.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { DeliveryStore, OpenDeliveryQuery } from '../ports/delivery-store.ts';
import { readPages } from './read-pages.ts';

interface Waiting {
  readonly party: string;
  readonly begin: () => void;
}

interface Line {
  isBusy: boolean;
  readonly waiting: Waiting[];
  /** The turn in which each had its last page, of those who had one since the line was empty. */
  readonly served: Map<string, number>;
}

/** By store. Each process has lines of its own */
const lines = new WeakMap<object, Line>();

/** Who had the earliest last page is next. */
function beginNext(line: Line): void {
  const turns = line.waiting.map(({ party }) => line.served.get(party) ?? -1);
  const [next] = line.waiting.splice(turns.indexOf(Math.min(...turns)), 1);
  if (next === undefined) line.served.clear();
  else line.served.set(next.party, Math.max(0, ...line.served.values()) + 1);
  line.isBusy = next !== undefined;
  next?.begin();
}

async function inTurn<T>(store: object, party: string, page: () => Promise<T>, rest: Pace): Promise<T> {
  const line: Line = lines.get(store) ?? { isBusy: false, waiting: [], served: new Map() };
  lines.set(store, line);
  const { promise, resolve: begin } = Promise.withResolvers<void>();
  line.waiting.push({ party, begin });
  if (!line.isBusy) beginNext(line);
  await promise;
  try {
    return await page();
  } finally {
    await rest().finally(() => beginNext(line));
  }
}

export interface PageTurns {
  readonly deliveries: Pick<DeliveryStore, 'listIds' | 'get'>;
  /** Who takes turns with others. @default - the operator */
  readonly owner?: string | undefined;
  /** Called when the turn of a page begins. */
  readonly onTurn?: () => void;
  /** Called after each page of anyone, before the next one. It waits for the event loop only. @default - the next one begins at once */
  readonly betweenPages?: Pace | undefined;
  /** Called after each page, while others have their turn. @default - goes on at once */
  readonly pace?: Pace | undefined;
}

/** Oldest first, as `readPages` does. @param work returns false to stop. Returns whether it came to the end. */
export async function forEachPage(
  { deliveries, owner = '', onTurn, betweenPages = UNPACED, pace = UNPACED }: PageTurns,
  query: OpenDeliveryQuery,
  work: (page: readonly Delivery[]) => Promise<boolean>,
): Promise<boolean> {
  const pages = readPages(deliveries, query);
  for (;;) {
    const page = async () => {
      onTurn?.();
      const { done, value } = await pages.next();
      if (done === true) return 'end';
      return (await work(value)) ? 'next' : 'stop';
    };
    const outcome = await inTurn(deliveries, owner, page, betweenPages);
    if (outcome !== 'next') return outcome === 'end';
    // Not within the turn: the work may have to wait for one elsewhere.
    await pace();
  }
}
