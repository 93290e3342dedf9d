import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextSlot, type SlotState } from '../../../core/delivery/rate-limit.ts';
import { between, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';

const later = (millis: number) => plus(NOON, millis);
const ask = (interval: number, patience: number) => ({ interval, until: later(patience) });

describe('the next slot', () => {
  it('is now if none was taken or the last one has passed', () => {
    expect(nextSlot(undefined, ask(SECOND, MINUTE), NOON)).toEqual({ at: NOON, next: later(SECOND) });
    const past: SlotState = { next: later(-HOUR), interval: SECOND };
    expect(nextSlot(past, ask(SECOND, 0), NOON)).toEqual({ at: NOON, next: later(SECOND) });
  });

  it('follows the slots that are taken', () => {
    const state: SlotState = { next: later(5 * SECOND), interval: SECOND };
    expect(nextSlot(state, ask(SECOND, MINUTE), NOON)).toEqual({ at: later(5 * SECOND), next: later(6 * SECOND) });
  });

  it('is not reserved if it is later than the caller can wait, but its time is returned', () => {
    const state: SlotState = { next: later(5 * SECOND), interval: SECOND };
    expect(nextSlot(state, ask(SECOND, 5 * SECOND - 1), NOON)).toEqual({ next: later(5 * SECOND) });
    expect(nextSlot(state, ask(SECOND, 5 * SECOND), NOON).at).toBe(later(5 * SECOND));
  });

  it('follows the last slot by the current rate, even if the rate changed', () => {
    const slow: SlotState = { next: later(HOUR), interval: HOUR };
    expect(nextSlot(slow, ask(SECOND, MINUTE), NOON).at).toBe(later(SECOND));
    const fast: SlotState = { next: later(200), interval: 100 };
    expect(nextSlot(fast, ask(HOUR, MINUTE), NOON)).toEqual({ next: later(100 + HOUR) });
  });

  it('is never less than an interval after the previous slot', () => {
    const asked = { after: fc.nat(3000), patience: fc.nat(5000), interval: fc.integer({ min: 1, max: 1500 }) };
    fc.assert(
      fc.property(fc.array(fc.record(asked), { minLength: 1, maxLength: 60 }), (askers) => {
        let state: SlotState | undefined;
        let clock = 0;
        let last: string | undefined;
        for (const { after, patience, interval } of askers) {
          clock += after;
          const [now, until] = [later(clock), later(clock + patience)];
          const { at, next } = nextSlot(state, { interval, until }, now);
          // A slot is refused only if none is free in time.
          if (at === undefined) expect(next > until).toBe(true);
          else {
            expect(at >= now && at <= until).toBe(true);
            if (last !== undefined) expect(between(last, at)).toBeGreaterThanOrEqual(interval);
            last = at;
            state = { next, interval };
          }
        }
      }),
    );
  });
});
