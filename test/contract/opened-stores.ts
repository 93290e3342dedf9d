/** What the contract suites of the stores share: new stores for each test, and sample instants and attempts. */

import { afterEach, beforeEach } from 'vitest';
import type { Delivery } from '../../core/model/delivery.ts';
import { type Instant, MINUTE, plus } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import { NOON } from '../samples.ts';

interface OpenedStores {
  readonly stores: DatabaseStores;
  readonly close: () => Promise<void>;
}

export type OpenStores = () => Promise<OpenedStores>;

/** Opens stores before each test of a suite and closes them after it. */
export function openForEach(open: OpenStores): { readonly stores: DatabaseStores } {
  let opened: OpenedStores;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => opened.close());
  return {
    get stores() {
      return opened.stores;
    },
  };
}

export const later = (minutes: number): Instant => plus(NOON, minutes * MINUTE);

export const attempted = (from: Delivery, change: Partial<Delivery>): Delivery => ({
  ...from,
  attempts: [...from.attempts, { number: from.attempts.length + 1, at: NOON, ms: 3, outcome: 'retry' }],
  ...change,
});
