import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, dayIn, daysBetween, isDay, isTimeZone, startOfDay } from '../../../core/model/calendar.ts';
import { fromMillis, HOUR, plus } from '../../../core/model/time.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Asia/Beirut',
  'Pacific/Apia',
];

describe('startOfDay', () => {
  it.each([
    ['Europe/Berlin', '2026-11-14', '2026-11-13T23:00:00.000Z'],
    ['Europe/Berlin', '2026-07-01', '2026-06-30T22:00:00.000Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
    ['Asia/Kolkata', '2026-01-01', '2025-12-31T18:30:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
    // The clocks went forward at midnight: the day began at one o'clock.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
    // Samoa skipped 2011-12-30: it begins with the next day.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['UTC', '2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('in %s, %s begins at %s', (zone, day, instant) => {
    expect(startOfDay(zone, day)).toBe(instant);
  });

  it('is the first instant of its day, in any zone, on any day', () => {
    const day = fc.integer({ min: 0, max: 20_000 }).map((n) => addDays('1990-01-01', n));
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), day, (zone, day) => {
        const start = startOfDay(zone, day);
        expect(dayIn(zone, start) >= day).toBe(true);
        expect(dayIn(zone, plus(start, -1)) < day).toBe(true);
      }),
    );
  });
});

describe('days', () => {
  it('are counted across months, years, leap days and daylight saving time', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
    expect(daysBetween('2026-03-28', '2026-03-30')).toBe(2);
    expect(daysBetween('2026-11-14', '2026-11-07')).toBe(-7);
  });

  it('are consistent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: -5000, max: 5000 }), (start, count) => {
        const day = addDays('1980-01-01', start);
        expect(daysBetween(day, addDays(day, count))).toBe(count);
      }),
    );
  });

  it.each(['2026-02-30', '2026-13-01', '', '14.11.2026', '2026-11-14 10:00:00', null, 7])('%j is none', (value) => {
    expect(isDay(value)).toBe(false);
  });

  it('are those that a calendar of the zone shows, also around the changes of its clocks', () => {
    const shown = new Map(
      [...ZONES, 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/St_Johns', 'Asia/Gaza'].map((zone) => [
        zone,
        new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }),
      ]),
    );
    const start = Date.parse('2011-12-01T00:00:00Z');
    const instant = fc.oneof(
      fc.integer({ min: start, max: Date.parse('2050-01-01T00:00:00Z') }),
      // Next to a full hour, where days begin.
      fc
        .tuple(fc.integer({ min: 0, max: 24 * 365 * 20 }), fc.constantFrom(-1, 0, 1))
        .map(([h, ms]) => start + h * HOUR + ms),
    );
    fc.assert(
      fc.property(fc.constantFrom(...shown.keys()), instant, (zone, millis) => {
        expect(dayIn(zone, fromMillis(millis))).toBe(shown.get(zone)?.format(millis));
      }),
      { numRuns: 2_000 },
    );
  });

  it('exist in the first and last years of four digits', () => {
    const ends = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '+010000-01-01T00:00:00.000Z'];
    expect(ends.map((end) => dayIn('UTC', end))).toEqual(['0001-01-01', '9999-12-31', '10000-01-01']);
  });

  it('depend on the zone', () => {
    const late = '2026-11-14T23:30:00.000Z';
    expect([dayIn('UTC', late), dayIn('Europe/Berlin', late), dayIn('America/New_York', late)]).toEqual([
      '2026-11-14',
      '2026-11-15',
      '2026-11-14',
    ]);
    expect(dayIn('UTC', fromMillis(0))).toBe('1970-01-01');
    expect(isTimeZone('Mars/Base')).toBe(false);
  });
});
