/** Messages describe the present: of a record that was deleted since, they say only what stays true without it. */

import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { eventTypeOf } from '../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { describePresent } from '../../../core/messages/describe-present.ts';
import { buildNeutralMessage } from '../../../core/messages/neutral-message.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { event, snapshot } from '../../samples.ts';

const about = (type: string) => {
  const sample = event('7');
  return { ...sample, type, subject: `${type.split('.')[0]}/7`, data: { ...sample.data, version: 1 } };
};

async function keptTypes(types: readonly string[], change: Partial<Snapshot>): Promise<readonly string[]> {
  const snapshots = sqliteSnapshotStore(openDatabase(':memory:'));
  for (const resource of ['task', 'invoice']) {
    const first = snapshot('7');
    const key = { ...first.key, resource };
    await snapshots.commit([{ snapshot: { ...first, key, version: 1 }, expected: 0 }]);
    await snapshots.commit([{ snapshot: { ...first, key, version: 2, ...change }, expected: 1 }]);
  }
  const present = await describePresent({ snapshots }, types.map(about));
  return present.map(({ recorded }) => recorded.type);
}

const OF_LIVE_TASKS = ['task.due_date_changed', 'task.assigned', 'task.created', 'task.updated'];
const OF_ANY = ['task.deleted', 'task.closed', 'invoice.payment_received', 'invoice.payment_reversed', 'invoice.paid'];
const DELETED = { deletedAt: '2026-11-14T12:00:00.000Z', cause: 'poll' } as const;

describe('an event about a record that was deleted since', () => {
  it('is left out if somebody would have to act on it', async () => {
    expect(await keptTypes(OF_LIVE_TASKS, DELETED)).toEqual([]);
  });

  it('is kept if it stays true: a deletion, finished work, money', async () => {
    expect(await keptTypes(OF_ANY, DELETED)).toEqual(OF_ANY);
  });
});

describe('an event about a record that exists', () => {
  it.each([
    ['and is shown', {}],
    ['and is only out of sight', { ...DELETED, cause: 'baseline' }],
  ] as const)('%s is kept', async (_, change) => {
    expect(await keptTypes(OF_LIVE_TASKS, change)).toEqual(OF_LIVE_TASKS);
  });
});

/** The message about an example of the catalogue whose record has these values by now; undefined if it is left out. */
async function messageNow(type: string, now: Fields, stage: Snapshot['stage'] = {}) {
  const recorded = example(type);
  const [resource = '', id = ''] = recorded.subject.split('/');
  const later = snapshot(id, {
    key: { source: 'main', resource, id },
    version: recorded.data.version + 1,
    record: { ...recorded.data.record, ...now },
    stage,
  });
  const snapshots = { getMany: async () => new Map([[id, later]]) };
  const [found] = await describePresent({ snapshots }, [recorded]);
  return found === undefined ? undefined : buildNeutralMessage(found.present, { at: recorded.time });
}

function example(type: string): TidingsEvent {
  const eventType = eventTypeOf(type);
  const sample = eventType === undefined ? undefined : exampleEvent(eventType);
  if (sample === undefined) throw new Error(`no example of ${type}`);
  return sample;
}

describe('what changed again while the message waited', () => {
  it.each([
    ['task.due_date_changed', { datedue: '2026-12-31' }, 'Due', 'Wed 18 Nov → Thu 31 Dec'],
    ['task.estimate_changed', { estimate: 77 }, 'Estimate', '4 h → 77 h'],
    ['task.unassigned', { assigneeid: ['88'], assignees: ['Ben Okafor'] }, 'Assigned to', /^Ben Okafor/],
    ['invoice.amount_changed', { total: 999, balance: 99.5 }, 'Left to pay', '1,100.00 → 99.50'],
    ['project.end_date_changed', { dateend: '2026-12-30' }, 'End', 'Fri 11 Dec → Wed 30 Dec'],
  ] as const)('%s shows the value of now', async (type, now, label, expected) => {
    const message = await messageNow(type, now);
    const shown = message?.facts.find((fact) => fact.label === label)?.change;
    expect(shown).toMatch(typeof expected === 'string' ? new RegExp(`^${expected}$`) : expected);
    expect(message?.changes.find((change) => change.label === label)?.value).toBe(shown);
  });

  it('is not shown as a change if it was changed back', async () => {
    const message = await messageNow('task.due_date_changed', { datedue: '2026-11-18' });
    expect(message?.line).toContain('is now due Wed 18 Nov');
    expect(message?.changes).toEqual([]);
    expect(message?.facts.find(({ label }) => label === 'Due')).toEqual({
      ...{ label: 'Due', value: 'Wed 18 Nov', isNews: false },
      change: undefined,
    });
  });

  it('leaves out that a task is over its estimate, or on track, if it is not', async () => {
    expect(await messageNow('task.over_estimate', { estimate: 77 })).toBeUndefined();
    expect((await messageNow('task.over_estimate', { actual: 9 }))?.line).toContain('is 3 h over its estimate');
    expect(await messageNow('task.back_on_track', {}, { overdue: true })).toBeUndefined();
    expect((await messageNow('task.back_on_track', {}, { overdue: false }))?.line).toContain('is no longer overdue');
  });

  it('says of a partially paid invoice that nothing is due any more', async () => {
    expect((await messageNow('invoice.partially_paid', { payments: 1200.5, balance: 0 }))?.line).toMatch(
      /: 500\.00 received, nothing is due any more$/,
    );
  });
});
