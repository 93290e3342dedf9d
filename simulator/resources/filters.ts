/**
 * Builders of collection filters, one per kind in the spec, with its exact meaning of after, before, on or after and on or before.
 * They turn a query value into a predicate; the table of each resource defines the tested value.
 */
import type { Data } from '../account/data.ts';
import { type Day, parseDay, parseSeconds, type Seconds } from '../account/days.ts';
import type { Row } from '../account/records.ts';
import { invalid } from '../request-error.ts';
import type { Filter, FilterContext, Test } from './resource.ts';

type Of<R, V> = (row: R, data: Data) => V;

/** "integer, CSV". With `none`, -1 stands for records that have no such value. */
export function anyOf<R extends Row>(
  name: string,
  of: Of<R, number | null | readonly number[]>,
  options: { none?: boolean } = {},
): Filter<R> {
  return {
    name,
    type: 'integer, CSV',
    compile(value, { data }) {
      const wanted = new Set(readIntegers(name, value));
      const none = options.none === true && wanted.has(-1);
      return (row) => {
        const has = of(row, data);
        if (typeof has === 'number') return wanted.has(has);
        if (has === null || has.length === 0) return none;
        return has.some((id) => wanted.has(id));
      };
    },
  };
}

/** "integer": one number, passed to a predicate of the record. */
export function oneThat<R extends Row>(name: string, test: (row: R, id: number, data: Data) => boolean): Filter<R> {
  return {
    name,
    type: 'integer',
    compile(value, { data }) {
      const id = readInteger(name, value);
      return (row) => test(row, id, data);
    },
  };
}

/** "integer, CSV": a record matches if the predicate is true for any of the numbers. */
export function anyThat<R extends Row>(name: string, test: (row: R, id: number, data: Data) => boolean): Filter<R> {
  return {
    name,
    type: 'integer, CSV',
    compile(value, { data }) {
      const ids = readIntegers(name, value);
      return (row) => ids.some((id) => test(row, id, data));
    },
  };
}

/** "boolean": `t` selects the records for which it is true, `f` the others. */
export function flagIs<R extends Row>(name: string, of: Of<R, boolean>): Filter<R> {
  return {
    name,
    type: 'boolean',
    compile(value, { data }) {
      const wanted = readFlag(name, value);
      return (row) => of(row, data) === wanted;
    },
  };
}

/** "boolean" that filters with `t` and is ignored with `f`. */
export function onlyIf<R extends Row>(name: string, of: Of<R, boolean>): Filter<R> {
  return {
    name,
    type: 'boolean',
    compile(value, { data }) {
      return readFlag(name, value) ? (row) => of(row, data) : () => true;
    },
  };
}

type Compare = (has: number, wanted: number) => boolean;
const SAME: Compare = (has, wanted) => has === wanted;
const AFTER: Compare = (has, wanted) => has > wanted;
const BEFORE: Compare = (has, wanted) => has < wanted;
const FROM: Compare = (has, wanted) => has >= wanted;
const UNTIL: Compare = (has, wanted) => has <= wanted;

/** A record without the date matches no date filter. */
function comparing(compare: Compare, type: 'date' | 'datetime') {
  const read = type === 'date' ? readDay : readSeconds;
  return <R extends Row>(name: string, of: Of<R, Day | Seconds | null>): Filter<R> => ({
    name,
    type,
    compile(value, { data }): Test<R> {
      const wanted = read(name, value);
      return (row) => {
        const has = of(row, data);
        return has !== null && compare(has, wanted);
      };
    },
  });
}

export const onDay = comparing(SAME, 'date');
export const afterDay = comparing(AFTER, 'date');
export const beforeDay = comparing(BEFORE, 'date');
export const onOrAfter = comparing(FROM, 'date');
export const onOrBefore = comparing(UNTIL, 'date');
export const afterInstant = comparing(AFTER, 'datetime');
export const beforeInstant = comparing(BEFORE, 'datetime');

/** "string": one of the texts contains it, ignoring case. */
export function contains<R extends Row>(name: string, of: Of<R, readonly string[] | string>): Filter<R> {
  return {
    name,
    type: 'string',
    compile(value, { data }) {
      const wanted = value.toLowerCase();
      return (row) => {
        const texts = of(row, data);
        if (typeof texts === 'string') return texts.toLowerCase().includes(wanted);
        return texts.some((text) => text.toLowerCase().includes(wanted));
      };
    },
  };
}

/** "string" with a special meaning. */
export function meaning<R extends Row>(
  name: string,
  type: string,
  compile: (value: string, asked: FilterContext) => Test<R>,
): Filter<R> {
  return { name, type, compile };
}

export function readInteger(name: string, value: string): number {
  if (!/^-?\d{1,15}$/.test(value.trim())) throw invalid(name, `expected an integer, got '${value}'`);
  return Number(value);
}

function readIntegers(name: string, value: string): number[] {
  return value.split(',').map((part) => {
    if (!/^\s*-?\d{1,15}\s*$/.test(part)) throw invalid(name, `expected comma-separated integers, got '${value}'`);
    return Number(part);
  });
}

function readFlag(name: string, value: string): boolean {
  if (value !== 't' && value !== 'f') throw invalid(name, `expected 't' or 'f', got '${value}'`);
  return value === 't';
}

function readDay(name: string, value: string): Day {
  const read = parseDay(value);
  if (read === undefined) throw invalid(name, `expected a date as YYYY-MM-DD, got '${value}'`);
  return read;
}

function readSeconds(name: string, value: string): Seconds {
  const read = parseSeconds(value);
  if (read === undefined) throw invalid(name, `expected a date and time as YYYY-MM-DD HH:MM:SS, got '${value}'`);
  return read;
}
