import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetryLater } from '../../../core/model/errors.ts';
import { resourceOf, resources } from '../../../core/resources/catalogue.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import type { FieldType } from '../../../core/resources/field.ts';
import type { Resource } from '../../../core/resources/resource.ts';

/** A resource with one field of each type. */
const TYPES = [
  'id',
  'ids',
  'names',
  'text',
  'html',
  'email',
  'date',
  'datetime',
  'number',
  'decimal',
  'boolean',
] as const;
const samples: Resource = {
  ...resourceOf('task'),
  name: 'sample',
  fields: {
    id: { type: 'id', role: 'watched' },
    ...Object.fromEntries(TYPES.map((type) => [`a_${type}`, { type, role: 'watched' }])),
  },
};
const clean = (row: Record<string, unknown>) => cleanRow(resourceOf('task'), { id: '12', ...row }).fields;
const cleanOne = (type: FieldType, value: unknown) =>
  cleanRow(samples, { id: '12', [`a_${type}`]: value }).fields[`a_${type}`];

describe('cleanRow', () => {
  it.each<[fact: string, type: FieldType, value: unknown, cleaned: unknown]>([
    ['an id stays text', 'id', '0042', '0042'],
    ['an id that came as a number becomes text', 'id', 42, '42'],
    ['an id sheds its spaces', 'id', ' 42 ', '42'],
    ['a comma list becomes a set of ids, in order', 'ids', '10, 9,2', ['2', '9', '10']],
    ['a person listed twice counts once', 'ids', '7,7,3', ['3', '7']],
    ['a single id is a list of one', 'ids', 7, ['7']],
    ['a list that came as a list is one', 'ids', [9, '2'], ['2', '9']],
    ['holes in a list are no ids', 'ids', ',7,,', ['7']],
    ['a list of objects is carried', 'ids', [{ id: 1 }], [{ id: 1 }]],
    ['an empty list is a list', 'ids', '', []],
    ['a list that is null is empty', 'names', null, []],
    ['names come in order, decoded', 'names', 'Zo&euml;, Ann', ['Ann', 'Zoë']],
    ['two people of one name are two', 'names', 'Ann,Ann', ['Ann', 'Ann']],
    [
      'a comma within a name of a list that came as a list does not part it',
      'names',
      ['Smith, Jr.', 'Ann'],
      ['Ann', 'Smith, Jr.'],
    ],
    ['a list too long to remember is one too', 'names', `Zoe,${'Ann,'.repeat(40)}`, [...Array(40).fill('Ann'), 'Zoe']],
    ['an encoded comma does not part a name', 'names', 'Smith&#44; Jr.,Ann', ['Ann', 'Smith, Jr.']],
    ['entities in plain text are decoded', 'text', 'Caf&eacute; &amp; Bar&rsquo;s', 'Café & Bar’s'],
    ['entities are decoded once', 'text', '&amp;lt;', '&lt;'],
    ['an address keeps its ampersands', 'text', '?a=1&copy=2', '?a=1&copy=2'],
    ['text has lines of Unix', 'text', 'a\r\nb', 'a\nb'],
    ['text keeps its spaces', 'text', ' a ', ' a '],
    ['a number in a text field becomes text', 'text', 42, '42'],
    ['an object in a text field is carried', 'text', { toString: 1 }, { toString: 1 }],
    ['HTML keeps its entities', 'html', '<p>a &amp; b</p>\r\n', '<p>a &amp; b</p>\n'],
    ['an address sheds its scheme', 'email', 'mailto:ann@example.com', 'ann@example.com'],
    ['the scheme may be written in capitals', 'email', ' MAILTO: ann@example.com', 'ann@example.com'],
    ['a plain address stays', 'email', 'ann+mailto:x@example.com', 'ann+mailto:x@example.com'],
    ['a date stays', 'date', '2026-11-14', '2026-11-14'],
    ['an unset date is null', 'date', '', null],
    ['a zero date is null', 'date', '0000-00-00', null],
    ['a zero date with a time is null', 'date', '0000-00-00 00:00:00', null],
    ['a zero date is null where a time is expected', 'datetime', '0000-00-00 00:00:00', null],
    ['a date with a time is the date', 'date', '2026-11-14 00:00:00', '2026-11-14'],
    ['a date with any time of day is the date', 'date', '2026-11-14T17:30:00.000', '2026-11-14'],
    ['a date at midnight UTC is the date', 'date', '2026-11-14T00:00:00Z', '2026-11-14'],
    ['a date with an offset may be another day and is kept', 'date', '2026-11-14T23:00:00Z', '2026-11-14T23:00:00Z'],
    ['date-times with a T are marked as UTC', 'datetime', '2026-11-14T09:31:07', '2026-11-14T09:31:07Z'],
    ['date-times with the offset zero are UTC', 'datetime', '2026-11-14T09:31:07+00:00', '2026-11-14T09:31:07Z'],
    ['date-times lose a fraction of zero', 'datetime', '2026-11-14 09:31:07.000', '2026-11-14T09:31:07Z'],
    ['date-times are marked as UTC', 'datetime', '2026-11-14 09:31:07', '2026-11-14T09:31:07Z'],
    ['date-times keep their fractions', 'datetime', '2026-11-14 09:31:07.1234', '2026-11-14T09:31:07.1234Z'],
    ['a date-time in another form is carried', 'datetime', '14 Nov 2026', '14 Nov 2026'],
    ['a number comes as text', 'number', '7', 7],
    ['a number comes as a number', 'number', 7, 7],
    ['spaces around a number do not count', 'number', ' 12 ', 12],
    ['minus nothing is nothing', 'number', '-0', 0],
    ['minus nothing is nothing as a number too', 'number', -0, 0],
    ['next to nothing from below is nothing', 'decimal', '-1e-9', 0],
    ['what should be a number and is none is carried', 'number', 'n/a', 'n/a'],
    ['spaces alone are not zero', 'number', ' ', ' '],
    ['hexadecimal is not a number here', 'number', '0x10', '0x10'],
    ['a grouped number with decimals is a number', 'decimal', '1,200.50', 1200.5],
    ['a grouped number may be negative', 'decimal', ' -1,234,567.80 ', -1_234_567.8],
    ['two groups without decimals are a number', 'number', '1,234,567', 1_234_567],
    ['one group without decimals may be a decimal comma and is kept', 'decimal', '1,000', '1,000'],
    ['groups of other lengths are kept', 'decimal', '1,00.00', '1,00.00'],
    ['a decimal comma is kept', 'decimal', '1.000,00', '1.000,00'],
    ['a number too long for a number is carried', 'number', '12345678901234567890', '12345678901234567890'],
    ['amounts lose their trailing zeros', 'decimal', '1200.50', 1200.5],
    ['amounts lose the noise of sums', 'decimal', 0.1 + 0.2, 0.3],
    ['a balance of almost nothing is nothing', 'decimal', '4.5474735088646E-13', 0],
    ['amounts may be negative', 'decimal', '-17.10', -17.1],
    ["'TRUE' is true", 'boolean', 'TRUE', true],
    ["'t' is true", 'boolean', 't', true],
    ["'f' is false", 'boolean', 'f', false],
    ['true and 1 are true', 'boolean', 1, true],
    ["'0' and false are false", 'boolean', '0', false],
    ['what is neither true nor false is carried', 'boolean', 'maybe', 'maybe'],
    ['an empty boolean is null', 'boolean', '', null],
  ])('%s', (_, type, value, cleaned) => {
    expect(cleanOne(type, value)).toStrictEqual(cleaned);
  });

  it('converts booleans only in boolean fields', () => {
    expect(clean({ title: 't', estimate: '1', extra: 't' })).toEqual({ id: '12', title: 't', estimate: 1, extra: 't' });
  });

  it('keeps unknown fields unchanged, except that empty becomes null', () => {
    const row = { timerid: ' 5', nested: { a: [1] }, note: 'a &amp; b\r\n', none: '', never: '0000-00-00' };
    expect(clean(row)).toEqual({ id: '12', ...row, none: null, never: null });
  });

  it('leaves absent fields absent', () => {
    expect(clean({ title: undefined })).toEqual({ id: '12' });
  });

  it('handles fields named like members of Object.prototype', () => {
    const row = JSON.parse('{"id":"12","constructor":"x","toString":"y","__proto__":{"title":"z"}}');
    const { fields } = cleanRow(resourceOf('task'), row);
    expect(Object.entries(fields)).toEqual([
      ['id', '12'],
      ['constructor', 'x'],
      ['toString', 'y'],
    ]);
    expect(fields.title).toBeUndefined();
  });

  it.each([[undefined], [null], [''], ['abc'], ['-1'], ['0'], ['1.5'], [1.5], [true], [{}], [[1]]])(
    'refuses a row with id %j',
    (id) => {
      expect(() => cleanRow(resourceOf('task'), { id })).toThrow(RetryLater);
    },
  );
});

