/** Messages describe the present: they leave out what was undone since, and say of a deleted record only what stays true without it. */

import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { eventTypeOf } from '../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { describePresent } from '../../../core/messages/describe-present.ts';
import { buildNeutralMessage } from '../../../core/messages/neutral-message.ts';
import { OWN_SOURCE, type TidingsEvent } from '../../../core/model/event.ts';
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
    const record = { ...snapshot('7').record, total: 100, payments: 100, balance: 0 };
    expect(await keptTypes(OF_ANY, { ...DELETED, record, stage: { closed: true } })).toEqual(OF_ANY);
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

  it('leaves out that a task is over its estimate, or on track, if it is not', async () => {
    expect(await messageNow('task.over_estimate', { estimate: 77 })).toBeUndefined();
    expect((await messageNow('task.over_estimate', { actual: 9 }))?.line).toContain('is 3 h over its estimate');
    expect(await messageNow('task.back_on_track', {}, { overdue: true })).toBeUndefined();
    expect((await messageNow('task.back_on_track', {}, { overdue: false }))?.line).toContain('is no longer overdue');
  });

  it('counts only the logged hours that were not removed again', async () => {
    const { hours } = example('task.time_logged').data.details ?? {};
    const actual = Number(example('task.time_logged').data.record.actual);
    expect((await messageNow('task.time_logged', { actual: actual - 0.25 }))?.line).toMatch(
      new RegExp(`^${Number(hours) - 0.25} h logged`),
    );
    expect((await messageNow('task.time_logged', { actual: actual + 5 }))?.line).toMatch(
      new RegExp(`^${Number(hours)} h logged`),
    );
  });

  it('counts the days of a late payment by the present dates', async () => {
    expect((await messageNow('invoice.settled_late', { datedue: '2026-11-10' }))?.line).toMatch(
      /was paid 4 days late$/,
    );
    expect(await messageNow('invoice.settled_late', { datedue: '2026-11-20' })).toBeUndefined();
  });

  it('says of a partially paid invoice that nothing is due any more', async () => {
    expect((await messageNow('invoice.partially_paid', { payments: 1200.5, balance: 0 }))?.line).toMatch(
      /: 500\.00 received, nothing is due any more$/,
    );
  });
});

describe('what was undone while the message waited', () => {
  it.each([
    ['task.closed', { statusid: '2', dateclosed: null }, { closed: false }],
    ['task.reopened', { statusid: '7' }, { closed: true }],
    ['task.status_changed', { statusid: '1', status: 'Open' }, {}],
    ['task.assigned', { assigneeid: ['77'], assignees: ['Ben Okafor'] }, {}],
    ['task.unassigned', { assigneeid: ['5', '9'], assignees: ['Ann Vogt', 'Zoë Lind'] }, {}],
    ['task.owner_changed', { ownerid: ['3'], owners: ['Cleo Marsh'] }, {}],
    ['task.followers_changed', { followerid: [], followers: [] }, {}],
    ['task.priority_changed', { priorityid: '3' }, {}],
    ['task.due_date_changed', { datedue: '2026-11-18' }, {}],
    ['task.moved', { projectid: '30' }, {}],
    ['task.estimate_changed', { estimate: 4 }, {}],
    ['task.time_logged', { actual: 1 }, {}],
    ['invoice.payment_received', { payments: 0, balance: 1200.5 }, {}],
    ['invoice.partially_paid', { payments: 0, balance: 1200.5 }, {}],
    ['invoice.paid', { payments: 0, balance: 1200.5, datepaid: null, status: 'outstanding' }, {}],
    ['invoice.settled_late', { payments: 200, balance: 1000.5, datepaid: null, status: 'outstanding' }, {}],
    ['invoice.payment_reversed', { payments: 500, balance: 700.5 }, {}],
    ['invoice.amount_changed', { total: 1100 }, {}],
    ['project.activated', { active: false }, {}],
    ['project.deactivated', { active: true }, {}],
    ['project.manager_changed', { managerid: ['3'] }, {}],
    ['project.budget_changed', { budget: 200 }, {}],
    ['person.group_changed', { groupid: '2' }, {}],
  ] as const)('%s is left out', async (type, now, stage) => {
    expect(await messageNow(type, now, stage)).toBeUndefined();
  });

  it.each(['task', 'invoice', 'project'])(
    '%s.updated is left out, and kept if one of its changes stays',
    async (resource) => {
      const { changes } = example(`${resource}.updated`).data;
      const former = Object.fromEntries(changes.map(({ field, from }) => [field, from]));
      expect(changes.length).toBeGreaterThan(0);
      expect(await messageNow(`${resource}.updated`, former)).toBeUndefined();
      expect((await messageNow(`${resource}.updated`, {}))?.line).toMatch(/ was updated.*: \w/);
    },
  );

  it('leaves out a deletion of a record that exists again, and a restoration of one that is deleted again', async () => {
    const restored = { deletedAt: null, cause: 'poll' } as const;
    expect(await keptTypes(['task.deleted', 'task.restored'], restored)).toEqual(['task.restored']);
    expect(await keptTypes(['task.deleted', 'task.restored'], DELETED)).toEqual(['task.deleted']);
  });

  it.each([
    ['task.closed', { title: 'Another title' }, { closed: true }, /was closed/],
    ['invoice.paid', { notes: 'thanks' }, {}, /has been paid in full/],
    // A part of it stays.
    ['invoice.payment_received', { payments: 300, balance: 900.5 }, {}, /^Payment of 500\.00 received/],
    ['task.time_logged', { actual: 2 }, {}, /h logged/],
    // The token's role hides it now.
    ['task.assigned', { assigneeid: undefined, assignees: undefined }, {}, /was assigned to Ann Vogt/],
  ] as const)('%s is kept if it stays true', async (type, now, stage, expected) => {
    expect((await messageNow(type, now as unknown as Fields, stage))?.line).toMatch(expected);
  });

  it('names only the new assignees who still are', async () => {
    const recorded = example('task.assigned');
    const both = { added: ['5', '9'], removed: [], addedNames: ['Ann Vogt', 'Zoë Lind'], removedNames: [] };
    const [source, id] = ['main', recorded.subject.split('/')[1] ?? ''];
    const now = { ...recorded.data.record, assigneeid: ['9', '4'], assignees: ['Zoë Lind', 'Ben Okafor'] };
    const key = { source, resource: 'task', id };
    const later = snapshot(id, { key, version: recorded.data.version + 1, record: now });
    const [found] = await describePresent({ snapshots: { getMany: async () => new Map([[id, later]]) } }, [
      { ...recorded, data: { ...recorded.data, details: both } },
    ]);
    expect(found?.present.data.details).toEqual({ ...both, added: ['9'], addedNames: ['Zoë Lind'] });
    expect(found?.recorded.data.details).toEqual(both);
  });
});

