import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTurn, type TurnsBook } from '../../../core/delivery/rate-limit.ts';
import { between, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';

const later = (millis: number) => plus(NOON, millis);
const ask = (turn: number, patience: number) => ({ turn, until: later(patience) });

describe('the next turn', () => {
  it('is now where none was taken, or the last one is long over', () => {
    expect(nextTurn(undefined, ask(SECOND, MINUTE), NOON)).toEqual({ at: NOON, next: later(SECOND) });
    const over: TurnsBook = { next: later(-HOUR), turn: SECOND };
    expect(nextTurn(over, ask(SECOND, 0), NOON)).toEqual({ at: NOON, next: later(SECOND) });
  });

  it('comes after those that are taken', () => {
    const book: TurnsBook = { next: later(5 * SECOND), turn: SECOND };
    expect(nextTurn(book, ask(SECOND, MINUTE), NOON)).toEqual({ at: later(5 * SECOND), next: later(6 * SECOND) });
  });

  it('is none that nobody could wait for, and the first of those is told', () => {
    const book: TurnsBook = { next: later(5 * SECOND), turn: SECOND };
    expect(nextTurn(book, ask(SECOND, 5 * SECOND - 1), NOON)).toEqual({ next: later(5 * SECOND) });
    expect(nextTurn(book, ask(SECOND, 5 * SECOND), NOON).at).toBe(later(5 * SECOND));
  });

  it('follows the last one that was taken by the rate of now, whatever it was before', () => {
    const slow: TurnsBook = { next: later(HOUR), turn: HOUR };
    expect(nextTurn(slow, ask(SECOND, MINUTE), NOON).at).toBe(later(SECOND));
    const fast: TurnsBook = { next: later(200), turn: 100 };
    expect(nextTurn(fast, ask(HOUR, MINUTE), NOON)).toEqual({ next: later(100 + HOUR) });
  });

  it('is never less than a turn after the one before, whoever asks and when, by whichever rate', () => {
    const asked = { after: fc.nat(3000), patience: fc.nat(5000), turn: fc.integer({ min: 1, max: 1500 }) };
    fc.assert(
      fc.property(fc.array(fc.record(asked), { minLength: 1, maxLength: 60 }), (askers) => {
        let book: TurnsBook | undefined;
        let clock = 0;
        let last: string | undefined;
        for (const { after, patience, turn } of askers) {
          clock += after;
          const [now, until] = [later(clock), later(clock + patience)];
          const { at, next } = nextTurn(book, { turn, until }, now);
          // Nobody is sent away while there is one.
          if (at === undefined) expect(next > until).toBe(true);
          else {
            expect(at >= now && at <= until).toBe(true);
            if (last !== undefined) expect(between(last, at)).toBeGreaterThanOrEqual(turn);
            last = at;
            book = { next, turn };
          }
        }
      }),
    );
  });
});
