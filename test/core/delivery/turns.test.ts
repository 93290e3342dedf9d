import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeTurns, type TurnsBook } from '../../../core/delivery/turns.ts';
import { between, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';

const later = (millis: number) => plus(NOON, millis);
const ask = (turn: number, most: number, patience: number) => ({ turn, most, until: later(patience) });

describe('free turns', () => {
  it('begin now where none was taken, or the last one is long over', () => {
    expect(freeTurns(undefined, ask(SECOND, 2, MINUTE), NOON)).toEqual({
      at: [NOON, later(SECOND)],
      next: later(2 * SECOND),
    });
    const over: TurnsBook = { next: later(-HOUR), turn: SECOND };
    expect(freeTurns(over, ask(SECOND, 1, 0), NOON)).toEqual({ at: [NOON], next: later(SECOND) });
  });

  it('begin after those that are taken', () => {
    const book: TurnsBook = { next: later(5 * SECOND), turn: SECOND };
    expect(freeTurns(book, ask(SECOND, 1, MINUTE), NOON).at).toEqual([later(5 * SECOND)]);
  });

  it('are none that nobody could wait for, and the first of those is told', () => {
    const book: TurnsBook = { next: later(5 * SECOND), turn: SECOND };
    expect(freeTurns(book, ask(SECOND, 3, 5 * SECOND - 1), NOON)).toEqual({ at: [], next: later(5 * SECOND) });
    expect(freeTurns(book, ask(SECOND, 3, 6 * SECOND), NOON).at).toEqual([later(5 * SECOND), later(6 * SECOND)]);
  });

  it('follow the last one that was taken by the rate of now, whatever it was before', () => {
    const slow: TurnsBook = { next: later(HOUR), turn: HOUR };
    expect(freeTurns(slow, ask(SECOND, 1, MINUTE), NOON).at).toEqual([later(SECOND)]);
    const fast: TurnsBook = { next: later(200), turn: 100 };
    expect(freeTurns(fast, ask(HOUR, 1, MINUTE), NOON)).toEqual({ at: [], next: later(100 + HOUR) });
  });

  it('are never less than a turn apart, whoever asks for how many and when, by whichever rate', () => {
    const asked = {
      after: fc.nat(3000),
      most: fc.integer({ min: 1, max: 9 }),
      patience: fc.nat(5000),
      turn: fc.integer({ min: 1, max: 1500 }),
    };
    fc.assert(
      fc.property(fc.array(fc.record(asked), { minLength: 1, maxLength: 30 }), (askers) => {
        let book: TurnsBook | undefined;
        let clock = 0;
        let last: string | undefined;
        for (const { after, most, patience, turn } of askers) {
          clock += after;
          const now = later(clock);
          const until = later(clock + patience);
          const { at, next } = freeTurns(book, { turn, most, until }, now);
          expect(at.length).toBeLessThanOrEqual(most);
          expect(at.every((one) => one >= now && one <= until)).toBe(true);
          // Nobody is sent away while there is one.
          if (at.length < most) expect(next > until).toBe(true);
          for (const one of at) {
            if (last !== undefined) expect(between(last, one)).toBeGreaterThanOrEqual(turn);
            last = one;
          }
          if (at.length > 0) book = { next, turn };
        }
      }),
    );
  });
});
