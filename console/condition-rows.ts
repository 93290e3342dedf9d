/** Conditions of a filter as rows of a form: a field, an operator and a value. Pure. */

import type { FilterField } from '../core/filters/filter-fields.ts';
import { type QueryCondition, type QueryTest, SIGNS } from '../core/filters/query.ts';
import { compileConditions, type QuerySubscription } from '../core/filters/query-compile.ts';
import { conditionsFromFilter } from '../core/filters/query-from.ts';
import { isDay } from '../core/model/calendar.ts';
import { isSameValue } from '../core/model/json.ts';
import type { FieldError } from '../manage/api/http/problem.ts';

export interface ConditionRow {
  /** The word of a field in a query: `project`. */
  readonly key: string;
  /** `is`, `is-not`, `>=`, … */
  readonly operator: string;
  readonly value: string;
}

type Filter = Pick<QuerySubscription, 'events' | 'where'>;

/** The operators that are about no value. */
const WITHOUT_VALUE: readonly string[] = ['empty', 'empty-not'];

export const needsValue = (operator: string) => !WITHOUT_VALUE.includes(operator);

/**
 * The rows that say what the filter says. Undefined if rows cannot say it.
 * @param types all event types
 */
export function filterToRows(filter: Filter, types: readonly string[]): readonly ConditionRow[] | undefined {
  const { events, where } = filter;
  if (where === undefined) return [];
  const conditions = conditionsFromFilter({ events, where }, types);
  if (conditions === undefined) return undefined;
  const rows = sortRows(conditions.map(conditionToRow));
  const again = rowsToWhere(events, rows, types);
  return again.errors.length === 0 && isSameValue(again.where, where) ? rows : undefined;
}

/** Rows about the same field stand together: between them stands another word. */
function sortRows(rows: readonly ConditionRow[]): readonly ConditionRow[] {
  return [...Map.groupBy(rows, ({ key }) => key).values()].flat();
}

function conditionToRow({ key, isExcluded, test }: QueryCondition): ConditionRow {
  const { operator, value } = describeTest(test);
  return { key, operator: `${operator}${isExcluded ? '-not' : ''}`, value };
}

function describeTest(test: QueryTest): Pick<ConditionRow, 'operator' | 'value'> {
  if (test.kind === 'none') return { operator: 'empty', value: '' };
  if (test.kind === 'compare') return { operator: test.sign, value: `${test.bound}` };
  if (test.kind === 'is') return { operator: 'is', value: test.text };
  const [first, middle = '', last, ...more] = test.pieces;
  const isContained = first === '' && last === '' && more.length === 0 && middle !== '';
  return isContained ? { operator: 'contains', value: middle } : { operator: 'like', value: test.pieces.join('*') };
}

export interface RowsResult {
  /** Undefined without conditions, or if one is invalid. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** With the pointer `/conditions/N` of the row. */
  readonly errors: readonly FieldError[];
}

/** The filter on the content that the rows stand for. */
export function rowsToWhere(
  events: readonly string[],
  rows: readonly ConditionRow[],
  types: readonly string[],
): RowsResult {
  const read = rows.map((row, index) => ({ index, ...readRow(row) }));
  const errors = read.flatMap(({ index, problem }) =>
    problem === undefined ? [] : [{ pointer: `/conditions/${index}`, detail: problem }],
  );
  // Event types that are missing or unknown have errors of their own, and no fields.
  if (errors.length > 0 || rows.length === 0 || events.length === 0) return { errors };
  const conditions = read.flatMap(({ condition }) => (condition === undefined ? [] : [condition]));
  const compiled = compileConditions(events, conditions, types);
  return {
    where: compiled.where,
    errors: compiled.problems.map(({ condition, message }) => ({
      pointer: `/conditions/${conditions.indexOf(condition)}`,
      // It begins with the condition in the query language, which the row shows in words.
      detail: message.replace(/^.*?: (?=expected)/s, ''),
    })),
  };
}

interface ReadRow {
  readonly condition?: QueryCondition;
  readonly problem?: string;
}

