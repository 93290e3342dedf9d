/** The short form of the truth run `year`: some weeks around a clock change, with faults, compared event by event. */

import { describe, expect, it } from 'vitest';
import { event as sampleEvent } from '../samples.ts';
import { compareEvents } from './compare-events.ts';
import type { TrueInstants } from './observation.ts';
import { findFalseWindows, findLateEvents } from './true-instants.ts';
import { runYear } from './year.ts';

describe('every event that the journal implies is emitted once, across a clock change', () => {
  it.each([
    ['Europe/Berlin', '2024-03-22T05:00:00.000Z', 18, 5, true],
    ['America/New_York', '2024-10-26T05:07:00.000Z', 15, 6, false],
  ])(
    'in %s, from %s, for %i days, with seed %i, while logging time updates the modification date: %s',
    async (timeZone, start, days, seed, hoursModify) => {
      const report = await runYear({
        ...{ seed, start, timeZone, days },
        ...{ tasks: 80, pollEvery: 60, lifePace: 45, faults: true, hoursModify },
      });
      expect(report).toMatchObject({
        ...{ missing: [], surplus: [], outOfOrder: [], duplicates: [], overlooked: [] },
        ...{ sourceProblems: [], scanGaps: [], lateEvents: [], falseWindows: [], wrongClients: [] },
        schemaViolations: [],
      });
      // An empty run would match an empty expectation.
      expect(report.emitted).toBeGreaterThan(600);
      expect(Object.keys(report.types).length).toBeGreaterThan(30);
      expect(report.faults).toBeGreaterThan(5);
    },
  );
});

describe('compareTold', () => {
  const at = '2024-03-18T05:00:00.000Z';
  const expected = [
    { at, subject: 'task/1', types: ['task.closed', 'task.updated'], when: [] },
    { at, subject: 'task/1', types: ['task.reopened', 'task.updated'], when: [] },
  ];
  const event = (id: string, type: string, version: number) => ({
    ...{ id, type, subject: 'task/1', time: at },
    data: { version },
  });
  const emitted = [
    event('a', 'task.closed', 2),
    event('b', 'task.updated', 2),
    event('c', 'task.reopened', 3),
    event('d', 'task.updated', 3),
  ];

  it('finds no difference between equal events', () => {
    expect(compareEvents(expected, emitted)).toMatchObject({
      missing: [],
      surplus: [],
      outOfOrder: [],
      duplicates: [],
    });
  });

  it('finds missing, surplus, duplicate and out-of-order events', () => {
    expect(compareEvents(expected, emitted.slice(1)).missing).toEqual([`task.closed task/1 at ${at}`]);
    const again = compareEvents(expected, [...emitted, event('d', 'task.updated', 3)]);
    expect(again.surplus).toEqual([`task.updated task/1 at ${at}`]);
    expect(again.duplicates).toEqual(['d task.updated']);
    expect(compareEvents(expected, [...emitted.slice(2), ...emitted.slice(0, 2)]).outOfOrder).toHaveLength(2);
    const swapped = [event('c', 'task.reopened', 2), emitted[1], event('a', 'task.closed', 3), emitted[3]];
    expect(
      compareEvents(
        expected,
        swapped.flatMap((one) => one ?? []),
      ).outOfOrder,
    ).toHaveLength(1);
  });
});

describe('the check of windows', () => {
  const at = '2026-11-14T12:00:00.000Z';
  const happened = '2026-11-14T11:07:00.000Z';
  const expected = (when: TrueInstants) => [{ at, subject: 'task/1', types: ['task.deleted'], when: [when] }];
  const emitted = (after: string | null, before: string) => {
    const sample = sampleEvent('1');
    const data = { ...sample.data, occurred: { after, before } };
    return [{ ...sample, type: 'task.deleted', subject: 'task/1', time: at, data }];
  };
  const isTrue = (when: TrueInstants, after: string | null, before: string) =>
    findFalseWindows(expected(when), emitted(after, before)).length === 0;

  it('finds a window that does not contain the instant', () => {
    const when = { all: [happened], any: [] };
    expect(isTrue(when, '2026-11-14T11:00:00.000Z', at)).toBe(true);
    expect(isTrue(when, null, at)).toBe(true);
    expect(isTrue(when, '2026-11-14T11:57:00.000Z', at)).toBe(false);
    expect(isTrue(when, null, '2026-11-14T11:06:00.000Z')).toBe(false);
  });

  it('requires one of the changes if none of them alone causes the event', () => {
    const when = { all: [], any: [happened, '2026-11-14T11:30:00.000Z'] };
    expect(isTrue(when, '2026-11-14T11:20:00.000Z', at)).toBe(true);
    expect(isTrue(when, '2026-11-14T11:40:00.000Z', at)).toBe(false);
  });
});

describe('the check of deadlines', () => {
  const at = '2026-11-14T12:00:00.000Z';
  const HALF_AN_HOUR = 30 * 60_000;
  const late = (type: string, happened: string, fault?: string) =>
    findLateEvents(
      [{ at, subject: `${type.split('.')[0]}/1`, types: [type], when: [{ all: [happened], any: [] }] }],
      fault === undefined ? [] : [{ from: Date.parse(fault), until: Date.parse(fault) + 1, graceMs: 0 }],
      HALF_AN_HOUR,
    ).length > 0;

  it('finds an edit that was not emitted by the next two scans', () => {
    expect(late('task.closed', '2026-11-14T11:05:00.000Z')).toBe(false);
    expect(late('task.closed', '2026-11-14T10:55:00.000Z')).toBe(true);
    expect(late('invoice.payment_received', '2026-11-14T10:25:00.000Z')).toBe(true);
    expect(late('task.closed', '2026-11-14T10:55:00.000Z', '2026-11-14T11:00:00.000Z')).toBe(false);
  });

  it('gives a deletion the time of a sweep', () => {
    expect(late('task.deleted', '2026-11-14T05:30:00.000Z')).toBe(false);
    expect(late('task.deleted', '2026-11-14T04:30:00.000Z')).toBe(true);
  });
});
