import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { continuesRow, isUsable, lastSlot, type SlotRow, startRow } from '../../../core/delivery/rate-limit.ts';
import { between, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';

const later = (millis: number) => plus(NOON, millis);
/** Any slot can be used. */
const every = (interval: number) => ({ interval, until: NOON, from: NOON });

describe('a row of slots', () => {
  it('continues until its next slot has passed', () => {
    const row: SlotRow = { start: NOON, interval: SECOND, count: 3 };
    expect(lastSlot(row)).toBe(later(2 * SECOND));
    expect(continuesRow(row, every(SECOND), NOON)).toBe(true);
    expect(continuesRow(row, every(SECOND), later(3 * SECOND))).toBe(true);
    expect(continuesRow(row, every(SECOND), later(3 * SECOND + 1))).toBe(false);
  });

  it('ends when the rate changes or its clock was far ahead', () => {
    expect(continuesRow({ start: NOON, interval: SECOND, count: 3 }, every(HOUR), NOON)).toBe(false);
    expect(continuesRow({ start: later(5 * MINUTE), interval: SECOND, count: 3 }, every(SECOND), NOON)).toBe(true);
    expect(continuesRow({ start: later(5 * MINUTE + 1), interval: SECOND, count: 3 }, every(SECOND), NOON)).toBe(false);
  });

  it('starts now, but an interval after the last slot', () => {
    expect(startRow(undefined, every(SECOND), NOON)).toMatchObject({ start: NOON, count: 1, isReset: false });
    const past: SlotRow = { start: later(-HOUR), interval: SECOND, count: 1 };
    expect(startRow(past, every(SECOND), NOON)).toMatchObject({ start: NOON, isReset: false });
    expect(startRow({ ...past, start: later(-10) }, every(30), NOON)).toMatchObject({
      start: later(20),
      isReset: false,
    });
  });

  it('has slots an interval apart, whenever they are booked', () => {
    const asked = { after: fc.nat(3000), wait: fc.nat(2000), interval: fc.constantFrom(100, 1500) };
    fc.assert(
      fc.property(fc.array(fc.record(asked), { minLength: 1, maxLength: 60 }), (askers) => {
        let row: SlotRow | undefined;
        let [clock, last] = [0, ''];
        for (const { after, wait, interval } of askers) {
          clock += after;
          const now = later(clock);
          const request = { interval, until: plus(now, wait), from: plus(now, 5000) };
          const isSame = row !== undefined && continuesRow(row, request, now);
          const next = row !== undefined && isSame ? { ...row, count: row.count + 1 } : startRow(row, request, now);
          const at = lastSlot(next);
          expect(isUsable(at, request, now)).toBe(true);
          // With another rate, slots that were booked ahead do not count any more.
          if (last !== '' && row?.interval === interval) expect(between(last, at)).toBeGreaterThanOrEqual(interval);
          [row, last] = [next, at];
        }
      }),
    );
  });
});
