import { describe, expect, it } from 'vitest';
import { explainPattern, PatternError } from '../../../core/filters/pattern.ts';

const invoice = {
  type: 'invoice.paid',
  data: {
    record: { total: 120, client: 'Acme', tags: ['web', 'print'], notes: [], terms: { days: 14 }, datepaid: null },
    changes: [
      { field: 'balance', to: 0 },
      { field: 'status', to: 'Paid' },
    ],
  },
};

const inRecord = (alternatives: Record<string, unknown>) => ({ data: { record: alternatives } });

describe('explainPattern', () => {
  it.each<[string, unknown, string[]]>([
    ['nothing when it matches', inRecord({ client: ['Acme'] }), []],
    ['a number', inRecord({ total: [{ numeric: ['>=', 500] }] }), ['data.record.total: a number >= 500, not 120']],
    [
      'alternatives',
      inRecord({ client: ['Nord', { prefix: 'North' }, { suffix: { 'equals-ignore-case': 'gmbh' } }, null] }),
      [
        "data.record.client: 'Nord' or null or text beginning with 'North' or text ending with 'gmbh' in any case, not 'Acme'",
      ],
    ],
    ['a field that is missing', inRecord({ due: [{ exists: true }] }), ['data.record.due: any value, not nothing']],
    ['a field that is there', inRecord({ client: [{ exists: false }] }), ["data.record.client: no value, not 'Acme'"]],
    ['a section missing', { data: { extra: { a: ['x'] } } }, ["data.extra.a: 'x', not nothing"]],
    ['a list', inRecord({ tags: ['mail'] }), ["data.record.tags: 'mail', not 'web', 'print'"]],
    ['an empty list', inRecord({ notes: ['mail'] }), ["data.record.notes: 'mail', not an empty list"]],
    ['a section', inRecord({ terms: ['net'] }), ["data.record.terms: 'net', not a section with days"]],
    [
      'exceptions',
      inRecord({ client: [{ 'anything-but': ['Acme', 5] }, { 'anything-but': { wildcard: ['A*', 'B*'] } }] }),
      ["data.record.client: anything but 'Acme', 5 or anything but text like 'A*', text like 'B*', not 'Acme'"],
    ],
    [
      'every field that fails, and no other',
      { type: ['invoice.paid'], ...inRecord({ total: [1], client: [{ 'equals-ignore-case': 'nord' }] }) },
      ['data.record.total: 1, not 120', "data.record.client: 'nord' in any case, not 'Acme'"],
    ],
    [
      'no branch that fits',
      inRecord({ $or: [{ total: [{ numeric: ['>', 500] }] }, { client: ['Nord'], total: [120] }] }),
      [
        "data.record: data.record.total a number > 500, or data.record.client 'Nord' and data.record.total 120, not data.record.total 120, data.record.client 'Acme'",
      ],
    ],
    [
      'no entry of a list with it',
      { data: { changes: { field: ['title'] } } },
      ["data.changes.field: 'title', not 'balance', 'status'"],
    ],
    [
      'no entry of a list with all of it',
      { data: { changes: { field: ['balance'], to: ['Paid'] } } },
      [
        "data.changes: one entry with data.changes.field 'balance' and data.changes.to 'Paid', not 2 entries, none with all of it",
      ],
    ],
    [
      'a long list in part',
      inRecord({ total: Array.from({ length: 14 }, (_, index) => index) }),
      ['data.record.total: 0 or 1 or 2 or 3 or 4 or 5 or 6 or 7 or 8 or 9 or 4 more, not 120'],
    ],
  ])('reports %s', (_, pattern, expected) => {
    const findings = explainPattern(pattern, invoice).map(
      ({ path, expected, found }) => `${path}: ${expected}, not ${found}`,
    );
    expect(findings).toEqual(expected);
  });

  it('reports the first conditions of a filter with hundreds', () => {
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field${index}`, ['x']]));
    const mismatches = explainPattern({ data: { record: fields, previous: fields } }, invoice);
    expect(mismatches).toHaveLength(20);
    expect(mismatches[0]).toEqual({ path: 'data.record.field0', expected: "'x'", found: 'nothing' });
    const [inBranch] = explainPattern(inRecord({ $or: [fields, fields] }), invoice);
    expect(inBranch?.expected).toMatch(/ and data\.record\.field9 'x' and 190 more, or data\.record\.field0 /);
  });

  it('accepts any value as an event', () => {
    for (const event of [null, 5, 'x', [], undefined]) {
      expect(explainPattern({ a: ['x'] }, event)).toEqual([{ path: 'a', expected: "'x'", found: 'nothing' }]);
    }
  });

  it('rejects an invalid pattern', () => {
    expect(() => explainPattern({ a: 'x' }, {})).toThrow(PatternError);
  });
});
