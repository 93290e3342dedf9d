/**
 * The truth run `hostile`, growth: no function that reads text from outside takes more than linear time, so that one
 * description cannot stop all polling and delivery. FC_RUNS > 1 goes up to 1 MB and tries pairs of tokens.
 */

import { describe, expect, it } from 'vitest';
import { measureGrowth, PAIR_SHAPES, type Shape, SINGLE_SHAPES } from './growth.ts';
import { seededRandom } from './seeded-random.ts';
import { TEXT_READERS } from './text-readers.ts';

const runFactor = Number(process.env.FC_RUNS ?? 1);
const isLong = runFactor > 1;
const MAX_LENGTH = isLong ? 1024 * 1024 : 16 * 1024;
const MAX_EXPONENT = 1.2;
const PAIRS_PER_RUN = 5;

/** All single tokens, and some pairs: others in each long run. */
function shapesOf(index: number): readonly Shape[] {
  const random = seededRandom(isLong ? Date.now() + index : index);
  const pairs = Array.from({ length: PAIRS_PER_RUN * runFactor }, () => random.pick(PAIR_SHAPES) ?? []).flat();
  // A text that does not fit at its end makes patterns try everything before it.
  const singles = isLong ? SINGLE_SHAPES : SINGLE_SHAPES.filter((_, at) => at % 2 === 1);
  return [...singles, ...pairs];
}

describe('the time of a function that reads text from outside', () => {
  it.each(TEXT_READERS.map((reader, index) => ({ ...reader, index })))(
    'grows no faster than the text: $name',
    { timeout: isLong ? 600_000 : 60_000 },
    async ({ index, ...reader }) => {
      const slow: string[] = [];
      for (const { name, make } of shapesOf(index)) {
        const growth = await measureGrowth(reader, make, MAX_LENGTH, MAX_EXPONENT);
        if (growth === undefined) continue;
        const { exponent, length, millis } = growth;
        slow.push(`${name}: exponent ${exponent.toFixed(2)}, ${millis.toFixed(0)} ms for ${length} characters`);
      }
      expect(slow).toEqual([]);
    },
  );
});
