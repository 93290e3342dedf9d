/**
 * Writes HTML that can do no harm, whatever it is told to write: text that it escaped itself, tags of one list, attributes of
 * one list with values it has vetted, every tag closed, none deeper than asked. Knows nothing of where it comes from.
 */

import type { Token } from './html-read.ts';

/** All that can ever be written. */
export type Tag =
  | ('a' | 'b' | 'blockquote' | 'br' | 'code' | 'div' | 'em' | 'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6' | 'hr' | 'i')
  | ('li' | 'ol' | 'p' | 'pre' | 's' | 'small' | 'span' | 'strong' | 'sub' | 'sup' | 'u' | 'ul')
  | ('table' | 'tbody' | 'td' | 'tfoot' | 'th' | 'thead' | 'tr');

export interface Paper {
  /** Elements within elements, at the most. What is deeper is written without its tags. */
  readonly deepest: number;
  /** Of each tag that has any. */
  readonly attributes: Partial<Readonly<Record<Tag, readonly (keyof typeof VETTED)[]>>>;
  /** Of each link that leads somewhere. @default - nothing */
  readonly rel?: string;
  /** Characters; what is cut off is told by `…`. @default - no end */
  readonly mostText?: number;
  /** Leaves out elements that have no words in them. @default false */
  readonly isDense?: boolean;
}

export interface Writer {
  open(name: Tag, attributes: ReadonlyMap<string, string>): void;
  /** Closes the innermost of that name, with what is open in it. Nothing where there is none. */
  close(name: Tag): void;
  /** False once the text is full: nothing that comes now would be read. */
  text(text: string): boolean;
  /** A space, where the last word would run into the next one. */
  keepApart(): void;
  /** Closes what is open. What was written, before it becomes HTML. */
  end(): readonly Token[];
}

interface Element {
  readonly name: Tag;
  /** Where its tag stands in what was written. */
  readonly at: number;
  hasWords: boolean;
}

const BLOCK = /^(?:p|[uo]l|li|pre|blockquote|div|h[1-6r]|table)$/;
const HEADING = /^h[1-6]$/;
const VOID = ['br', 'hr'];
const CELLS = ['td', 'th'];
const LIST_ITEM_ENDS = ['ul', 'ol', ...CELLS];
const TABLE = ['table'];
const ROW = ['tr'];

/** Parts of a table, and what each may stand in. Anything else stands in a cell, or outside. */
const PARENTS: Partial<Readonly<Record<Tag, readonly string[]>>> = {
  td: ROW,
  th: ROW,
  tr: ['tbody', 'thead', 'tfoot', 'table'],
  tbody: TABLE,
  thead: TABLE,
  tfoot: TABLE,
};

/** Control characters, and marks that turn the direction of writing for all that follows. */
const UNSEEN = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

const seen = (text: string) => text.toWellFormed().replaceAll(UNSEEN, '');

/** As a browser would read it, with its tricks (`java\nscript:`) undone. Relative ones lead nowhere in a mail. */
function targetOf(href: string): string {
  const target = URL.parse(href)?.href ?? '';
  return target.length <= LONGEST_LINK && /^(?:https?|mailto):/.test(target) ? target : '';
}

/** Beyond this mail programs and browsers cut or refuse. */
const LONGEST_LINK = 2000;

const count = (value: string) => /^[1-9]\d{0,2}$/.exec(value)?.[0];

/** The attributes that can be written, and what is written for a value: nothing where it is none we know. */
const VETTED = {
  href: targetOf,
  title: seen,
  colspan: count,
  rowspan: count,
  align: (value: string) => /^(?:left|right|center|justify)$/i.exec(value)?.[0],
} as const;

