import { describe, expect, it } from 'vitest';
import { RetryLater } from '../../../core/model/errors.ts';
import { cleanRow } from '../../../core/source/clean.ts';
import { taskFields } from '../../../core/source/task-fields.ts';

const clean = (row: Record<string, unknown>) => cleanRow('task', { id: '12', ...row }, taskFields).fields;

describe('cleanRow', () => {
  it.each([
    ['a number comes as text', { estimate: '7.50' }, { estimate: 7.5 }],
    ['an id stays text', { projectid: '0042' }, { projectid: '0042' }],
    ['an id that came as a number becomes text', { projectid: 42 }, { projectid: '42' }],
    ['a comma list becomes a set of ids, in order', { assigneeid: '10, 9,2' }, { assigneeid: ['2', '9', '10'] }],
    ['an empty list is a list', { assigneeid: '', followers: null }, { assigneeid: [], followers: [] }],
    ['names keep the order they came in', { assignees: 'Zoë,Ann' }, { assignees: ['Zoë', 'Ann'] }],
    ["'' and null are both null", { datedue: '', dateclosed: null }, { datedue: null, dateclosed: null }],
    ['entities in plain text are decoded', { title: 'Caf&eacute; &amp; Bar&rsquo;s' }, { title: 'Café & Bar’s' }],
    ['HTML keeps its entities', { summary: '<p>a &amp; b</p>\r\n' }, { summary: '<p>a &amp; b</p>\n' }],
    [
      'date-times say that they are UTC',
      { datemodified: '2026-11-14 09:31:07' },
      { datemodified: '2026-11-14T09:31:07Z' },
    ],
    ['what should be a number and is none is carried', { estimate: 'n/a' }, { estimate: 'n/a' }],
    ['unknown fields are carried', { timerid: '5', nested: { a: [1] } }, { timerid: '5', nested: { a: [1] } }],
  ])('%s', (_, row, expected) => {
    expect(clean(row)).toEqual({ id: '12', ...expected });
  });

  it('leaves absent fields absent', () => {
    expect(clean({})).toEqual({ id: '12' });
  });

  it.each([[undefined], [null], [''], ['abc'], ['-1'], ['0'], ['1.5'], [{}]])('refuses a row with id %j', (id) => {
    expect(() => cleanRow('task', { id }, taskFields)).toThrow(RetryLater);
  });
});
