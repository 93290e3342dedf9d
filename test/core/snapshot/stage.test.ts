import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../../core/model/calendar.ts';
import type { Fields } from '../../../core/model/record.ts';
import { clearTimeFacts } from '../../../core/snapshot/kept-facts.ts';
import { computeStage, defaultRules, nextStageDay, type StageRules, stageOnDay } from '../../../core/snapshot/stage.ts';

const open = { status: 'Open', dateclosed: null, datedue: '2026-11-20', datemodified: '2026-11-01T10:00:00Z' };
const invoice = { balance: 100, datedue: '2026-11-20', datepaid: null };
const project = { active: true, dateend: '2026-11-20' };

describe('stageOf', () => {
  it.each<[string, string, Fields, string, object]>([
    ['nothing long before', 'task', open, '2026-11-18', { dueSoon: false, overdue: false, closed: false }],
    ['due soon the day before', 'task', open, '2026-11-19', { dueSoon: true, overdue: false }],
    ['due soon on the day itself', 'task', open, '2026-11-20', { dueSoon: true, overdue: false }],
    ['overdue the day after', 'task', open, '2026-11-21', { dueSoon: false, overdue: true }],
    [
      'not overdue when closed by date',
      'task',
      { ...open, dateclosed: '2026-11-19' },
      '2026-12-01',
      { closed: true, overdue: false },
    ],
    [
      'not overdue when closed by status',
      'task',
      { ...open, status: 'Closed' },
      '2026-12-01',
      { closed: true, overdue: false },
    ],
    [
      'never overdue without a date',
      'task',
      { ...open, datedue: null },
      '2027-12-01',
      { dueSoon: false, overdue: false },
    ],
    ['unknown when the date is hidden', 'task', { status: 'Open' }, '2027-12-01', { overdue: false, stale: false }],
    ['stale after thirty days', 'task', open, '2026-12-01', { stale: true }],
    ['not stale a day before', 'task', open, '2026-11-30', { stale: false }],
    [
      'an invoice due in a week',
      'invoice',
      invoice,
      '2026-11-13',
      { owed: true, dueSoon: true, overdue: false, reminder: 0 },
    ],
    ['an invoice overdue', 'invoice', invoice, '2026-11-21', { dueSoon: false, overdue: true, reminder: 0 }],
    ['a week overdue', 'invoice', invoice, '2026-11-27', { overdue: true, reminder: 7 }],
    ['two weeks overdue', 'invoice', invoice, '2026-12-04', { reminder: 14 }],
    [
      'a balance of less than a cent',
      'invoice',
      { ...invoice, balance: 0.004 },
      '2026-11-27',
      { owed: false, overdue: false },
    ],
    [
      'an empty invoice whose balance is hidden',
      'invoice',
      { total: 0, datedue: '2026-11-20', datepaid: null },
      '2026-11-27',
      { owed: false, overdue: false },
    ],
    [
      'a voided invoice that was refunded more than was paid',
      'invoice',
      { ...invoice, total: 0, payments: -50, balance: 50 },
      '2026-11-27',
      { owed: true, overdue: true },
    ],
    ['a year overdue', 'invoice', invoice, '2027-11-20', { reminder: 30 }],
    [
      'paid: nothing is owed',
      'invoice',
      { ...invoice, balance: 0 },
      '2027-11-20',
      { owed: false, overdue: false, reminder: 0 },
    ],
    ['a project ending in a week', 'project', project, '2026-11-13', { endingSoon: true, pastEnd: false }],
    ['a project past its end', 'project', project, '2026-11-21', { endingSoon: false, pastEnd: true }],
    ['an archived project does not end', 'project', { ...project, active: false }, '2026-11-21', { pastEnd: false }],
  ])('%s', (_, resource, record, today, expected) => {
    expect(stageOnDay(resource, record, today, defaultRules)).toMatchObject(expected);
  });

  it('is nothing for a resource that time does nothing to', () => {
    expect(stageOnDay('client', { name: 'x' }, '2026-11-14', defaultRules)).toEqual({});
    expect(nextStageDay('client', { name: 'x' }, '2026-11-14', defaultRules)).toBeNull();
  });

  it('obeys the rules', () => {
    const rules: StageRules = { ...defaultRules, closedStatuses: ['Done'], taskDueSoon: 3, taskStale: 0 };
    expect(stageOnDay('task', { ...open, status: 'Closed' }, '2026-11-17', rules)).toMatchObject({
      closed: false,
      dueSoon: true,
    });
    expect(stageOnDay('task', { ...open, status: 'Done' }, '2026-11-21', rules)).toMatchObject({ closed: true });
    expect(stageOnDay('task', open, '2030-01-01', rules)).toMatchObject({ stale: false });
  });
});

describe('nextStageDay', () => {
  const day = fc.integer({ min: 0, max: 120 }).map((n) => addDays('2026-01-01', n));
  const maybe = fc.option(day);
  const record: fc.Arbitrary<[string, Fields]> = fc.oneof(
    fc
      .record({ datedue: maybe, dateclosed: maybe, status: fc.constantFrom('Open', 'Closed'), datemodified: maybe })
      .map((fields): [string, Fields] => ['task', fields]),
    fc
      .record({ datedue: maybe, balance: fc.constantFrom(0, 5), datepaid: maybe })
      .map((fields): [string, Fields] => ['invoice', fields]),
    fc.record({ dateend: maybe, active: fc.boolean() }).map((fields): [string, Fields] => ['project', fields]),
  );

  it('is the first day on which the stage is another, found day by day', () => {
    fc.assert(
      fc.property(record, day, ([resource, fields], today) => {
        const now = stageOnDay(resource, fields, today, defaultRules);
        let expected: string | null = null;
        for (let ahead = 1; ahead < 300 && expected === null; ahead++) {
          const later = addDays(today, ahead);
          if (JSON.stringify(stageOnDay(resource, fields, later, defaultRules)) !== JSON.stringify(now))
            expected = later;
        }
        expect(nextStageDay(resource, fields, today, defaultRules)).toBe(expected);
      }),
    );
  });

  it('comes as an instant in the zone: midnight there, whatever the clocks do', () => {
    const next = (zone: string, datedue: string) =>
      computeStage(
        'task',
        { ...open, datedue },
        { timeZone: zone, at: '2026-03-01T12:00:00.000Z', rules: { ...defaultRules, taskDueSoon: 0 } },
      ).nextMoment;
    expect(next('Europe/Berlin', '2026-03-29')).toBe('2026-03-28T23:00:00.000Z');
    expect(next('America/New_York', '2026-03-08')).toBe('2026-03-08T05:00:00.000Z');
  });
});

describe('unawareOfTime', () => {
  it('keeps what people did, and forgets what days did', () => {
    const stage = { closed: false, owed: true, overdue: true, dueSoon: true, stale: true, reminder: 14, pastEnd: true };
    expect(clearTimeFacts(stage)).toEqual({
      closed: false,
      owed: true,
      overdue: false,
      dueSoon: false,
      stale: false,
      reminder: 0,
      pastEnd: false,
    });
  });
});