describe('an event about Tidings itself whose state ended while the message waited', () => {
  it.each([
    ['source.unreachable', { state: 'ok' }],
    ['source.unauthorized', { state: 'ok' }],
    ['source.recovered', { state: 'unreachable' }],
    ['source.forbidden', { forbidden: [] }],
    ['source.stale', { stale: ['task'] }],
    ['source.incomplete', { incomplete: [] }],
    ['source.quota_low', { quota: 'ok' }],
    ['source.quota_exhausted', { quota: 'ok' }],
    ['source.mass_disappearance', { held: {} }],
    ['source.deletions_undecided', { undecided: {} }],
    ['source.unconfirmed', { unconfirmed: {} }],
    ['source.zone_unknown', { zoneUnknown: false }],
    ['source.clock_skewed', { clockAhead: null }],
    ['source.role_changed', { role: 'Administrator' }],
    ['subscription.failing', { state: 'ok' }],
    ['subscription.disabled', { state: 'ok' }],
    ['subscription.recovered', { state: 'failing' }],
  ] as const)('%s is left out, and kept while it lasts', async (type, ended) => {
    expect(await messageNow(type, ended)).toBeUndefined();
    expect((await messageNow(type, {}))?.line).toMatch(/\w/);
  });

  it('keeps that a subscription was paused because of its template, until it is resumed', async () => {
    const paused = { state: 'paused', reason: 'its template is too slow' };
    const disabled = example('subscription.disabled');
    const recorded = { ...disabled, data: { ...disabled.data, record: { ...disabled.data.record, ...paused } } };
    const id = disabled.subject.slice('subscription/'.length);
    const at = (state: string) => {
      const key = { source: OWN_SOURCE, resource: 'subscription', id };
      const now = snapshot(id, { key, version: 99, record: { ...recorded.data.record, state } });
      return describePresent({ snapshots: { getMany: async () => new Map([[id, now]]) } }, [recorded]);
    };
    expect(await at('paused')).toHaveLength(1);
    expect(await at('ok')).toEqual([]);
  });

  it('says what is so now', async () => {
    expect((await messageNow('source.clock_skewed', { clockAhead: 600 }))?.line).toContain('10 hours ahead');
    expect((await messageNow('source.unconfirmed', { unconfirmed: { task: 1 } }))?.line).toContain('show 1 task whose');
    expect((await messageNow('source.forbidden', { forbidden: ['invoice', 'project'] }))?.line).toMatch(
      /invoices and projects$/,
    );
  });
});

describe('a custom event whose record has gone on while the message waited', () => {
  const review = {
    type: 'task.in_review',
    meaning: 'Waiting for review:',
    when: { after: { status: ['In Review'] } },
  };
  const handedBack = {
    type: 'task.handed_back',
    meaning: 'Handed back:',
    when: { before: { status: ['In Review'] }, after: { status: ['In Progress'] } },
  };
  const config = { customEvents: [review, handedBack] };

  async function isKept(type: string, status: string): Promise<boolean> {
    const recorded = about(type);
    const now = snapshot('7', { version: 2, record: { ...snapshot('7').record, status } });
    const ports = { snapshots: { getMany: async () => new Map([['7', now]]) }, config };
    return (await describePresent(ports, [recorded])).length > 0;
  }

  it('is left out if it is about a state that ended', async () => {
    expect(await isKept(review.type, 'In Review')).toBe(true);
    expect(await isKept(review.type, 'Done')).toBe(false);
  });

  it('is kept if it is about a step, and the record has only gone further', async () => {
    expect(await isKept(handedBack.type, 'Done')).toBe(true);
  });
});
