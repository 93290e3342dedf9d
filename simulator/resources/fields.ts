/**
 * Builders of response fields, one per kind of value.
 * They define the format of a value; the table of each resource defines its origin.
 */
import type { Data } from '../account/data.ts';
import { type Day, formatDay, formatSeconds, type Seconds } from '../account/days.ts';
import { formatHundredths, formatThousandths } from '../account/decimals.ts';
import type { Row } from '../account/records.ts';
import { type Field, ROLES, type Role } from './resource.ts';

export const ALL_ROLES: readonly Role[] = ROLES;
/** "Administrator/Manager only" in the response tables. */
export const STAFF: readonly Role[] = ['Administrator', 'Manager'];
/** "Administrator only". */
export const ADMINISTRATORS: readonly Role[] = ['Administrator'];
/** "Hidden from Executive users". */
export const NOT_EXECUTIVES: readonly Role[] = ['Administrator', 'Manager', 'Resource'];

export interface FieldOptions {
  seenBy?: readonly Role[];
  /** The representation of a missing value. @default null */
  blank?: null | '';
}

type Of<R, V> = (row: R, data: Data) => V | null | undefined;

function maker<V>(script: Field['script'], write: (value: V) => string) {
  return <R extends Row>(name: string, of: Of<R, V>, options: FieldOptions = {}): Field<R> => ({
    name,
    script,
    blank: options.blank === undefined ? null : options.blank,
    seenBy: options.seenBy ?? ALL_ROLES,
    read(row, data) {
      const value = of(row, data);
      return value === null || value === undefined ? null : write(value);
    },
  });
}

/** Ids and counts: numbers as strings. */
export const number = maker<number>('plain', String);
export const flag = maker<boolean>('plain', (value) => (value ? 't' : 'f'));
export const day = maker<Day>('plain', formatDay);
export const instant = maker<Seconds>('plain', formatSeconds);
/** Money and hours. */
export const amount = maker<number>('plain', formatHundredths);
/** Percentages. */
export const percent = maker<number>('plain', formatThousandths);
/** Comma-separated ids. */
export const ids = maker<readonly number[]>('plain', (list) => (list.length === 1 ? String(list[0]) : list.join()));
export const code = maker<string>('plain', (value) => value);

/** Cached: there are few distinct numbers, and every task contains several. */
const paddedTexts = new Map<number, string>();

/** Numbers people see, with leading zeros. */
export const padded = maker<number>('plain', (value) => {
  let text = paddedTexts.get(value);
  if (text === undefined) {
    text = String(value).padStart(5, '0');
    paddedTexts.set(value, text);
  }
  return text;
});

/** Text typed by people; an empty text is a missing value. */
export function text<R extends Row>(name: string, of: Of<R, string>, options: FieldOptions = {}): Field<R> {
  return maker<string>('text', (value) => value)<R>(name, (row, data) => of(row, data) || null, options);
}

export function html<R extends Row>(name: string, of: Of<R, string>, options: FieldOptions = {}): Field<R> {
  return maker<string>('html', (value) => value)<R>(name, (row, data) => of(row, data) || null, options);
}
