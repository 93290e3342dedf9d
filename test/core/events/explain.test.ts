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
    ['there at the first look', null, first, 'first-look', /first look, which is silent/],
    [
      'only a name of another record',
      first,
      next(first, { record: { ...first.record, project: 'B' } }),
      'labels',
      /only names that belong to other records moved \(project\)/,
    ],
    [
      'only a field that could not be seen before',
      first,
      next(first, { record: { ...first.record, estimate: 4 } }),
      'appeared',
      /came into sight that could not be seen before \(estimate\)/,
    ],
    [
      'only the day, without a meaning of its own',
      snapshot('1', { stage: { closed: false, dueSoon: true } }),
      next(first, { cause: 'tick', record: snapshot('1').record, stage: { closed: false, dueSoon: false } }),
      'stage',
      /only what the day makes of it moved \(dueSoon\)/,
    ],
    [
      'reckoned anew',
      first,
      next(first, { cause: 'baseline', stage: { closed: false, overdue: true } }),
      'restaged',
      /zone or the rules changed/,
    ],
    [
      'changed while the first look went on',
      first,
      next(first, { cause: 'baseline', record: { ...first.record, priorityid: '2' } }),
      'baseline',
      /first look was still going on/,
    ],
    [
      'gone and still gone',
      next(first, { deletedAt: NOON }),
      next(next(first, {}), { deletedAt: NOON }),
      'gone',
      /gone/,
    ],
    ['nothing but the agenda', first, next(first, { nextMoment: NOON }), 'nothing', /its place on the agenda/],
    ['a later version without the one before it', null, next(first, {}), 'before-history', /version 2 is not kept/],
  ])('says why there is no event: %s', (_, before, after, because, words) => {
    const told = explainTransition({ before, after });
    expect(told.events).toEqual([]);
    expect(told.silence).toEqual({ because, words: expect.stringMatching(words) });
  });

  it('tells changes, names, stage and the events, and no silence', () => {
    const after = next(first, {
      record: { ...first.record, priorityid: '2', project: 'B', status: 'Closed', dateclosed: '2026-11-14' },
      stage: { closed: true },
    });
    const told = explainTransition({ before: first, after });
    expect(told).toMatchObject({
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
    expect(told.events).toEqual(deriveEvents({ before: first, after }));
  });

  it('tells of being new, deleted and restored', () => {
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

  it('puts in what the feed leaves out: the first look, and days reckoned anew', () => {
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

  it('ends with the state of now, and takes a snapshot alone', () => {
    expect(versions([{ before: first, after: second }], third)).toEqual([
      [null, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(versions([], first)).toEqual([[null, 1]]);
    expect(versions([], undefined)).toEqual([]);
  });

  it('leaves alone what has no gap', () => {
    const fed = [
      { before: null, after: snapshot('1') },
      { before: snapshot('1'), after: snapshot('1', { version: 2 }) },
    ];
    expect(withoutGaps(fed, snapshot('1', { version: 2 }))).toEqual(fed);
  });
});
