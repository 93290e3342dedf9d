import { describe, expect, it } from 'vitest';
import { endAfter, TookTooLong } from '../../../core/messages/end-after.ts';

const forever = () => {
  for (;;);
};

describe('endAfter', () => {
  it('returns what the work returns, and throws what it throws', () => {
    expect(endAfter(1000, () => [1])).toEqual([1]);
    class Refused extends Error {}
    const refuse = () => {
      throw new Refused('no');
    };
    expect(() => endAfter(1000, refuse)).toThrow(Refused);
  });

  it.each([
    ['a loop', forever],
    [
      'a loop that catches its errors',
      () => {
        try {
          forever();
        } catch {
          forever();
        }
      },
    ],
    ['an expression that backtracks', () => /^(a+)+$/.test(`${'a'.repeat(40)}b`)],
    ['one inside other work', () => endAfter(60_000, forever)],
  ])('ends %s', (_, work) => {
    expect(() => endAfter(50, work)).toThrow(TookTooLong);
    expect(endAfter(1000, () => 'as before')).toBe('as before');
  });
});
