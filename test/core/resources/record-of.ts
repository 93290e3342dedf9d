/** The type of a record by its field table, to compare the generated types of `tidings/events` with. */

import type { TabledName, tabled } from '../../../core/resources/catalogue.ts';
import type { FieldType } from '../../../core/resources/field.ts';

type ValueOf<Type extends FieldType> = Type extends 'ids' | 'names'
  ? readonly string[]
  : Type extends 'number' | 'decimal'
    ? number | null
    : Type extends 'boolean'
      ? boolean | null
      : string | null;

/**
 * `RecordOf<'task'>['estimate']` is `number | null | undefined`: undefined because a role may hide a field, null even
 * where the API promises a value, because an empty value must not stop a scan.
 */
export type RecordOf<Name extends TabledName> = {
  readonly [Field in keyof (typeof tabled)[Name]['fields']]?: (typeof tabled)[Name]['fields'][Field] extends {
    readonly type: infer Type extends FieldType;
  }
    ? ValueOf<Type>
    : never;
};
