import { describe, expect, it } from 'vitest';
import { deriveEvents } from '../../../core/events/derive.ts';
import { explainTransition, withoutGaps } from '../../../core/events/explain.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { NOON, snapshot } from '../../samples.ts';

const first = snapshot('1', { cause: 'baseline', record: { ...snapshot('1').record, project: 'A', priorityid: '1' } });
const next = (before: Snapshot, change: Partial<Snapshot>): Snapshot => ({
  ...before,
  version: before.version + 1,
  cause: 'poll',
  ...change,
});

describe('explainTransition', () => {
  it.each<[string, Snapshot | null, Snapshot, string, RegExp]>([
    ['a record of the baseline', null, first, 'first-look', /existed at the baseline/],
    [
      'only the name of another record changed',
      first,
      next(first, { record: { ...first.record, project: 'B' } }),
      'labels',
      /only names of other records changed \(project\)/,
    ],
    [
      'only a hidden field became visible',
      first,
      next(first, { record: { ...first.record, estimate: 4 } }),
      'appeared',
      /hidden before became visible \(estimate\)/,
    ],
    [
      'only the stage changed, without an event type',
      snapshot('1', { stage: { closed: false, dueSoon: true } }),
      next(first, { cause: 'tick', record: snapshot('1').record, stage: { closed: false, dueSoon: false } }),
      'stage',
      /only time-derived state changed \(dueSoon\)/,
    ],
    [
      'a changed rule',
      first,
      next(first, { cause: 'baseline', stage: { closed: false, overdue: true } }),
      'restaged',
      /zone or the rules changed/,
    ],
    [
      'a change while the baseline is read',
      first,
      next(first, { cause: 'baseline', record: { ...first.record, priorityid: '2' } }),
      'baseline',
      /baseline was still being read/,
    ],
    [
      'a record that stays deleted',
      next(first, { deletedAt: NOON }),
      next(next(first, {}), { deletedAt: NOON }),
      'gone',
      /already deleted/,
    ],
    [
      'only the next due time changed',
      first,
      next(first, { nextMoment: NOON }),
      'nothing',
      /nothing changed except its next due time/,
    ],
    ['a later version without its previous state', null, next(first, {}), 'before-history', /history before version 2/],
  ])('says why there is no event: %s', (_, before, after, because, words) => {
    const explained = explainTransition({ before, after });
    expect(explained.events).toEqual([]);
    expect(explained.silence).toEqual({ because, words: expect.stringMatching(words) });
  });

  it('lists the changes, labels, stage and events', () => {
    const after = next(first, {
      record: { ...first.record, priorityid: '2', project: 'B', status: 'Closed', dateclosed: '2026-11-14' },
      stage: { closed: true },
    });
    const explained = explainTransition({ before: first, after });
    expect(explained).toMatchObject({
      version: 2,
      cause: 'poll',
      changes: [
        { field: 'dateclosed', from: null, to: '2026-11-14' },
        { field: 'priorityid', from: '1', to: '2' },
      ],
      labels: expect.arrayContaining([{ field: 'project', from: 'A', to: 'B' }]),
      stage: [{ field: 'closed', from: false, to: true }],
      life: null,
      silence: null,
    });
    expect(explained.events).toEqual(deriveEvents({ before: first, after }));
  });

  it('recognizes new, deleted and restored records', () => {
    const life = (before: Snapshot | null, after: Snapshot) => explainTransition({ before, after }).life;
    const gone = next(first, { deletedAt: NOON });
    expect(life(null, snapshot('1'))).toBe('new');
    expect(life(first, gone)).toBe('deleted');
    expect(life(gone, next(gone, { deletedAt: null }))).toBe('restored');
  });
});

describe('withoutGaps', () => {
  const second = next(first, { stage: { closed: true } });
  const third = next(second, { cause: 'baseline', stage: { closed: true, stale: false } });
  const fourth = next(third, { record: { ...first.record, priorityid: '9' } });
  const versions = (...given: Parameters<typeof withoutGaps>) =>
    withoutGaps(...given).map(({ before, after }) => [before?.version ?? null, after.version]);

  it('adds the baselines and restaged states that the feed leaves out', () => {
    const fed = [
      { before: first, after: second },
      { before: third, after: fourth },
    ];
    expect(versions(fed, fourth)).toEqual([
      [null, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
  });

  it('ends with the current state, and accepts a snapshot alone', () => {
    expect(versions([{ before: first, after: second }], third)).toEqual([
      [null, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(versions([], first)).toEqual([[null, 1]]);
    expect(versions([], undefined)).toEqual([]);
  });

  it('takes a version that a restored backup raised for the same state', () => {
    const fed = [{ before: snapshot('1', { version: 1 }), after: snapshot('1', { version: 2 }) }];
    expect(versions(fed, snapshot('1', { version: 1002, versionOffset: 1000 }))).toEqual([
      [null, 1],
      [1, 2],
    ]);
    const added = explainTransition({ before: null, after: snapshot('1', { version: 1001, versionOffset: 1000 }) });
    expect(added.life).toBe('new');
    expect(added.events.map(({ type }) => type)).toContain('task.created');
  });

  it('does not change transitions without gaps', () => {
    const fed = [
      { before: null, after: snapshot('1') },
      { before: snapshot('1'), after: snapshot('1', { version: 2 }) },
    ];
    expect(withoutGaps(fed, snapshot('1', { version: 2 }))).toEqual(fed);
  });
});
