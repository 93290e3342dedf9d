import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { resourceOf, type TabledName } from '../../../core/resources/catalogue.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import { type RecordOf, recordOf } from '../../../core/resources/record-types.ts';

describe('RecordOf', () => {
  it('has the types of the tables', () => {
    expectTypeOf<RecordOf<'task'>['title']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<RecordOf<'task'>['estimate']>().toEqualTypeOf<number | null | undefined>();
    expectTypeOf<RecordOf<'task'>['assigneeid']>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<RecordOf<'task'>['owners']>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<RecordOf<'task'>['datemodified']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<RecordOf<'invoice'>['balance']>().toEqualTypeOf<number | null | undefined>();
    expectTypeOf<RecordOf<'invoice'>['second_tax_compound']>().toEqualTypeOf<boolean | null | undefined>();
    expectTypeOf<RecordOf<'project'>['managerid']>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<RecordOf<'person'>['email']>().toEqualTypeOf<string | null | undefined>();
  });

  it('has exactly the fields of the table, optional and readonly', () => {
    expectTypeOf<keyof RecordOf<'group'>>().toEqualTypeOf<'id' | 'group' | 'name'>();
    expectTypeOf<RecordOf<'group'>>().toEqualTypeOf<{
      readonly id?: string | null;
      readonly group?: string | null;
      readonly name?: string | null;
    }>();
    expectTypeOf<RecordOf<'task'>>().not.toHaveProperty('balance');
  });

  it('exists for every resource with a field table', () => {
    expectTypeOf<TabledName>().toEqualTypeOf<
      'task' | 'invoice' | 'project' | 'person' | 'client' | 'expense' | 'document' | 'group' | 'projectmodule'
    >();
  });

  it('has a typed lookup that is never undefined', () => {
    expectTypeOf(resourceOf('task').fields.title.role).toEqualTypeOf<'watched'>();
    expectTypeOf(resourceOf('milestone')).toExtend<object | undefined>();
  });
});

describe('recordOf', () => {
  it('keeps values of the right type', () => {
    const { fields } = cleanRow(resourceOf('invoice'), {
      id: 8,
      total: '1200.50',
      datepaid: '',
      second_tax_compound: 'f',
    });
    expect(recordOf('invoice', fields)).toEqual({ id: '8', total: 1200.5, datepaid: null, second_tax_compound: false });
  });

  it('leaves out unknown fields and values of another type', () => {
    const { fields } = cleanRow(resourceOf('task'), {
      id: 1,
      estimate: 'n/a',
      assigneeid: [{}],
      extra: 1,
      constructor: 2,
    });
    expect(recordOf('task', fields)).toEqual({ id: '1' });
  });

  it('has the declared types for any row', () => {
    const value = fc.jsonValue({ maxDepth: 1 });
    const row = fc.record({ estimate: value, assigneeid: value, title: value }, { requiredKeys: [] });
    fc.assert(
      fc.property(row, (values) => {
        const { estimate, assigneeid, title } = recordOf(
          'task',
          cleanRow(resourceOf('task'), { ...values, id: 1 }).fields,
        );
        // None of these calls, which the type allows, may throw.
        expect(estimate?.toFixed(2) ?? '0.00').toMatch(/\.\d\d$|e\+/);
        expect(assigneeid?.map((id) => id.trim()) ?? []).toEqual(assigneeid ?? []);
        expect(title?.toUpperCase() ?? '').toBe((title ?? '').toUpperCase());
      }),
    );
  });
});
