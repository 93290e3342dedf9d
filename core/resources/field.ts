/** What a table says of a field: its type on the wire, its role in comparing, who may see it. Names no resource. */

/**
 * How a value is written on the wire, and so how it is cleaned.
 *
 * `decimal` is what the service sums or multiplies (hours, money, rates); `number` is what it counts or ranks.
 * `html` keeps its entities, which belong to its markup; `text` and `names` have them decoded.
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
 * `watched`: a change is news. `label`: kept fresh, never news; mostly names that belong to another record, so that
 * renaming a project is not an event of each of its tasks. `volatile`: moves by itself; not worth a write.
 */
export type FieldRole = 'watched' | 'label' | 'volatile';

/** What the signed-in user is to the account. The token's role decides which fields an answer has. */
export type UserRole = 'Administrator' | 'Manager' | 'Resource' | 'Executive';

export interface FieldSpec {
  readonly type: FieldType;
  readonly role: FieldRole;
  /** Whether the API may leave it empty. @default - it always has a value */
  readonly nullable?: true;
  /** Users of these roles get answers without it. @default - everyone who may read the record sees it */
  readonly hiddenFor?: readonly UserRole[];
}

/** The fields of a resource by name, in the order of the API's own description. */
export type FieldTable = Readonly<Record<string, FieldSpec>>;

/** "Administrator/Manager only" */
export const MANAGERS_ONLY = ['Resource', 'Executive'] as const satisfies readonly UserRole[];

/** "Administrator only" */
export const ADMINISTRATORS_ONLY = ['Manager', 'Resource', 'Executive'] as const satisfies readonly UserRole[];

/** "hidden from Executive users" */
export const NOT_EXECUTIVES = ['Executive'] as const satisfies readonly UserRole[];
