import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { initialScanState, type ScanState } from '../../../core/model/scan.ts';
import { DAY, HOUR, MINUTE, plus } from '../../../core/model/time.ts';
import { forecastRequests, nextDueAt, type PlannedResource, planScans } from '../../../core/source/plan.ts';
import { NOON } from '../../samples.ts';

const cadence = { every: 5 * MINUTE, sweep: 6 * HOUR };
const at = (minutes: number) => plus(NOON, minutes * MINUTE);

function planned(name: 'task' | 'invoice' | 'project', state: Partial<ScanState> = {}): PlannedResource {
  const scanned = { baselinedAt: NOON, lastGoodScanAt: NOON, lastSweepAt: NOON, lastTriedAt: NOON, cursor: NOON };
  return {
    resource: workResourceOf(name),
    cadence,
    state: { ...initialScanState('main', name), ...scanned, ...state },
  };
}

const due = (resource: PlannedResource, minutes: number) =>
  planScans([resource], null, 0.2, at(minutes)).due.map(({ kind }) => kind);

describe('planScans', () => {
  it.each<[string, PlannedResource, number, string[]]>([
    ['a sweep first of all', planned('task', { baselinedAt: null }), 0, ['sweep']],
    ['nothing before its time', planned('task'), 4, []],
    ['a delta of tasks', planned('task'), 5, ['delta']],
    ['the open ones of invoices', planned('invoice'), 5, ['open']],
    ['a sweep of what knows nothing less', planned('project'), 5, ['sweep']],
    ['a sweep of tasks in its turn', planned('task', { lastGoodScanAt: at(359) }), 360, ['sweep']],
    ['one sweep for days of downtime', planned('task'), 5000, ['sweep']],
    ['a sweep brought forward when the count does not add up', planned('task', { sweepSoon: true }), 60, ['sweep']],
    ['but not at once after the last', planned('task', { sweepSoon: true }), 59, ['delta']],
    [
      'the rest of a broken-off sweep',
      planned('task', {
        progress: { startedAt: NOON, index: 1, offset: 9, last: '9', seen: 9, missing: [], complete: true },
      }),
      0,
      ['sweep'],
    ],
    ['nothing right after a failure', planned('task', { failures: 1, lastTriedAt: at(5) }), 5, []],
    ['another try half a minute later', planned('task', { failures: 1, lastTriedAt: at(5) }), 5.5, ['delta']],
    ['a try in five minutes after many failures', planned('task', { failures: 50, lastTriedAt: at(5) }), 9.9, []],
    ['the same, five minutes later', planned('task', { failures: 50, lastTriedAt: at(5) }), 10, ['delta']],
    ['nothing of a forbidden resource', planned('task', { forbiddenAt: NOON }), 59, []],
    ['a try of a forbidden resource every hour', planned('task', { forbiddenAt: NOON }), 60, ['sweep']],
  ])('plans %s', (_, resource, minutes, kinds) => {
    expect(due(resource, minutes)).toEqual(kinds);
  });

  it('plans one scan after a request, unless the resource was scanned since or has just failed', () => {
    const requested = (name: 'task' | 'project', state: Partial<ScanState> = {}) => ({
      ...planned(name, state),
      requestedAt: at(1),
    });
    expect(due(requested('task'), 1)).toEqual(['delta']);
    expect(due(requested('project'), 1)).toEqual(['sweep']);
    expect(due(requested('task', { lastGoodScanAt: at(1) }), 2)).toEqual([]);
    expect(due(requested('task', { failures: 1, lastTriedAt: at(2) }), 2.2)).toEqual([]);
    expect(due(requested('task', { forbiddenAt: NOON }), 2)).toEqual([]);
  });

  it('puts light scans before sweeps, and sweeps everything when asked', () => {
    const resources = [planned('project'), planned('invoice'), planned('task')];
    expect(planScans(resources, null, 0.2, at(5)).due.map(({ kind }) => kind)).toEqual(['delta', 'open', 'sweep']);
    expect(planScans(resources, null, 0.2, NOON, true).due.map(({ kind }) => kind)).toEqual([
      'sweep',
      'sweep',
      'sweep',
    ]);
  });

  it('never plans beyond the reserve, for any quota', () => {
    const count = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(count, count, fc.double({ min: 0, max: 0.95, noNaN: true }), (limit, used, reserve) => {
        const { budget } = planScans([planned('task')], { limit, used, resetsAt: at(600) }, reserve, NOON);
        expect(budget).toBeGreaterThanOrEqual(0);
        expect(budget + used).toBeLessThanOrEqual(Math.max(used, limit * (1 - reserve)));
      }),
    );
  });

  it('stretches cadences just as far as the quota has to last', () => {
    const resources = [planned('task', { cost: { delta: 1, sweep: 10 } })];
    const plenty = planScans(resources, { limit: 6000, used: 0, resetsAt: plus(NOON, DAY) }, 0.2, NOON);
    expect(plenty).toMatchObject({ stretch: 1, forecast: 288 + 40 + 48 + 24 });
    const scarce = planScans(resources, { limit: 250, used: 0, resetsAt: plus(NOON, DAY) }, 0.2, at(7));
    expect(scarce.stretch).toBeCloseTo(2, 1);
    expect(scarce.due).toEqual([]);
    expect(planScans(resources, { limit: 250, used: 0, resetsAt: plus(NOON, DAY) }, 0.2, at(10)).due).toHaveLength(1);
  });

  it('forecasts a day of the usual account', () => {
    const day = [
      planned('task', { cost: { delta: 1, sweep: 5 } }),
      planned('invoice', { cost: { open: 1, sweep: 3 } }),
      planned('project', { cost: { sweep: 1 } }),
    ];
    expect(forecastRequests(day)).toBe(288 + 20 + 48 + 288 + 12 + 288 + 24);
  });

  it('says when the next scan will be', () => {
    expect(nextDueAt(planned('task'), 1)).toBe(at(5));
    expect(nextDueAt(planned('task'), 3)).toBe(at(15));
    expect(nextDueAt(planned('task', { lastGoodScanAt: null }), 1)).toBeNull();
    expect(nextDueAt(planned('task', { forbiddenAt: NOON }), 1)).toBe(at(60));
  });

  it.each([1, 2, 5, 50])('says when it will be tried again after %i failures: then, and not before', (failures) => {
    const failed = planned('task', { failures, lastGoodScanAt: NOON, lastTriedAt: at(30) });
    const next = nextDueAt(failed, 1) ?? '';
    const dueAt = (instant: string) => planScans([failed], null, 0.2, instant).due.length;
    expect([dueAt(plus(next, -1)), dueAt(next)]).toEqual([0, 1]);
    expect(nextDueAt(planned('task', { failures: 1, lastGoodScanAt: null, lastTriedAt: NOON }), 1)).toBe(at(0.5));
  });
});
