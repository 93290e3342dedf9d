/** What polling and comparing need to know of a resource. Holds facts of the API, decides nothing. */

import type { Fields, Value } from '../model/record.ts';
import type { FieldTable } from './field.ts';

export interface Resource {
  /** As in the path and in the envelope: `task`. */
  readonly name: string;
  readonly fields: FieldTable;
  /**
   * What becomes of a field the table does not name. `carry`: kept, never compared, because the API describes all
   * fields that matter. `watch`: a change is news, because the API does not show its fields, and a table of guesses
   * would miss most of what happens.
   */
  readonly unknown: 'carry' | 'watch';
  /** Whether `sortfield=id` is known to work. What cannot be sorted is read in one page. */
  readonly sortsById: boolean;
  /** Whether it can be asked for what changed since an instant (`datemodifiedbegin`). */
  readonly modifiedSince: boolean;
  /** Whether several records can be read in one request by `localid=1,2,3`. */
  readonly localIdFilter: boolean;
  /** Whether a list without filters holds every record. When not, a missing record tells nothing. */
  readonly listsAll: boolean;
  /** Filters that leave only what can still move. @default - every scan reads everything, or what was modified */
  readonly openFilter?: Readonly<Record<string, string>>;
  /** What people call the record. Never empty: without a name it is `task 12`. */
  readonly title: (record: Fields) => string;
}

/** A title made of the first of these fields that says something. */
export function titleFrom(resource: string, ...fields: readonly string[]): Resource['title'] {
  return (record) =>
    fields.map((field) => spoken(record[field])).find((name) => name !== '') ?? numbered(resource, record);
}

/** `task 00042`: by the number people see, or by the id when there is none. */
export function numbered(resource: string, { localid, id }: Fields): string {
  return [resource, spoken(localid) || spoken(id)].filter((part) => part !== '').join(' ');
}

/** The text of a value people can read; '' for everything else. */
export function spoken(value: Value | undefined): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}
