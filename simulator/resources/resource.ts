/**
 * The type of a resource's table: its fields, settable fields, filters, sorting and roles.
 * Only types and role names; each resource fills one such table, which follows the spec.
 */
import type { Data } from '../account/data.ts';
import type { Row } from '../account/records.ts';
import type { Rows } from '../account/table.ts';

export const ROLES = ['Administrator', 'Manager', 'Resource', 'Executive'] as const;
export type Role = (typeof ROLES)[number];

/** The user of the request. */
export interface Viewer {
  readonly personid: number;
  readonly role: Role;
  /** Sees only tasks owned by or assigned to them. */
  readonly restricted: boolean;
  /** A project whose records are hidden from them. @default - none */
  readonly hiddenProject?: number;
  /** A record that this list omits. @default - none */
  readonly missingRow?: number;
  /** Groups of people have an id and no name. @default false */
  readonly seesNoGroupNames?: boolean;
}

/**
 * How a field's text is written: `plain` holds digits, dates and flags and needs no escaping;
 * `text` was typed by people and has entities; `html` is markup and stays unchanged.
 */
type Script = 'plain' | 'text' | 'html';

export interface Field<R extends Row = Row> {
  readonly name: string;
  readonly script: Script;
  /** The representation of a missing value: null or ''. */
  readonly blank: null | '';
  readonly seenBy: readonly Role[];
  read(row: R, data: Data): string | null;
  /** Omitted from this record for this viewer. @default - shown to every role of seenBy */
  omit?(row: R, viewer: Viewer): boolean;
}

type SettableType = 'integer' | 'integers' | 'string' | 'html' | 'date' | 'double' | 'boolean';

export interface Settable {
  readonly name: string;
  readonly type: SettableType;
  readonly required?: boolean;
  /** Maximum number of characters. @default - no limit */
  readonly max?: number;
  /** Used on POST when absent. @default - blank */
  readonly default?: string;
  /** Decimals that a double keeps. @default 2 */
  readonly places?: number;
  /** The resource whose id the number is. */
  readonly refers?: Exclude<ResourceName, 'me' | 'quota'>;
}

/** A predicate over rows. A method, so that the tables of all resources are assignable to one catalogue type. */
export type Test<R extends Row> = { test(row: R): boolean }['test'];

export interface Filter<R extends Row = Row> {
  readonly name: string;
  /** The spec's word for the value: 'integer, CSV', 'date' … */
  readonly type: string;
  /** Turns the value into a predicate; throws a RequestError for an invalid value. */
  compile(value: string, asked: FilterContext): Test<R>;
}

/** The context of a filter. */
export interface FilterContext {
  readonly data: Data;
  readonly viewer: Viewer;
  /** The task filters, from which a saved filter is built. */
  taskTest(query: URLSearchParams): Test<Row>;
}

export type SortKey<R extends Row> = { key(row: R, data: Data): string | number | null }['key'];

interface Access {
  readonly list: readonly Role[];
  /** Empty if the resource has no path for single records. */
  readonly member: readonly Role[];
  readonly create: readonly Role[];
  readonly update: readonly Role[];
  readonly remove: readonly Role[];
}

export interface Resource<R extends Row = Row> {
  readonly name: Exclude<ResourceName, 'me' | 'quota'>;
  readonly access: Access;
  readonly fields: readonly Field<R>[];
  /** Fields that the response for one record omits. @default - none */
  readonly listOnly?: readonly string[];
  readonly settable: readonly Settable[];
  readonly filters: readonly Filter<R>[];
  /** A filter that a list requires. */
  readonly needs?: string;
  readonly sorts: Readonly<Record<string, SortKey<R>>>;
  rows(data: Data): Rows<R>;
  /** Which records this viewer may not see. @default - all are visible */
  sees?(row: R, viewer: Viewer, data: Data): boolean;
  /** A predicate that applies to lists in addition to the filters. */
  implied?(given: URLSearchParams, asked: FilterContext): Test<R> | undefined;
  /** Fields that the query adds to a list. */
  extraFields?(given: URLSearchParams, data: Data): readonly Field<R>[];
  /** Filters that are ignored for this viewer. */
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
type ResourceName = (typeof RESOURCES)[number];
