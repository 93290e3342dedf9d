import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextSlot, type SlotState } from '../../../core/delivery/rate-limit.ts';
import { between, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';

const later = (millis: number) => plus(NOON, millis);
const ask = (interval: number, patience: number) => ({ interval, until: later(patience) });

describe('the next slot', () => {
  it('is now where none was taken, or the last one is long over', () => {
    expect(nextSlot(undefined, ask(SECOND, MINUTE), NOON)).toEqual({ at: NOON, next: later(SECOND) });
    const over: SlotState = { next: later(-HOUR), interval: SECOND };
    expect(nextSlot(over, ask(SECOND, 0), NOON)).toEqual({ at: NOON, next: later(SECOND) });
  });

  it('comes after those that are taken', () => {
    const book: SlotState = { next: later(5 * SECOND), interval: SECOND };
    expect(nextSlot(book, ask(SECOND, MINUTE), NOON)).toEqual({ at: later(5 * SECOND), next: later(6 * SECOND) });
  });

  it('is none that nobody could wait for, and the first of those is told', () => {
    const book: SlotState = { next: later(5 * SECOND), interval: SECOND };
    expect(nextSlot(book, ask(SECOND, 5 * SECOND - 1), NOON)).toEqual({ next: later(5 * SECOND) });
    expect(nextSlot(book, ask(SECOND, 5 * SECOND), NOON).at).toBe(later(5 * SECOND));
  });

  it('follows the last one that was taken by the rate of now, whatever it was before', () => {
    const slow: SlotState = { next: later(HOUR), interval: HOUR };
    expect(nextSlot(slow, ask(SECOND, MINUTE), NOON).at).toBe(later(SECOND));
    const fast: SlotState = { next: later(200), interval: 100 };
    expect(nextSlot(fast, ask(HOUR, MINUTE), NOON)).toEqual({ next: later(100 + HOUR) });
  });

  it('is never less than an interval after the slot before, whatever the rate', () => {
    const asked = { after: fc.nat(3000), patience: fc.nat(5000), interval: fc.integer({ min: 1, max: 1500 }) };
    fc.assert(
      fc.property(fc.array(fc.record(asked), { minLength: 1, maxLength: 60 }), (askers) => {
        let book: SlotState | undefined;
        let clock = 0;
        let last: string | undefined;
        for (const { after, patience, interval } of askers) {
          clock += after;
          const [now, until] = [later(clock), later(clock + patience)];
          const { at, next } = nextSlot(book, { interval, until }, now);
          // Nobody is sent away while there is one.
          if (at === undefined) expect(next > until).toBe(true);
          else {
            expect(at >= now && at <= until).toBe(true);
            if (last !== undefined) expect(between(last, at)).toBeGreaterThanOrEqual(interval);
            last = at;
            book = { next, interval };
          }
        }
      }),
    );
  });
});
