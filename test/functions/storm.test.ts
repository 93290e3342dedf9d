/**
 * Chaos tests of all functions together, generated from a seed: several faults in sequence and at the same time, processes
 * that die between any two calls, duplicate batches, lagging reads, different clocks, receivers that fail and recover.
 * A mail is sent again only if its response or its outcome was lost.
 * TIDINGS_STORMS=50 npx vitest run test/functions/storm --testTimeout=3600000 runs that many;
 * TIDINGS_BACKLOG=10000 sets the number of deliveries that pile up at once.
 */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SECRET } from '../samples.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { storm } from './storm.ts';

let output: CapturedOutput;
beforeAll(() => {
  output = captureOutput();
});
afterAll(() => {
  vi.restoreAllMocks();
});

const COUNT = Number(process.env.TIDINGS_STORMS ?? 2);
/** Each run has another seed, which a failure shows. */
const FIRST = Number(process.env.TIDINGS_FIRST_STORM ?? 1);

const backlog = process.env.TIDINGS_BACKLOG === undefined ? undefined : Number(process.env.TIDINGS_BACKLOG);

describe('after a storm', () => {
  it.each(Array.from({ length: COUNT }, (_, n) => FIRST + n))(
    'every event is recorded, carried by one delivery, accepted, and sent to people once: seed %i',
    async (seed) => {
      const { wrong, faults, ends, changes, mails, token } = await storm({ seed, steps: 30, backlog });
      expect(wrong).toEqual([]);
      expect(ends).toBeGreaterThan(0);
      expect(faults).toBeGreaterThan(3);
      expect(changes).toBeGreaterThan(5);
      expect(mails.length).toBeGreaterThan(0);
      for (const secret of [token, SECRET]) expect(output.text()).not.toContain(secret);
      output.clear();
    },
    process.env.TIDINGS_STORMS === undefined ? 120_000 : 3_600_000,
  );
});
