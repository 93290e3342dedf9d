/** A reader that follows cursors gets each event once, while batches appear out of order and are written late. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventsItem } from '../../../adapters/dynamodb/event-item.ts';
import { readEventPage } from '../../../adapters/dynamodb/event-page.ts';
import type { StoredItem } from '../../../adapters/dynamodb/keys.ts';
import type { LedgerTable } from '../../../adapters/dynamodb/ledger-table.ts';
import { type Batch, timelinePlace } from '../../../adapters/dynamodb/timeline.ts';
import { DAY, plus, SECOND } from '../../../core/model/time.ts';
import { event, NOON } from '../../samples.ts';

interface Recorded {
  /** Seconds after noon at which the batch was named. */
  readonly named: number;
  /** Seconds until the batch was written, and until its events were written. */
  readonly put: number;
  readonly written: number;
  readonly size: number;
}

const recorded: fc.Arbitrary<Recorded> = fc.record({
  named: fc.integer({ min: 0, max: 400 }),
  put: fc.integer({ min: 0, max: 14 }),
  written: fc.integer({ min: 0, max: 40 }),
  size: fc.integer({ min: 0, max: 4 }),
});

/** The content of the table at a time of such a history. */
function world(history: readonly Recorded[], offClock: number) {
  let now = 0;
  const batches = history
    .map((one, n): Recorded & Batch => {
      const name = `${plus(NOON, one.named * SECOND)}-00000-${String(n).padStart(4, '0')}`;
      return { ...one, name, events: Array.from({ length: one.size }, (_, k) => `evt_${n}.${k}`), deliveries: [] };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const items = new Map<string, StoredItem>(
    batches.flatMap(({ name, events }) =>
      events.map((id, k): [string, StoredItem] => {
        const announcement = { event: { ...event('1'), id }, deliveries: [] };
        return [id, eventsItem([announcement], timelinePlace(name, k), 0)];
      }),
    ),
  );
  const isWritten = (id: string) =>
    batches.some(({ events, named, put, written }) => events.includes(id) && named + put + written <= now);
  const notRead = () => {
    throw new Error('not used: events are read from the oldest on');
  };
  const ledger: Pick<LedgerTable, 'timeline' | 'clock' | 'retention'> = {
    retention: 90 * DAY,
    clock: { now: () => plus(NOON, (now + offClock) * SECOND) },
    timeline: {
      add: () => Promise.reject(new Error('not used: nothing is recorded here')),
      async *readEvents({ from = '' } = {}) {
        yield* batches.filter(({ name, named, put }) => name >= from && named + put <= now);
      },
      readEventsBackward: notRead,
      readAll: notRead,
      readAllBackward: notRead,
    },
  };
  return {
    all: batches.flatMap(({ events }) => [...events]),
    pass: (seconds: number) => {
      now += seconds;
    },
    now: () => now,
    page: (query: { readonly limit: number; readonly after?: string }) =>
      readEventPage(
        ledger as LedgerTable,
        async (ids) => new Map(ids.filter(isWritten).flatMap((id) => [[id, items.get(id) ?? {}] as const])),
        query,
      ),
  };
}

describe('a cursor', () => {
  it('returns each event once, however late its batch appears and whatever the clock of the reader', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(recorded, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 50 }),
        // The clock may be behind by any time, but ahead only by less than the remaining recording time.
        fc.integer({ min: -100, max: 5 }),
        async (history, limit, every, offClock) => {
          const { all, page, pass, now } = world(history, offClock);
          const seen: string[] = [];
          let after: string | undefined;
          while (now() < 700) {
            const { events, cursor } = await page({ limit, ...(after === undefined ? {} : { after }) });
            seen.push(...events.map(({ id }) => id));
            after = cursor;
            if (events.length < limit) pass(every);
          }
          expect(seen.toSorted()).toEqual(all.toSorted());
        },
      ),
      { numRuns: 200 },
    );
  });

  it('of a burst of batches fits in a URL, and returns each event once', async () => {
    const history = Array.from({ length: 1500 }, (_, n) => ({ named: n / 30, put: 0, written: 0, size: 1 }));
    const { all, page, pass } = world(history, 0);
    pass(60);
    const seen: string[] = [];
    for (let after: string | undefined, more = true; more; ) {
      const next = await page({ limit: 200, ...(after === undefined ? {} : { after }) });
      seen.push(...next.events.map(({ id }) => id));
      ({ cursor: after, more } = next);
      expect(Buffer.from(after ?? '').toString('base64url').length).toBeLessThan(7000);
    }
    expect(seen).toEqual(all);
  });

  it('of an earlier version, with whole names of batches, continues', async () => {
    const { page, pass, all } = world(
      [0, 1, 2].map((named) => ({ named, put: 0, written: 0, size: 1 })),
      0,
    );
    pass(60);
    const names = [0, 1].map((n) => `${plus(NOON, n * SECOND)}-00000-000${n}`);
    const { events } = await page({ limit: 9, after: `${plus(NOON, -59 * SECOND)}  ${names.join(',')}` });
    expect(events.map(({ id }) => id)).toEqual(all.slice(2));
  });

  it('stays the same when there is nothing more', async () => {
    const { page, pass } = world([{ named: 0, put: 0, written: 0, size: 2 }], 0);
    pass(1);
    const { cursor = '' } = await page({ limit: 9 });
    expect(await page({ limit: 9, after: cursor })).toEqual({ events: [], cursor, more: false });
  });
});
