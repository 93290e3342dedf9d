import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fields, Value } from '../../../core/model/record.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import type { FieldRoles } from '../../../core/resources/field-role.ts';
import { compare } from '../../../core/snapshot/compare.ts';

const table: FieldRoles = {
  fields: {
    title: { type: 'text', role: 'watched' },
    assigneeid: { type: 'ids', role: 'watched' },
    project: { type: 'text', role: 'label' },
    datemodified: { type: 'datetime', role: 'volatile' },
  },
  unknown: 'carry',
};
const watching: FieldRoles = { ...table, unknown: 'watch' };

const before: Fields = { title: 'Draft', assigneeid: ['1', '2'], project: 'Relaunch', datemodified: 'then' };

describe('compare', () => {
  it('returns which watched fields changed, from what to what', () => {
    const { changes, differs, record } = compare(before, { ...before, title: 'Final' }, table);
    expect(changes).toEqual([{ field: 'title', from: 'Draft', to: 'Final' }]);
    expect(differs).toBe(true);
    expect(record.title).toBe('Final');
  });

  it('keeps rewritten markup, and says nothing changed; a new word or link is a change', () => {
    const html = { fields: { summary: { type: 'html', role: 'watched' } }, unknown: 'carry' } as const;
    const from = { summary: '<p>Names &amp; dates</p>' };
    const to = (summary: string) => compare(from, { summary }, html);
    expect(to('<div><b>Names</b> &#38; dates</div>')).toMatchObject({ changes: [], differs: true });
    expect(to('<p>Names &amp; days</p>').changes).toHaveLength(1);
    expect(to('<p>Names &amp; <a href="https://x.example">dates</a></p>').changes).toHaveLength(1);
  });

  it('takes a ticked checkbox as a change, and another spelling of it as none', () => {
    const html = { fields: { summary: { type: 'html', role: 'watched' } }, unknown: 'carry' } as const;
    const box = (attributes: string) => ({
      summary: `<ul><li><input type="checkbox"${attributes}>Call the printer</li></ul>`,
    });
    expect(compare(box(''), box(' checked'), html).changes).toHaveLength(1);
    expect(compare(box(' checked'), box(''), html).changes).toHaveLength(1);
    expect(compare(box(' checked'), box(' disabled checked="checked" '), html).changes).toEqual([]);
    const text = (mark: string) => ({ summary: `${mark} Call the printer` });
    expect(compare(text('[ ]'), text('[x]'), html).changes).toHaveLength(1);
  });

  it('stores a value that an older version could not read, and says nothing changed', () => {
    const fields = { datedue: { type: 'date', role: 'watched' }, total: { type: 'decimal', role: 'watched' } } as const;
    const stored = { datedue: '2026-11-14 00:00:00', total: '1,000.00' };
    const read = { datedue: '2026-11-14', total: 1000 };
    expect(compare(stored, read, { fields, unknown: 'carry' })).toEqual({ changes: [], differs: true, record: read });
    const paid = compare(stored, { ...read, total: 999 }, { fields, unknown: 'carry' });
    expect(paid.changes).toEqual([{ field: 'total', from: '1,000.00', to: 999 }]);
  });

  it('keeps a new label, and says nothing changed', () => {
    const { changes, differs, record } = compare(before, { ...before, project: 'Launch' }, table);
    expect(changes).toEqual([]);
    expect(differs).toBe(true);
    expect(record.project).toBe('Launch');
  });

  it('does not find a volatile field worth a write', () => {
    expect(compare(before, { ...before, datemodified: 'now' }, table)).toMatchObject({ changes: [], differs: false });
  });

  it('takes an absent field as unknown: the old value stays', () => {
    const { record, changes, differs } = compare(before, { title: 'Draft', project: 'Relaunch' }, table);
    expect(record).toEqual(before);
    expect({ changes, differs }).toEqual({ changes: [], differs: false });
  });

  it('does not call it a change when a field comes into view', () => {
    const { changes, record } = compare({ title: 'Draft' }, { title: 'Draft', assigneeid: ['1'] }, table);
    expect(changes).toEqual([]);
    expect(record.assigneeid).toEqual(['1']);
  });

  it('carries fields the table does not know, and does not compare them', () => {
    const { changes, differs, record } = compare({ ...before, extra: 1 }, { ...before, extra: 2 }, table);
    expect({ changes, differs }).toEqual({ changes: [], differs: false });
    expect(record.extra).toBe(1);
  });

  it('keeps what is not compared fresh with the next write', () => {
    const row = { ...before, title: 'Final', datemodified: 'now', extra: 2 };
    expect(compare({ ...before, extra: 1 }, row, table).record).toEqual(row);
  });

  it('watches fields the table does not know where the API describes none', () => {
    const { changes, differs } = compare({ ...before, extra: 1 }, { ...before, extra: 2 }, watching);
    expect(changes).toEqual([{ field: 'extra', from: 1, to: 2 }]);
    expect(differs).toBe(true);
  });

  it('keeps to the roles of the fields it knows while it watches the others', () => {
    const row = { ...before, project: 'Launch', datemodified: 'now' };
    expect(compare(before, row, watching)).toEqual({ record: row, changes: [], differs: true });
  });

  it('does not call it a change when an unknown field comes into view', () => {
    const { changes, differs } = compare(before, { ...before, extra: 1 }, watching);
    expect({ changes, differs }).toEqual({ changes: [], differs: true });
  });

  it.each([['constructor'], ['toString'], ['hasOwnProperty']])('takes a field called %s as any other', (field) => {
    expect(compare({ title: 'Draft' }, { [field]: 'x' }, watching)).toMatchObject({ changes: [], differs: true });
    expect(compare({ [field]: 'x' }, { [field]: 'y' }, watching).changes).toEqual([{ field, from: 'x', to: 'y' }]);
    expect(compare({ [field]: 'x' }, { [field]: 'y' }, table).differs).toBe(false);
  });

  describe('of a resource without documented fields', () => {
    const time = resourceOf('time') ?? expect.unreachable();
    const entry = {
      id: '7',
      projectid: '3',
      project: 'Relaunch',
      personid: '5',
      person: 'Ann',
      clientid: '1',
      time: '2.00',
    };

    it.each([
      ['project', 'Autumn', { project: 'Autumn' }],
      ['person', 'Ann Vogt', { person: 'Ann Vogt' }],
      ['the client of the project', '2', { clientid: '2' }],
    ])('keeps the name of another record up to date without a change: %s', (_, __, change) => {
      expect(compare(entry, { ...entry, ...change }, time)).toMatchObject({ changes: [], differs: true });
    });

    it('finds a change of the id, and of a field that stands alone', () => {
      const changed = compare(entry, { ...entry, projectid: '4', project: 'Autumn', time: '3.00' }, time);
      expect(changed.changes.map(({ field }) => field)).toEqual(['projectid', 'time']);
      expect(compare({ id: '7', person: 'Ann' }, { id: '7', person: 'Eve' }, time).changes).toHaveLength(1);
    });

    it('reads the entities of names, also of those that were stored before without a change', () => {
      const row = {
        id: '7',
        title: 'Caf&eacute; &amp; Bar',
        project: 'A &amp; B',
        projectid: '3',
        note: '<p>1 &lt; 2</p>',
      };
      const milestone = resourceOf('milestone') ?? expect.unreachable();
      const { fields } = cleanRow(milestone, row);
      expect(fields).toEqual({ ...row, title: 'Café & Bar', project: 'A & B' });
      expect(compare(row, fields, milestone)).toMatchObject({ changes: [], differs: true, record: fields });
    });
  });

  it('copies nothing when nothing differs', () => {
    expect(compare(before, structuredClone(before), table).record).toBe(before);
  });

  const value: fc.Arbitrary<Value> = fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.parse(JSON.stringify(json)));
  const fields = fc.dictionary(fc.constantFrom('title', 'assigneeid', 'project', 'datemodified', 'extra'), value);
  const roles = fc.constantFrom(table, watching);

  it('finds no difference between a record and itself', () => {
    fc.assert(
      fc.property(fields, roles, (record, table) => {
        expect(compare(record, structuredClone(record), table)).toMatchObject({ changes: [], differs: false });
      }),
    );
  });

  it('comes to rest: comparing the kept record with the same row again finds nothing', () => {
    fc.assert(
      fc.property(fields, fields, roles, (a, b, table) => {
        const { record } = compare(a, b, table);
        expect(compare(record, b, table)).toMatchObject({ changes: [], differs: false });
      }),
    );
  });
});
