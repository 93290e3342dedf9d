/**
 * Chaos tests of all functions together, generated from a seed: several faults in sequence and at the same time, processes
 * that die between any two calls, duplicate batches, lagging reads, different clocks, receivers that fail and recover.
 * A mail is sent again only if its response or its outcome was lost.
 * TIDINGS_STORMS=50 npx vitest run test/functions/storm runs that many, each with a backlog of 300 replays;
 * TIDINGS_BACKLOG sets another number.
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

const isLong = process.env.TIDINGS_STORMS !== undefined;
const COUNT = Number(process.env.TIDINGS_STORMS ?? 2);
const STEPS = isLong ? 30 : 15;
const BACKLOG = Number(process.env.TIDINGS_BACKLOG ?? (isLong ? 300 : 24));
/** Each run has another seed, which a failure shows. */
const FIRST = Number(process.env.TIDINGS_FIRST_STORM ?? 1);

describe('after a storm', () => {
  it.each(Array.from({ length: COUNT }, (_, n) => FIRST + n))(
    'every event is recorded, carried by one delivery, accepted, and sent to people once: seed %i',
    async (seed) => {
      const { wrong, faults, ends, changes, mails, tokens, waiting, judged } = await storm({
        ...{ seed, steps: STEPS, backlog: BACKLOG },
      });
      expect(wrong).toEqual([]);
      expect(waiting.filter(({ mark }) => mark === 'replay')).toHaveLength(BACKLOG);
      expect(waiting.filter(({ subscription }) => subscription === 'team').length).toBeGreaterThanOrEqual(8);
      expect(waiting.filter(({ attempts }) => attempts.length > 0)).toEqual([]);
      expect(ends).toBeGreaterThan(0);
      expect(faults).toBeGreaterThan(3);
      expect(changes).toBeGreaterThan(5);
      expect(mails.length).toBeGreaterThan(0);
      expect(judged.titles + judged.names).toBeGreaterThan(0);
      for (const secret of [...tokens, SECRET]) expect(output.text()).not.toContain(secret);
      output.clear();
    },
    isLong ? 3_600_000 : 300_000,
  );
});
