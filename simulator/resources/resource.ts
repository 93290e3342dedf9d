/**
 * The shape in which every resource is described: its fields, what may be set, filters, sorting and roles.
 * Only types and the names of the roles; each resource fills one such table, to be read beside the spec.
 */
import type { Data } from '../account/data.ts';
import type { Row } from '../account/records.ts';
import type { Rows } from '../account/table.ts';

export const ROLES = ['Administrator', 'Manager', 'Resource', 'Executive'] as const;
export type Role = (typeof ROLES)[number];

/** Who asks. */
export interface Viewer {
  readonly personid: number;
  readonly role: Role;
  /** Sees only tasks owned by or assigned to them. */
  readonly restricted: boolean;
}

/**
 * How a field's text is written: `plain` holds digits, dates and flags and needs no escaping;
 * `text` is what people typed and carries entities; `html` is markup and is left as it is.
 */
export type Script = 'plain' | 'text' | 'html';

export interface Field<R extends Row = Row> {
  readonly name: string;
  readonly script: Script;
  /** What stands for no value: null or ''. */
  readonly blank: null | '';
  readonly seenBy: readonly Role[];
  read(row: R, data: Data): string | null;
  /** Omitted from this record for this viewer. @default - shown to every role of seenBy */
  omit?(row: R, viewer: Viewer): boolean;
}

export type SettableType = 'integer' | 'integers' | 'string' | 'html' | 'date' | 'double' | 'boolean';

export interface Settable {
  readonly name: string;
  readonly type: SettableType;
  readonly required?: boolean;
  /** Most characters. @default - no limit */
  readonly max?: number;
  /** Used on POST when absent. @default - blank */
  readonly default?: string;
  /** Decimals kept of a double. @default 2 */
  readonly places?: number;
  /** Resource whose record the number names. */
  readonly refers?: Exclude<ResourceName, 'me' | 'quota'>;
}

/** A predicate over rows. Written as a method, so that the tables of all resources fit into one catalogue. */
export type Test<R extends Row> = { test(row: R): boolean }['test'];

export interface Filter<R extends Row = Row> {
  readonly name: string;
  /** The spec's word for the value: 'integer, CSV', 'date' … */
  readonly type: string;
  /** Reads the value and makes the test; a value of another form is a RequestError. */
  compile(value: string, asked: FilterContext): Test<R>;
}

/** What a filter may need to know besides the value. */
export interface FilterContext {
  readonly data: Data;
  readonly viewer: Viewer;
  /** The task filters, for a saved filter to be made of. */
  taskTest(query: URLSearchParams): Test<Row>;
}

export type SortKey<R extends Row> = { key(row: R, data: Data): string | number | null }['key'];

export interface Access {
  readonly list: readonly Role[];
  /** Empty where the resource has no member path. */
  readonly member: readonly Role[];
  readonly create: readonly Role[];
  readonly update: readonly Role[];
  readonly remove: readonly Role[];
}

export interface Resource<R extends Row = Row> {
  readonly name: Exclude<ResourceName, 'me' | 'quota'>;
  readonly access: Access;
  readonly fields: readonly Field<R>[];
  /** Fields the member answer lacks. @default - none */
  readonly listOnly?: readonly string[];
  readonly settable: readonly Settable[];
  readonly filters: readonly Filter<R>[];
  /** A filter without which a list is refused. */
  readonly needs?: string;
  readonly sorts: Readonly<Record<string, SortKey<R>>>;
  rows(data: Data): Rows<R>;
  /** Records this viewer may not see. @default - every record is seen */
  sees?(row: R, viewer: Viewer, data: Data): boolean;
  /** A test that applies to lists besides the filters given. */
  implied?(given: URLSearchParams, asked: FilterContext): Test<R> | undefined;
  /** Fields a list gains by what is asked. */
  extraFields?(given: URLSearchParams, data: Data): readonly Field<R>[];
  /** Filters that say nothing for this viewer. */
  ignores?(viewer: Viewer): readonly string[];
}

export const RESOURCES = [
  'client',
  'contactdescriptor',
  'contacttype',
  'document',
  'expense',
  'group',
  'invoice',
  'invoiceitem',
  'invoicenote',
  'invoiceterm',
  'me',
  'milestone',
  'milestonenote',
  'module',
  'payment',
  'paymenttype',
  'person',
  'personcontact',
  'project',
  'projectlabel',
  'projectmodule',
  'projectnote',
  'projectteam',
  'projectworktype',
  'quota',
  'request',
  'task',
  'tasklistfilter',
  'tasknote',
  'taskpriority',
  'taskstatus',
  'time',
  'timer',
  'worktype',
] as const;
export type ResourceName = (typeof RESOURCES)[number];
