/**
 * The query language: what a person types to subscribe, such as `task.overdue project:"Website relaunch" daily 08:30 mon-fri`.
 * This file has its form in memory and prints it; query-parse.ts reads it, query-compile.ts makes a subscription of it.
 */

import type { Day } from '../model/calendar.ts';
import { TidingsError } from '../model/errors.ts';
import { type Digest, type QuietHours, WEEKDAYS, type Weekday } from '../model/subscription.ts';

export interface Query {
  /** Event types, `*` standing for any run of characters. */
  readonly events: readonly string[];
  readonly conditions: readonly QueryCondition[];
  /** @default - events are sent at once, or gathered */
  readonly digest?: Digest;
  /** @default - none */
  readonly quiet?: QuietHours;
}

/** `project:"Website relaunch"`, `-status:Draft`, `total>=500`. */
export interface QueryCondition {
  /** In lower case. */
  readonly key: string;
  /** Written with `-`: no value may meet the test. */
  readonly isExcluded: boolean;
  readonly test: QueryTest;
}

export type QueryTest =
  /** This text in any case, this number, this date, yes or no: by the type of the field. */
  | { readonly kind: 'is'; readonly text: string }
  /** A text with any run of characters between the pieces: two or more of them. */
  | { readonly kind: 'like'; readonly pieces: readonly string[] }
  /** No value. */
  | { readonly kind: 'none' }
  | { readonly kind: 'compare'; readonly sign: ComparisonSign; readonly bound: number | Day };

export const SIGNS = ['>=', '<=', '>', '<', '='] as const;
type ComparisonSign = (typeof SIGNS)[number];

/** The value that stands for no value, unless it is quoted. */
export const NO_VALUE = 'none';

export interface QueryProblem {
  /** The word in question, as it was typed; '' for the whole query. */
  readonly word: string;
  /** The index of its first character in the query. */
  readonly at: number;
  /** What is wrong, and what was expected. */
  readonly message: string;
}

/** All problems of a query, so that they can be fixed at once. */
export class QueryError extends TidingsError {
  override readonly name = 'QueryError';
  readonly problems: readonly QueryProblem[];

  constructor(problems: readonly QueryProblem[]) {
    super('TIDINGS_QUERY_INVALID', problems.map(({ message }) => message).join('; '));
    this.problems = problems;
  }
}

/** Prints a query in its standard form. Parsing it gives the same query. */
export function printQuery({ events, conditions, digest, quiet }: Query): string {
  const words = [...events, ...conditions.map(printCondition)];
  if (digest !== undefined) words.push('daily', digest.at, ...printDays(digest.days));
  if (quiet !== undefined) {
    const hours = quiet.from === undefined || quiet.until === undefined ? [] : [`${quiet.from}-${quiet.until}`];
    words.push('quiet', ...hours, ...printDays(quiet.days));
  }
  return words.join(' ');
}

function printCondition({ key, isExcluded, test }: QueryCondition): string {
  const sign = isExcluded ? '-' : '';
  return `${sign}${key}${printTest(test)}`;
}

function printTest(test: QueryTest): string {
  if (test.kind === 'none') return `:${NO_VALUE}`;
  if (test.kind === 'compare') return `${test.sign}${test.bound}`;
  // In quotes, an asterisk is an asterisk.
  if (test.kind === 'like') return `:${test.pieces.map(printLiteral).join('*')}`;
  return `:${printLiteral(test.text)}`;
}

/** Characters that end a bare word or have a meaning in it. */
const PLAIN = /^[\p{L}\p{N}_.&/@+-]+$/u;

function printLiteral(text: string): string {
  if (text === '') return '';
  if (PLAIN.test(text) && text.toLowerCase() !== NO_VALUE) return text;
  // With both quotes that end the text: what follows them would be read as further words of the query.
  return `"${text.replaceAll(/[\\"”]/g, '\\$&')}"`;
}

/** Three or more days in a row as a range: `mon-fri`. */
function printDays(days: readonly Weekday[] | undefined): string[] {
  if (days === undefined) return [];
  const runs: Weekday[][] = [];
  for (const day of WEEKDAYS.filter((one) => days.includes(one))) {
    const last = runs.at(-1)?.at(-1);
    if (last !== undefined && WEEKDAYS.indexOf(last) === WEEKDAYS.indexOf(day) - 1) runs.at(-1)?.push(day);
    else runs.push([day]);
  }
  return [runs.map((run) => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join(','))).join(',')];
}
