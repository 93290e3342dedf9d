/**
 * The truth run `growth`, short form: no function that reads text from outside takes more than linear time, so that one
 * description cannot stop all polling and delivery.
 */

import { describe, expect, it } from 'vitest';
import { exponentOf, isTooSlow, runGrowth } from './growth.ts';
import { TEXT_READERS } from './text-readers.ts';

describe('the time of a function that reads text from outside', () => {
  it.each(TEXT_READERS.map((reader, seed) => ({ reader, seed, name: reader.name })))(
    'grows no faster than the text: $name',
    async ({ reader, seed }) => {
      const { slow } = await runGrowth(reader, { maxLength: 16 * 1024, pairs: 5, seed });
      expect(slow).toEqual([]);
    },
  );

  it('is found to grow too fast when it is quadratic', async () => {
    const read = (text: string) => {
      // Only for one of the shapes: "#…!".
      if (!text.startsWith('##') || text.at(-2) !== '!') return 0;
      let sum = 0;
      for (let end = 0; end < text.length; end += 1) {
        for (let index = 0; index < end; index += 1) sum ^= text.charCodeAt(index);
      }
      return sum;
    };
    // On a fast machine 16 KB take too little time to be judged.
    const { slow } = await runGrowth({ name: 'quadratic', read }, { maxLength: 256 * 1024, pairs: 0, seed: 1 });
    expect(slow).toEqual([expect.stringMatching(/^quadratic of "#…!": exponent (?:1\.[5-9]|2\.\d)/)]);
  });
});

describe('the exponent', () => {
  it('leaves garbage collections out', () => {
    expect(exponentOf({ millis: 10, own: 5 }, { millis: 500, own: 80 })).toBeCloseTo(1);
  });

  it('counts them where the profiler leaves nothing else, and is a number', () => {
    expect(exponentOf({ millis: 10, own: 0 }, { millis: 160, own: 0 })).toBeCloseTo(1);
    expect(exponentOf({ millis: 10, own: 0 }, { millis: 2560, own: 5 })).toBeCloseTo(2);
  });

  it('fails if it is not a number', () => {
    expect(isTooSlow({ exponent: Number.NaN, millis: 60 })).toBe(true);
    expect(isTooSlow({ exponent: 1, millis: 60 })).toBe(false);
    expect(isTooSlow({ exponent: 1, millis: 3000 })).toBe(true);
  });
});