describe('cleaning any row', () => {
  const resource = fc.constantFrom(samples, ...resources);
  const id = fc.oneof(fc.integer({ min: 1 }), fc.integer({ min: 1 }).map(String));
  const wire = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      '',
      't',
      'f',
      '1,2',
      '2026-11-14',
      '2026-11-14 09:31:07',
      '1200.50',
      '&amp;',
      'mailto:',
      '-0',
      '1e999',
    ),
  );
  const rowOf = ({ fields }: Resource) =>
    fc.record({
      id,
      known: fc.dictionary(fc.constantFrom(...Object.keys(fields).filter((field) => field !== 'id')), wire),
      unknown: fc.dictionary(fc.string(), wire),
    });
  const anyRow = resource.chain((one) =>
    rowOf(one).map(({ id, known, unknown }) => ({ one, row: { ...unknown, ...known, id } })),
  );

  it('never throws for a valid id, and returns only JSON values', () => {
    fc.assert(
      fc.property(anyRow, ({ one, row }) => {
        const { id, fields } = cleanRow(one, row);
        expect(id).toBe(String(row.id));
        expect(fields.id).toBe(id);
        expect(JSON.parse(JSON.stringify(fields))).toStrictEqual(fields);
        expect(Object.values(fields)).not.toContain('');
      }),
    );
  });

  it('is deterministic and does not modify the row', () => {
    fc.assert(
      fc.property(anyRow, ({ one, row }) => {
        const copy = structuredClone(row);
        expect(cleanRow(one, row)).toStrictEqual(cleanRow(one, copy));
        expect(row).toStrictEqual(copy);
      }),
    );
  });

  it('ignores the order of lists', () => {
    const list = fc.array(fc.integer({ min: 1, max: 99_999 }), { maxLength: 8 });
    const shuffled = list.chain((ids) =>
      fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, { minLength: ids.length })),
    );
    fc.assert(
      fc.property(shuffled, fc.constantFrom(',', ', '), ([ids, others], comma) => {
        const one = clean({ assigneeid: ids.join(comma), assignees: ids.map((id) => `P${id}`).join(comma) });
        const other = clean({ assigneeid: others.join(','), assignees: others.map((id) => `P${id}`).join(',') });
        expect(one).toEqual(other);
        expect(one.assigneeid).toEqual([...new Set(ids)].sort((a, b) => a - b).map(String));
      }),
    );
  });

  it('reads amounts with up to six decimal places exactly', () => {
    const amount = fc.tuple(fc.integer({ min: -3_999_999_999, max: 3_999_999_999 }), fc.stringMatching(/^\d{0,6}$/));
    fc.assert(
      fc.property(amount, ([whole, places]) => {
        const text = places === '' ? String(whole) : `${whole}.${places}`;
        expect(cleanOne('decimal', text)).toBe(Number(text) + 0);
      }),
    );
  });
});
