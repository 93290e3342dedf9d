/** The types of a field table: a field's type in the API, its role in comparisons, and who may see it. */

/**
 * How the API writes a value, which decides how it is cleaned.
 *
 * `decimal` is a computed amount (hours, money, rates); `number` is a count or a rank.
 * `html` keeps its entities, which belong to its markup; in `text` and `names` they are decoded.
 */
export type FieldType =
  | 'id'
  | 'ids'
  | 'names'
  | 'text'
  | 'html'
  | 'email'
  | 'date'
  | 'datetime'
  | 'number'
  | 'decimal'
  | 'boolean';

/**
 * `watched`: a change causes events. `label`: kept up to date without events; mostly names of other records, so that
 * renaming a project does not cause an event for each of its tasks. `volatile`: changes on its own; a change alone is
 * not stored.
 */
export type FieldRole = 'watched' | 'label' | 'volatile';

/** The role of a user in the account. The role of the token's user decides which fields a response has. */
export type UserRole = 'Administrator' | 'Manager' | 'Resource' | 'Executive';

export interface FieldSpec {
  readonly type: FieldType;
  readonly role: FieldRole;
  /** Whether the field may be empty. @default - it always has a value */
  readonly nullable?: true;
  /** An amount of money: a difference of less than a cent is not a change. @default - compared as it is */
  readonly money?: true;
  /** Roles whose responses do not have the field. @default - all roles get it */
  readonly hiddenFor?: readonly UserRole[];
}

/** The fields of a resource by name, in the order of the API's documentation. */
export type FieldTable = Readonly<Record<string, FieldSpec>>;

/** "Administrator/Manager only" */
export const MANAGERS_ONLY = ['Resource', 'Executive'] as const satisfies readonly UserRole[];

/** "Administrator only" */
export const ADMINISTRATORS_ONLY = ['Manager', 'Resource', 'Executive'] as const satisfies readonly UserRole[];

/** "hidden from Executive users" */
export const NOT_EXECUTIVES = ['Executive'] as const satisfies readonly UserRole[];
