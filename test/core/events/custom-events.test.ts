import { describe, expect, it } from 'vitest';
import { sayEvent } from '../../../core/events/catalogue.ts';
import { customEventType } from '../../../core/events/custom-events.ts';
import { deriveEvents } from '../../../core/events/derive.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { snapshot } from '../../samples.ts';

const review = customEventType({
  type: 'task.in_client_review',
  meaning: 'Waiting for client review:',
  when: { after: { status: ['In Client Review'] } },
});
const handedBack = customEventType({
  type: 'task.handed_back',
  meaning: 'The client sent it back:',
  when: { before: { status: ['In Client Review'] }, after: { status: ['In Progress'] } },
});
const unestimated = customEventType({
  type: 'task.unestimated',
  meaning: 'No estimate:',
  when: { after: { estimate: [0, null], stage: { closed: [false] } } },
});

const at = (status: string, version: number, more: object = {}): Snapshot => {
  const task = snapshot('7', { version });
  return { ...task, record: { ...task.record, status, ...more } };
};

function customs(before: Snapshot | null, after: Snapshot): string[] {
  const events = deriveEvents({ before, after }, [review, handedBack, unestimated]);
  return events.map(({ type }) => type).filter((type) => /client_review|handed_back|unestimated/.test(type));
}

describe('custom events', () => {
  it('fire when the record starts to match, and not again while it matches', () => {
    expect(customs(at('Open', 1), at('In Client Review', 2))).toEqual(['task.in_client_review']);
    expect(customs(at('In Client Review', 2), at('In Client Review', 3))).toEqual([]);
    expect(customs(null, at('In Client Review', 1))).toEqual(['task.in_client_review']);
  });

  it('fire only on the transition from `before` to `after`', () => {
    expect(customs(at('In Client Review', 2), at('In Progress', 3))).toEqual(['task.handed_back']);
    expect(customs(at('Open', 2), at('In Progress', 3))).toEqual([]);
    expect(customs(null, at('In Progress', 1))).toEqual([]);
  });

  it('do not fire when a status is renamed', () => {
    const same = { statusid: '4' };
    expect(customs(at('Review', 1, same), at('In Client Review', 2, same))).toEqual([]);
    expect(customs(at('In Client Review', 2, same), at('In Progress', 3, same))).toEqual([]);
    const renamed = at('In Client Review', 2, { ...same, title: 'Better' });
    expect(customs(at('Review', 1, same), renamed)).toEqual([]);
    expect(customs(at('Open', 1, { statusid: '1' }), at('In Client Review', 2, same))).toEqual([
      'task.in_client_review',
    ]);
  });

  it('do not fire for facts of the stage that only a renamed status began or ended', () => {
    const onTime = customEventType({
      type: 'task.not_overdue',
      meaning: 'Not overdue:',
      when: { before: { stage: { overdue: [true] } }, after: { stage: { overdue: [false] } } },
    });
    const late = customEventType({
      type: 'task.late',
      meaning: 'Late:',
      when: { after: { stage: { overdue: [true] } } },
    });
    const fired = (before: Snapshot, after: Snapshot) =>
      deriveEvents({ before, after }, [onTime, late]).flatMap(({ type }) =>
        type === onTime.type || type === late.type ? [type] : [],
      );
    const staged = (closed: boolean, overdue: boolean, more: object) => ({
      ...at(closed ? 'Closed' : 'Done', 2, more),
      stage: { closed, overdue },
    });
    const same = { statusid: '4', dateclosed: null };
    expect(fired(staged(false, true, same), staged(true, false, same))).toEqual([]);
    expect(fired(staged(true, false, same), staged(false, true, same))).toEqual([]);
    expect(fired(staged(false, true, same), staged(true, false, { ...same, statusid: '7' }))).toEqual([onTime.type]);
    expect(fired(staged(false, false, same), staged(false, true, same))).toEqual([late.type]);
    expect(fired(staged(false, true, same), staged(false, false, same))).toEqual([onTime.type]);
  });

  it.each([
    ['task', 'projectlocalid', { projectid: '3' }, 'P-1', 'P-2'],
    ['task', 'clientlocalid', { projectid: '3' }, 'C-1', 'C-2'],
    ['expense', 'managerid', { projectid: '3' }, ['5'], ['6']],
    ['expense', 'manager', { projectid: '3', managerid: ['5'] }, 'Ann Vogt', 'Ben Okafor'],
    ['expense', 'person', { personid: '5' }, 'Ann Vogt', 'Ann Meyer'],
    ['invoice', 'term', { termid: '2' }, 'Net 14', 'Net 30'],
    ['project', 'manager', { managerid: ['5'] }, 'Ann Vogt', 'Ann Meyer'],
    ['person', 'group', { groupid: '2' }, 'Staff', 'Team'],
    ['time', 'project', { projectid: '3' }, 'Site', 'Website'],
    ['milestone', 'clientid', { projectid: '3' }, '8', '9'],
  ] as const)('%s: do not fire when %s of another record changes', (resource, field, own, from, to) => {
    const type = `${resource}.custom`;
    const custom = customEventType({ type, meaning: 'Custom:', when: { after: { [field]: [to].flat() } } });
    const state = (value: unknown, version: number, more: object = {}) => {
      const key = { source: 'main', resource, id: '7' };
      return snapshot('7', {
        key,
        version,
        record: { id: '7', ...own, [field]: value, ...more } as Snapshot['record'],
      });
    };
    const fired = (before: Snapshot, after: Snapshot) =>
      deriveEvents({ before, after }, [custom]).filter((event) => event.type === type).length;
    expect(fired(state(from, 1), state(to, 2))).toBe(0);
    const [owner = ''] = Object.keys(own);
    expect(fired(state(from, 1), state(to, 2, { [owner]: owner === 'managerid' ? ['99'] : '99' }))).toBe(1);
  });

  it('do not fire when the role of the token shows a field for the first time', () => {
    const { status: _, ...hidden } = at('Open', 1).record;
    expect(customs({ ...at('Open', 1), record: hidden }, at('In Client Review', 2))).toEqual([]);
    expect(customs(at('Open', 1), at('Open', 2, { estimate: 0 }))).toEqual([]);
    expect(customs(at('Open', 1, { estimate: 5 }), at('Open', 2, { estimate: 0 }))).toEqual(['task.unestimated']);
  });

  it('do not fire when the record only becomes visible', () => {
    expect(customs(null, { ...at('In Client Review', 1), appeared: true })).toEqual([]);
  });

  it('do not repeat with `before` when both patterns match both states', () => {
    const type = {
      type: 'task.handed_back',
      meaning: 'Late:',
      when: { before: { status: ['Open'] }, after: { estimate: [0] } },
    };
    const fire = (before: Snapshot, after: Snapshot) =>
      deriveEvents({ before, after }, [customEventType(type)]).filter((event) => event.type === type.type).length;
    expect(fire(at('Open', 1, { estimate: 0 }), at('Open', 2, { estimate: 0, title: 'B' }))).toBe(0);
    expect(fire(at('Open', 1, { estimate: 3 }), at('Open', 2, { estimate: 0 }))).toBe(1);
  });

  it('can use the stage', () => {
    expect(customs(null, at('Open', 1, { estimate: 0 }))).toEqual(['task.unestimated']);
    const closed = { ...at('Closed', 1, { estimate: 0 }), stage: { closed: true } };
    expect(customs(null, closed)).toEqual([]);
  });

  it('do not fire for baselines, deleted records and other resources', () => {
    expect(customs(null, { ...at('In Client Review', 1), cause: 'baseline' })).toEqual([]);
    expect(customs(at('Open', 1), { ...at('In Client Review', 2), deletedAt: '2026-11-14T12:00:00.000Z' })).toEqual([]);
    const invoice = { ...at('In Client Review', 2), key: { source: 'main', resource: 'invoice', id: '7' } };
    expect(customs(null, invoice)).toEqual([]);
  });

  it('carry their meaning, for readers without the config', () => {
    const [event] = deriveEvents({ before: at('Open', 1), after: at('In Client Review', 2) }, [review]).filter(
      ({ type }) => type === 'task.in_client_review',
    );
    expect(event === undefined ? '' : sayEvent(event)).toBe('Waiting for client review: Task “Task 7”');
  });
});
