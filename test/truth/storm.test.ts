/**
 * Seeded storms over the embedded mode: several faults at once, processes that end between any two calls, people at the command
 * line, receivers that fail and recover, a clock change.
 * TIDINGS_STORMS=50 npx vitest run test/truth/storm --testTimeout=3600000 runs that many;
 * TIDINGS_BACKLOG=10000 sets the number of deliveries that pile up at once.
 */

import { describe, expect, it } from 'vitest';
import { storm } from './storm.ts';

const STEPS = process.env.TIDINGS_STORMS === undefined ? 15 : 40;
const COUNT = Number(process.env.TIDINGS_STORMS ?? 2);
/** The first seed. A failed test shows its seed. */
const FIRST = Number(process.env.TIDINGS_FIRST_STORM ?? 1);

const backlog = process.env.TIDINGS_BACKLOG === undefined ? undefined : Number(process.env.TIDINGS_BACKLOG);

describe('after a storm over the embedded mode', () => {
  it.each(Array.from({ length: COUNT }, (_, n) => FIRST + n))(
    'every event is recorded, carried by one delivery and sent once: seed %i',
    async (seed) => {
      const { wrong, faults, ends, changes, sent, judged } = await storm({ seed, steps: STEPS, backlog });
      expect(wrong).toEqual([]);
      // The interleaving decides how many calls are made, and so how many of the two percent that fail.
      expect(faults + ends).toBeGreaterThan(0);
      expect(changes).toBeGreaterThan(5);
      expect(sent).toBeGreaterThan(20);
      expect(judged.names + judged.titles).toBeGreaterThan(5);
    },
    process.env.TIDINGS_STORMS === undefined ? 120_000 : 3_600_000,
  );
});