function readRow({ key, operator, value }: ConditionRow): ReadRow {
  const isExcluded = operator.endsWith('-not');
  const kind = isExcluded ? operator.slice(0, -'-not'.length) : operator;
  const text = value.replaceAll(/[\r\n]/g, '').trim();
  if (needsValue(operator) && text === '') return { problem: 'choose or write a value' };
  const test = readTest(kind, text);
  if (test === undefined) return { problem: 'choose how to compare' };
  if (test.kind === 'compare' && typeof test.bound === 'string' && !isDay(test.bound)) {
    return { problem: 'write a number, or a date such as 2026-12-01' };
  }
  return { condition: { key, isExcluded, test } };
}

function readTest(kind: string, text: string): QueryTest | undefined {
  if (kind === 'empty') return { kind: 'none' };
  if (kind === 'is') return { kind: 'is', text };
  if (kind === 'contains') return { kind: 'like', pieces: ['', text, ''] };
  if (kind === 'like') return text.includes('*') ? { kind: 'like', pieces: text.split('*') } : { kind: 'is', text };
  const sign = SIGNS.find((one) => one === kind);
  if (sign === undefined) return undefined;
  return { kind: 'compare', sign, bound: /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text };
}

/** The operators that a field offers, with their words. @param current that of the row, which is always offered */
export function operatorsOf(
  field: Pick<FilterField, 'kind' | 'isComparable'>,
  current: string,
): readonly (readonly [operator: string, label: string])[] {
  const texts = field.kind === 'text' ? ['contains', 'contains-not', 'like'] : [];
  const signs = field.isComparable ? ['>=', '<=', '>', '<'] : [];
  const offered = ['is', 'is-not', ...texts, ...signs, 'empty', 'empty-not'];
  return [...offered, ...(offered.includes(current) ? [] : [current])].map((operator) => [
    operator,
    operatorWords(operator, field.kind === 'date'),
  ]);
}

const WORDS: Readonly<Record<string, string>> = {
  is: 'is',
  'is-not': 'is not',
  contains: 'contains',
  'contains-not': 'does not contain',
  like: 'looks like (* is any text)',
  'like-not': 'does not look like',
  empty: 'is empty',
  'empty-not': 'is not empty',
};
const NUMBER_WORDS: Readonly<Record<string, string>> = {
  '>=': 'is at least',
  '<=': 'is at most',
  '>': 'is more than',
  '<': 'is less than',
  '=': 'equals',
};
const DATE_WORDS: Readonly<Record<string, string>> = {
  '>=': 'is on or after',
  '<=': 'is on or before',
  '>': 'is after',
  '<': 'is before',
  '=': 'is on',
};

function operatorWords(operator: string, isDate: boolean): string {
  const words = WORDS[operator];
  if (words !== undefined) return words;
  const compared = isDate ? DATE_WORDS : NUMBER_WORDS;
  const sign = operator.replace(/-not$/, '');
  return sign === operator ? (compared[sign] ?? operator) : `not: ${compared[sign] ?? sign}`;
}

/**
 * The word between two rows: the same field twice means either value, except for what is excluded and for two bounds.
 * @param rows all of them
 */
export function joinerBefore(index: number, rows: readonly ConditionRow[]): 'Only if' | 'and' | 'or' {
  const row = rows[index];
  if (index === 0 || row === undefined) return 'Only if';
  const isExcluded = (operator: string) => operator.endsWith('-not');
  const asked = rows.filter(({ key, operator }) => key === row.key && !isExcluded(operator));
  const isAlternative = rows
    .slice(0, index)
    .some(({ key, operator }) => key === row.key && !isExcluded(operator) && !isExcluded(row.operator));
  return isAlternative && !isRange(asked) ? 'or' : 'and';
}

/** Two bounds form a range, unless nothing is between them. */
function isRange(rows: readonly ConditionRow[]): boolean {
  const low = rows.find(({ operator }) => /^>=?$/.test(operator));
  const high = rows.find(({ operator }) => /^<=?$/.test(operator));
  if (rows.length !== 2 || low === undefined || high === undefined) return false;
  const [from, to] = [Number(low.value), Number(high.value)];
  return Number.isNaN(from) || Number.isNaN(to) ? low.value < high.value : from < to;
}
