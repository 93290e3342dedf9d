/** Reads the query language. Knows its grammar only; whether fields and event types exist is checked in query-compile.ts. */

import { isDay } from '../model/calendar.ts';
import { type Digest, type QuietHours, type TimeOfDay, WEEKDAYS, type Weekday } from '../model/subscription.ts';
import { NO_VALUE, type Query, type QueryCondition, QueryError, type QueryProblem, type QueryTest } from './query.ts';
import { readDays, readTimes, WORKDAYS } from './query-schedule.ts';
import { splitWords, type Word } from './query-words.ts';

/** More than anyone types. */
const MAX_QUERY_LENGTH = 2000;

/** Suggests what was meant by a word that the grammar does not know. */
export type SuggestWord = (word: string) => string | undefined;

/** A query, and the word that each event type and each condition was read from. */
export interface ParsedQuery {
  readonly query: Query;
  readonly wordOf: ReadonlyMap<string | QueryCondition, Word>;
}

/** Throws `QueryError` with all problems. */
export function parseQuery(text: string, suggest: SuggestWord = () => undefined): Query {
  return parseQueryWords(text, suggest).query;
}

/** The same, with the words for messages about it. */
export function parseQueryWords(text: string, suggest: SuggestWord): ParsedQuery {
  if (text.length > MAX_QUERY_LENGTH) {
    throw new QueryError([
      { word: '', at: 0, message: `expected at most ${MAX_QUERY_LENGTH} characters, got ${text.length}` },
    ]);
  }
  const problems: QueryProblem[] = [];
  const parser = new Parser(splitWords(text, problems), problems, suggest);
  const query = parser.parse();
  if (problems.length > 0) throw new QueryError(problems);
  return { query, wordOf: parser.wordOf };
}

class Parser {
  readonly #words: readonly Word[];
  readonly #problems: QueryProblem[];
  readonly #suggest: SuggestWord;
  readonly wordOf = new Map<string | QueryCondition, Word>();
  #at = 0;

  constructor(words: readonly Word[], problems: QueryProblem[], suggest: SuggestWord) {
    this.#words = words;
    this.#problems = problems;
    this.#suggest = suggest;
  }

  parse(): Query {
    const events = new Set<string>();
    const conditions: QueryCondition[] = [];
    let digest: Digest | undefined;
    let quiet: QuietHours | undefined;
    while (this.#at < this.#words.length) {
      const word = this.#words[this.#at] as Word;
      const name = word.head.toLowerCase();
      this.#at += 1;
      if (word.separator !== undefined && !isTime(word)) this.#addCondition(word, conditions);
      else if (DIGEST_WORDS.includes(name)) {
        if (digest !== undefined) this.#refuse(word, 'expected one digest, got two');
        digest = this.#digest(word);
      } else if (name === 'quiet') {
        if (quiet !== undefined) this.#refuse(word, "expected 'quiet' once, with hours and days");
        quiet = this.#quiet(word);
      } else if (globsIn(name).every(isGlob)) this.#addTypes(word, events);
      else this.#refuse(word, this.#unknown(word));
    }
    return { events: [...events], conditions, digest, quiet };
  }

