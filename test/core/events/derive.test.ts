import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveEvents } from '../../../core/events/derive.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { NOON, snapshot } from '../../samples.ts';

const derive = (before: Snapshot | null, after: Snapshot) => deriveEvents({ before, after });
const types = (before: Snapshot | null, after: Snapshot) => derive(before, after).map(({ type }) => type);

const open = snapshot('1');
const closed = snapshot('1', {
  version: 2,
  stage: { closed: true },
  record: { ...open.record, status: 'Closed', dateclosed: '2026-11-14' },
  occurred: { after: '2026-11-14T11:55:00.000Z', before: NOON },
});

describe('deriveEvents', () => {
  it.each([
    ['created when a task is new to us', null, open, ['task.created']],
    ['created and closed when both happened between two looks', null, closed, ['task.created', 'task.closed']],
    ['closed when it closes, and updated', open, closed, ['task.closed', 'task.updated']],
    ['nothing when it stays closed', closed, { ...closed, version: 3 }, []],
    ['reopened when it reopens', closed, { ...open, version: 3 }, ['task.reopened', 'task.updated']],
    ['deleted when it goes', open, { ...open, version: 2, deletedAt: NOON }, ['task.deleted']],
    ['restored when it is back', { ...open, deletedAt: NOON }, { ...open, version: 3 }, ['task.restored']],
    ['nothing when it stays gone', { ...open, deletedAt: NOON }, { ...open, version: 3, deletedAt: NOON }, []],
    [
      'nothing when only the project was renamed',
      open,
      { ...open, version: 2, record: { ...open.record, project: 'B' } },
      [],
    ],
    ['nothing from a baseline', null, { ...closed, cause: 'baseline' as const }, []],
  ])('%s', (_, before, after, expected) => {
    expect(types(before, after)).toEqual(expected);
  });

  it('closes again after reopening, under another id', () => {
    const reopened = { ...open, version: 3 };
    const closedAgain = { ...closed, version: 4 };
    const [first] = derive(open, closed);
    const [second] = derive(reopened, closedAgain);
    expect(second?.type).toBe('task.closed');
    expect(second?.id).not.toBe(first?.id);
  });

  it('makes a CloudEvents envelope with previous values, changes and an honest window', () => {
    expect(derive(open, closed).slice(0, 1)).toEqual([
      {
        specversion: '1.0',
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: 'task.closed',
        source: '/sources/main',
        subject: 'task/1',
        time: NOON,
        datacontenttype: 'application/json',
        dataschema: 'tidings:/schemas/task.closed.json',
        data: {
          version: 2,
          record: closed.record,
          previous: { dateclosed: null },
          changes: [{ field: 'dateclosed', from: null, to: '2026-11-14' }],
          occurred: { after: '2026-11-14T11:55:00.000Z', before: NOON },
          cause: 'poll',
        },
      },
    ]);
  });

  it('gives the same transition the same id, and no two events of any history the same', () => {
    const step = fc.record({ id: fc.integer({ min: 1, max: 3 }).map(String), closed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const latest = new Map<string, Snapshot>();
        const ids = steps.flatMap(({ id, closed }) => {
          const before = latest.get(id) ?? null;
          const after = snapshot(id, { version: (before?.version ?? 0) + 1, stage: { closed } });
          latest.set(id, after);
          const events = derive(before, after).map(({ id }) => id);
          expect(derive(before, structuredClone(after)).map(({ id }) => id)).toEqual(events);
          return events;
        });
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});
