import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  fromMillis,
  parseDuration,
  parseInstant,
  parseMillis,
  plus,
} from '../../../core/model/time.ts';

describe('parseInstant', () => {
  it.each([
    ['2026-11-14T09:00:00Z', '2026-11-14T09:00:00.000Z'],
    ['2026-11-14T09:00Z', '2026-11-14T09:00:00.000Z'],
    ['2026-11-14T09:00:00.5+01:00', '2026-11-14T08:00:00.500Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-01-01T00:30:00+02:00', '2025-12-31T22:30:00.000Z'],
  ])('reads %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  it.each([
    '',
    'now',
    '2026-11-14',
    '2026-11-14T09:00:00',
    '2026-02-30T09:00:00Z',
    '2025-02-29T09:00:00+01:00',
    '2026-04-31T23:59:59-12:00',
    '2026-13-01T09:00:00Z',
    '14.11.2026',
  ])('rejects %j: no instant, no offset, or a day that does not exist', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('parses every formatted instant', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }), (date) => {
        const instant = fromMillis(date.getTime());
        expect(parseInstant(instant)).toBe(instant);
      }),
    );
  });

  it('accepts exactly the existing days, and agrees with parseMillis', () => {
    const two = (number: number) => String(number).padStart(2, '0');
    const part = (max: number) => fc.integer({ min: 1, max });
    fc.assert(
      fc.property(fc.integer({ min: 1970, max: 2400 }), part(12), part(31), (year, month, day) => {
        const text = `${year}-${two(month)}-${two(day)}T12:00:00Z`;
        const exists = day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
        expect(parseInstant(text)).toBe(exists ? text.replace('Z', '.000Z') : undefined);
        expect(parseMillis(text)).toBe(exists ? Date.parse(text) : undefined);
      }),
    );
  });

  it('keeps the order of instants as text', () => {
    const millis = fc.integer({ min: 0, max: 4_000_000_000_000 });
    fc.assert(
      fc.property(millis, fc.integer({ min: 1, max: 4_000_000_000 }), (at, duration) => {
        expect(fromMillis(at) < plus(fromMillis(at), duration)).toBe(true);
      }),
    );
  });
});

describe('fromMillis', () => {
  it('equals toISOString, also before 1970 and after the year 9999', () => {
    fc.assert(
      fc.property(fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }), (millis) => {
        expect(fromMillis(millis)).toBe(new Date(millis).toISOString());
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.65e15])('rejects %d', (millis) => {
    expect(() => fromMillis(millis)).toThrow(RangeError);
  });
});

describe('durations', () => {
  it.each([
    ['30s', 30_000],
    ['5m', 300_000],
    ['6h', 21_600_000],
    ['1d', 86_400_000],
    ['0s', 0],
  ])('reads %s', (text, millis) => {
    expect(parseDuration(text)).toBe(millis);
    expect(formatDuration(millis)).toBe(text);
  });

  it.each(['', '5', 'm', '-5m', '5 m', '1.5h', '5min', '1w'])('rejects %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
