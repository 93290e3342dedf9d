/** The query of a stored subscription: whatever is found compiles to the same subscription. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../../core/events/catalogue.ts';
import { printQuery } from '../../../core/filters/query.ts';
import { subscriptionFromQuery } from '../../../core/filters/query-compile.ts';
import { queryFromSubscription } from '../../../core/filters/query-from.ts';

const TYPES = eventTypes.map(({ type }) => type);

/** Compiles the text, and finds it again. */
function roundTrip(text: string): string | undefined {
  const found = queryFromSubscription(subscriptionFromQuery(text, TYPES), TYPES);
  return found === undefined ? undefined : printQuery(found);
}

describe('the query of a subscription', () => {
  it.each([
    'task.overdue',
    '*',
    'task.* invoice.paid',
    'task.overdue project:"Website relaunch"',
    'task.overdue project:"Website relaunch" project:Other',
    'task.* -status:Draft',
    'task.* -status:Draft -status:Staged',
    'task.overdue assignee:none',
    'task.overdue -assignee:none',
    'task.* title:*report*',
    'task.* title:"100*"*',
    'invoice.paid total>=500',
    'invoice.paid total>=500 total<1000',
    'task.overdue priority:P1',
    'task.overdue priority<=2',
    'task.overdue due<2026-12-01',
    'task.overdue daily 08:30 mon-fri',
    'task.overdue project:X quiet 18:00-08:00 sat,sun',
    'invoice.* task.* total>=500',
    'task.overdue status:Open -status:Draft',
    'task.overdue source:main',
    'task.overdue source:"none" source:north assigneeid:5',
    '* -source:north -source:south',
    'invoice.* task.* source:main total>=500 daily 08:30',
  ])('%s', (text) => expect(roundTrip(text)).toBe(text));

  it.each([
    [{ data: { record: { title: [{ prefix: 'A' }] } } }],
    [{ data: { record: { unknown_field: ['x'] } } }],
    [{ data: { changes: { field: ['status'] } } }],
    [{ source: ['/tidings'] }],
    [{ source: [{ prefix: '/sources/' }] }],
    [{ source: ['/sources/main', null] }],
    [{ source: [{ 'anything-but': '/sources/main' }] }],
    [{ source: ['/sources/main'], subject: ['task/1'] }],
    [{ $or: [{ data: { record: { status: ['a'] } } }, { subject: ['task/1'] }] }],
    [{ data: { record: { status: ['Open'] } }, subject: ['task/1'] }],
  ])('there is none for %j', (where) =>
    expect(queryFromSubscription({ events: ['task.*'], where }, TYPES)).toBeUndefined(),
  );

  it('is never another filter', () => {
    const value = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string(), fc.constant({ exists: false }));
    const operator = fc.oneof(
      value,
      fc.record({ 'equals-ignore-case': fc.string() }),
      fc.record({ wildcard: fc.string() }),
      fc.record({ numeric: fc.tuple(fc.constantFrom('>=', '<', '='), fc.integer()) }),
      fc.record({ 'none-of': fc.array(fc.record({ 'equals-ignore-case': fc.string() }), { maxLength: 2 }) }),
      fc.record({ 'anything-but': fc.constant(null) }),
    );
    const field = fc.constantFrom('project', 'status', 'assignees', 'total', 'datedue', 'severity', 'active');
    const where = fc
      .dictionary(field, fc.array(operator, { minLength: 1, maxLength: 3 }), { minKeys: 1, maxKeys: 3 })
      .map((record) => ({ data: { record } }));
    fc.assert(
      fc.property(where, (pattern) => {
        const found = queryFromSubscription({ events: ['task.*'], where: pattern }, TYPES);
        if (found === undefined) return;
        expect(subscriptionFromQuery(printQuery(found), TYPES).where).toEqual(pattern);
      }),
    );
  });
});
