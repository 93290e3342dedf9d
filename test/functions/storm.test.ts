/**
 * Chaos tests of all functions together, generated from a seed: several faults in sequence and at the same time, processes
 * that die between any two calls, duplicate batches, lagging reads, different clocks, receivers that fail and recover.
 * TIDINGS_STORMS=50 npx vitest run test/functions/storm --testTimeout=3600000 runs that many.
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

describe('after a storm', () => {
  it.each(Array.from({ length: COUNT }, (_, n) => FIRST + n))(
    'every event is recorded, carried by one delivery and taken: seed %i',
    async (seed) => {
      const { wrong, faults, ends, changes, token } = await storm({ seed, steps: 30 });
      expect(wrong).toEqual([]);
      expect(ends).toBeGreaterThan(0);
      expect(faults).toBeGreaterThan(3);
      expect(changes).toBeGreaterThan(5);
      for (const secret of [token, SECRET]) expect(output.text()).not.toContain(secret);
      output.clear();
    },
    120_000,
  );
});