  #addTypes(word: Word, events: Set<string>): void {
    for (const glob of globsIn(word.head.toLowerCase())) {
      if (!events.has(glob)) this.wordOf.set(glob, word);
      events.add(glob);
    }
  }

  #addCondition(word: Word, conditions: QueryCondition[]): void {
    const condition = this.#condition(word);
    if (condition === undefined) return;
    this.wordOf.set(condition, word);
    conditions.push(condition);
  }

  #refuse(word: Word, message: string): undefined {
    this.#problems.push({ word: word.typed, at: word.at, message });
    return undefined;
  }

  #unknown({ typed }: Word): string {
    if (readDays(typed) !== undefined || readTimes(typed) !== undefined)
      return `expected 'daily' or 'quiet' before '${typed}'`;
    const meant = this.#suggest(typed);
    if (meant !== undefined) return `'${typed}' is unknown: did you mean ${meant}?`;
    return `'${typed}' is neither an event type such as task.overdue nor a condition such as project:"Website relaunch"`;
  }

  #condition(word: Word): QueryCondition | undefined {
    const isExcluded = word.head.startsWith('-');
    const key = (isExcluded ? word.head.slice(1) : word.head).toLowerCase();
    if (!/^[a-z][a-z0-9_]*$/.test(key)) {
      return this.#refuse(word, `expected the name of a field before '${word.separator}', got '${word.typed}'`);
    }
    const test = this.#test(word);
    return test === undefined ? undefined : { key, isExcluded, test };
  }

  #test(word: Word): QueryTest | undefined {
    const { separator, value } = word;
    const { text, isQuoted, pieces } = value;
    if (text === '') return this.#refuse(word, `expected a value after '${word.head}${separator ?? ''}'`);
    if (separator === ':') {
      if (pieces.length > 1) return { kind: 'like', pieces };
      return !isQuoted && text.toLowerCase() === NO_VALUE ? { kind: 'none' } : { kind: 'is', text };
    }
    const bound = isDay(text) ? text : readNumber(text);
    if (bound === undefined || separator === undefined)
      return this.#refuse(word, `expected a number or a date such as 2026-12-01 after '${separator}', got '${text}'`);
    return { kind: 'compare', sign: separator, bound };
  }

  /** `daily 08:30`, `daily at 8:30 mon-fri`, `weekdays 9am`, `weekly mon 09:00`. */
  #digest(word: Word): Digest | undefined {
    const name = word.head.toLowerCase();
    const { times, days } = this.#schedule();
    const [at] = times;
    if (at === undefined || times.length > 1) {
      const example = name === 'weekly' ? 'weekly mon 08:30' : `${name} 08:30`;
      return this.#refuse(word, `expected one time of day after '${word.head}', such as '${example}'`);
    }
    if (name === 'weekly' && days?.length !== 1)
      return this.#refuse(word, "expected one day, such as 'weekly mon 08:30'");
    const asked = days ?? (name === 'weekdays' ? WORKDAYS : undefined);
    return asked === undefined ? { at } : { at, days: asked };
  }

  /** `quiet 18:00-08:00`, `quiet sat,sun`, `quiet 18:00-08:00 weekends`. */
  #quiet(word: Word): QuietHours | undefined {
    const { times, days } = this.#schedule();
    const [from, until] = times;
    if (times.length !== 0 && times.length !== 2) {
      return this.#refuse(word, "expected two times after 'quiet', such as 'quiet 18:00-08:00'");
    }
    if (from !== undefined && from === until)
      return this.#refuse(word, 'expected two different times, got the same twice');
    if (from === undefined && days === undefined) {
      return this.#refuse(word, "expected hours or days after 'quiet', such as 'quiet 18:00-08:00' or 'quiet sat,sun'");
    }
    return { ...(from && until && { from, until }), ...(days && { days }) };
  }

  /** Times and days in any order, up to the next other word. */
  #schedule(): { readonly times: readonly TimeOfDay[]; readonly days: readonly Weekday[] | undefined } {
    const times: TimeOfDay[] = [];
    let days: readonly Weekday[] | undefined;
    for (; this.#at < this.#words.length; this.#at += 1) {
      const { typed } = this.#words[this.#at] as Word;
      if (['at', 'on', 'and', 'from', 'to'].includes(typed.toLowerCase())) continue;
      const [someTimes, someDays] = [readTimes(typed), readDays(typed)];
      if (someTimes !== undefined) times.push(...someTimes);
      else if (someDays !== undefined) days = WEEKDAYS.filter((day) => days?.includes(day) || someDays.includes(day));
      else break;
    }
    return { times, days };
  }
}

function isGlob(word: string): boolean {
  return word === '*' || /^[a-z_*]+\.[a-z_*.]+$/.test(word);
}

const DIGEST_WORDS = ['daily', 'weekdays', 'weekly'];

/** `task.overdue,invoice.paid`, and the first word of `task.overdue, invoice.paid`. */
const globsIn = (name: string) => name.replace(/,$/, '').split(',');

/** `08:30` is split at its colon like a condition. */
function isTime({ typed }: Word): boolean {
  return readTimes(typed) !== undefined;
}

/** `500`, `1,000.50`, `-3`. */
function readNumber(text: string): number | undefined {
  if (!/^-?\d+(?:,\d{3})*(?:\.\d+)?$/.test(text)) return undefined;
  const number = Number(text.replaceAll(',', ''));
  return Number.isFinite(number) ? number : undefined;
}
