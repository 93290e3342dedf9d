/** Typed records, for code that reads fields by name. Fields without a table entry are left out. */

import type { Fields, Value } from '../model/record.ts';
import { type TabledName, tabled } from './catalogue.ts';
import type { FieldTable, FieldType } from './field.ts';

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

/**
 * The fields whose values have the type of their table entry. A value that does not fit (`estimate: 'n/a'`) is left out
 * like a hidden one, so that callers need not handle it.
 */
export function recordOf<Name extends TabledName>(name: Name, fields: Fields): RecordOf<Name> {
  const table: FieldTable = tabled[name].fields;
  const kept = Object.entries(fields).filter(
    ([field, value]) => Object.hasOwn(table, field) && isOfType(value, table[field]?.type),
  );
  return Object.fromEntries(kept) as RecordOf<Name>;
}

function isOfType(value: Value, type: FieldType | undefined): boolean {
  switch (type) {
    case undefined:
      return false;
    case 'ids':
    case 'names':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'number':
    case 'decimal':
      return value === null || typeof value === 'number';
    case 'boolean':
      return value === null || typeof value === 'boolean';
    default:
      return value === null || typeof value === 'string';
  }
}
