/** The short form of the truth run `year`: some weeks around a clock change, with faults, compared event by event. */

import { describe, expect, it } from 'vitest';
import { compareEvents } from './compare-events.ts';
import { runYear } from './year.ts';

describe('every event that the journal implies is emitted once, across a clock change', () => {
  it.each([
    ['Europe/Berlin', '2024-03-18T05:00:00.000Z', 5, true],
    ['America/New_York', '2024-10-20T05:07:00.000Z', 6, false],
  ])(
    'in %s, from %s, with seed %i, while logging time updates the modification date: %s',
    async (timeZone, start, seed, hoursModify) => {
      const report = await runYear({
        ...{ seed, start, timeZone, days: 25 },
        ...{ tasks: 80, pollEvery: 60, lifePace: 45, faults: true, hoursModify },
      });
      const { missing, surplus, outOfOrder, duplicates, overlooked, sourceProblems, scanGaps, schemaViolations } =
        report;
      expect({
        missing,
        surplus,
        outOfOrder,
        duplicates,
        overlooked,
        sourceProblems,
        scanGaps,
        schemaViolations,
      }).toEqual({
        ...{ missing: [], surplus: [], outOfOrder: [], duplicates: [] },
        ...{ overlooked: [], sourceProblems: [], scanGaps: [], schemaViolations: [] },
      });
      // An empty run would match an empty expectation.
      expect(report.emitted).toBeGreaterThan(1000);
      expect(Object.keys(report.types).length).toBeGreaterThan(30);
      expect(report.faults).toBeGreaterThan(5);
    },
    120_000,
  );
});

describe('compareTold', () => {
  const at = '2024-03-18T05:00:00.000Z';
  const expected = [
    { at, subject: 'task/1', types: ['task.closed', 'task.updated'] },
    { at, subject: 'task/1', types: ['task.reopened', 'task.updated'] },
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
