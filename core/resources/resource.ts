/** The definition of a resource: its fields and its title. Contains no logic of polling or comparing. */

import type { Fields, Value } from '../model/record.ts';
import type { ResourceTraits } from '../ports/source-api.ts';
import type { FieldTable } from './field.ts';

export interface Resource {
  /** The name in events: `task`. */
  readonly name: string;
  readonly fields: FieldTable;
  /**
   * How fields without a table entry are treated. `carry`: kept but not compared, because the API documents all fields
   * that matter. `watch`: a change causes events, because the API does not document the fields of this resource.
   */
  readonly unknown: 'carry' | 'watch';
  /** The title of a record for people. Never empty: a record without a name is `task 12`. */
  readonly title: (record: Fields) => string;
}

/** A resource as a source shows it. */
export interface PolledResource extends Resource, ResourceTraits {}

/** Builds titles from the first of these fields that is not empty. */
export function titleFrom(resource: string, ...fields: readonly string[]): Resource['title'] {
  return (record) =>
    fields.map((field) => spoken(record[field])).find((name) => name !== '') ?? numbered(resource, record);
}

/** `task 00042`: the number that people see, or the id if there is none. */
export function numbered(resource: string, { localid, id }: Fields): string {
  return [resource, spoken(localid) || spoken(id)].filter((part) => part !== '').join(' ');
}

/** A string or number as text; '' for everything else. */
export function spoken(value: Value | undefined): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}