export function writeTokens({ deepest, attributes: kept, rel, mostText = Infinity, isDense }: Paper): Writer {
  const written: Token[] = [];
  const stack: Element[] = [];
  /** Of elements that were left out inside what is open: their close tags must not close others. */
  const leftOut = new Map<Tag, number>();
  let left = mostText;

  const write = (token: Token, hasWords: boolean): void => {
    if (hasWords) for (const element of stack) element.hasWords = true;
    written.push(token);
  };

  const closeDownTo = (depth: number): void => {
    for (const { name, at, hasWords } of stack.splice(depth).toReversed()) {
      leftOut.clear();
      if (hasWords || !isDense) written.push({ kind: 'close', name });
      else leaveOut(name, at);
    }
  };

  /** A space in it counts where it stands in a line; a block still keeps apart what is before and after it. */
  const leaveOut = (name: Tag, at: number): void => {
    if (!BLOCK.test(name)) written.splice(at, 1);
    else {
      written.length = at;
      keepApart();
    }
  };

  const keepApart = (): void => {
    const last = written.at(-1);
    if (last?.kind === 'text' ? last.text.slice(-1).trim() === '' : last?.kind !== 'close' || BLOCK.test(last.name))
      return;
    written.push({ kind: 'text', text: ' ' });
    left = Math.max(0, left - 1);
  };

  const closeIfOpen = (name: Tag): void => {
    const ends = PARENTS[name] ? TABLE : name === 'li' ? LIST_ITEM_ENDS : name === 'table' ? [] : CELLS;
    const index = stack.findLastIndex((element) => element.name === name || ends.includes(element.name));
    if (stack[index]?.name === name) closeDownTo(index);
  };

  /** Closes what cannot have it inside, as browsers do. False where it cannot stand at all. */
  const makeRoom = (name: Tag): boolean => {
    const parents = PARENTS[name];
    if (parents !== undefined) {
      const index = stack.findLastIndex((element) => parents.includes(element.name) || element.name === 'table');
      if (!parents.includes(stack[index]?.name ?? '')) return false;
      closeDownTo(index + 1);
      return true;
    }
    const part = stack.findLast((element) => element.name === 'table' || PARENTS[element.name]);
    if (part !== undefined && !CELLS.includes(part.name)) return false;
    if (name === 'li' || name === 'a') closeIfOpen(name);
    if (BLOCK.test(name)) closeIfOpen('p');
    if (HEADING.test(name) && HEADING.test(stack.at(-1)?.name ?? '')) closeDownTo(stack.length - 1);
    return true;
  };

  /** Made anew: no attribute is written but for being asked for here. */
  const vetted = (name: Tag, given: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
    const attributes = new Map<string, string>();
    for (const key of kept[name] ?? []) {
      const value = VETTED[key](given.get(key) ?? '');
      if (value) attributes.set(key, value);
    }
    if (rel !== undefined && attributes.has('href')) attributes.set('rel', rel);
    return attributes;
  };

  return {
    open(name, given) {
      if (!makeRoom(name) || stack.length >= deepest) {
        leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
        return;
      }
      const isVoid = VOID.includes(name);
      write({ kind: 'open', name, attributes: vetted(name, given) }, isVoid);
      if (!isVoid) stack.push({ name, at: written.length - 1, hasWords: false });
    },
    close(name) {
      const more = leftOut.get(name) ?? 0;
      if (more > 0) leftOut.set(name, more - 1);
      else closeIfOpen(name);
    },
    text(given) {
      const text = seen(given);
      const fitting = text.length <= left ? text : [...text].slice(0, left).join('');
      const isCut = fitting.length < text.trimEnd().length;
      const shown = isCut ? `${fitting.trimEnd()}…` : fitting;
      left -= [...fitting].length;
      if (shown !== '') write({ kind: 'text', text: shown }, /\S/.test(shown));
      return !isCut;
    },
    keepApart,
    end() {
      closeDownTo(0);
      return written;
    },
  };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string, marks: RegExp) => text.replaceAll(marks, (mark) => ESCAPES[mark] ?? '');

export function htmlOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.kind === 'text') return escaped(token.text, /[&<>]/g);
      if (token.kind === 'close') return `</${token.name}>`;
      const attributes = [...token.attributes].map(([key, value]) => ` ${key}="${escaped(value, /[&<>"]/g)}"`);
      return `<${token.name}${attributes.join('')}${VOID.includes(token.name) ? ' />' : '>'}`;
    })
    .join('');
}
