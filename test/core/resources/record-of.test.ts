import { describe, expectTypeOf, it } from 'vitest';
import { resourceOf, type TabledName } from '../../../core/resources/catalogue.ts';
import type { RecordOf } from './record-of.ts';

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
