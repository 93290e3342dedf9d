/** Splits a query into words, with quotes and comparisons. What the words mean is decided in query-parse.ts. */

import { type QueryProblem, SIGNS } from './query.ts';

/** A word, split at the first `:` or comparison that is not quoted. */
export interface Word {
  /** As typed. */
  readonly typed: string;
  /** The index of its first character in the query. */
  readonly at: number;
  /** What stands before the separator, or the whole word. */
  readonly head: string;
  /** @default - a word without a separator */
  readonly separator?: ':' | (typeof SIGNS)[number];
  readonly value: Value;
}

interface Value {
  readonly text: string;
  /** Whether any of it was quoted. */
  readonly isQuoted: boolean;
  /** The text between unquoted asterisks. */
  readonly pieces: readonly string[];
}

const OPENING = '"“”„';
const CLOSING = '"“”';
/** What a backslash in quotes may stand before. */
const ESCAPED = `\\${CLOSING}`;
const SPACE = /\s/;

/** Splits the text into words: at spaces that are not quoted, and not around a comparison: `total >= 500` is one word. */
export function splitWords(text: string, problems: QueryProblem[]): Word[] {
  const scanner = new Scanner(text, problems);
  const words: Word[] = [];
  for (let word = scanner.next(); word !== undefined; word = scanner.next()) words.push(word);
  return words;
}

class Scanner {
  readonly #text: string;
  readonly #problems: QueryProblem[];
  #at = 0;

  constructor(text: string, problems: QueryProblem[]) {
    this.#text = text;
    this.#problems = problems;
  }

  next(): Word | undefined {
    this.#skipSpaces();
    if (this.#at >= this.#text.length) return undefined;
    const start = this.#at;
    const head = this.#readHead();
    const separator = this.#readSeparator();
    const value = separator === undefined ? NO_TEXT : this.#readValue();
    const typed = this.#text.slice(start, this.#at);
    // Never read the same character twice: an unexpected one is a word of its own.
    if (this.#at === start) this.#at += 1;
    return { typed: typed === '' ? (this.#text[start] ?? '') : typed, at: start, head, separator, value };
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #skipSpaces(): void {
    while (this.#at < this.#text.length && SPACE.test(this.#peek())) this.#at += 1;
  }

  #readHead(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !/[\s:<>=≥≤"“”„]/.test(this.#peek())) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  /** A comparison may have spaces around it, a colon may not: `daily 08:30` is two words. */
  #readSeparator(): Word['separator'] {
    if (this.#peek() === ':') {
      this.#at += 1;
      return ':';
    }
    const back = this.#at;
    this.#skipSpaces();
    const rest = this.#text
      .slice(this.#at, this.#at + 2)
      .replace(/^≥/, '>=')
      .replace(/^≤/, '<=');
    const sign = SIGNS.find((one) => rest.startsWith(one));
    if (sign === undefined) {
      this.#at = back;
      return undefined;
    }
    this.#at += /^[≥≤]/.test(this.#peek()) ? 1 : sign.length;
    this.#skipSpaces();
    return sign;
  }

  #readValue(): Value {
    const pieces = [''];
    let [text, isQuoted] = ['', false];
    const add = (piece: string) => {
      text += piece;
      pieces.push(`${pieces.pop() ?? ''}${piece}`);
    };
    while (this.#at < this.#text.length && !SPACE.test(this.#peek())) {
      const character = this.#peek();
      if (OPENING.includes(character)) {
        isQuoted = true;
        add(this.#readQuoted());
      } else {
        this.#at += 1;
        if (character !== '*') add(character);
        else {
          text += character;
          // Two asterisks in a row are one.
          if (pieces.length === 1 || pieces.at(-1) !== '') pieces.push('');
        }
      }
    }
    return { text, isQuoted, pieces };
  }

  /** Chat programs replace quotes by curly ones: any closing quote ends what a curly one began. */
  #readQuoted(): string {
    const start = this.#at;
    const closing = this.#peek() === '"' ? '"”' : CLOSING;
    let text = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#peek();
      if (closing.includes(character)) {
        this.#at += 1;
        return text;
      }
      const next = this.#text[this.#at + 1];
      if (character === '\\' && next !== undefined && ESCAPED.includes(next)) {
        text += next;
        this.#at += 1;
      } else text += character;
    }
    const word = this.#text.slice(start);
    this.#problems.push({ word, at: start, message: `expected a closing quote after ${word}` });
    return text;
  }
}

const NO_TEXT: Value = { text: '', isQuoted: false, pieces: [''] };
