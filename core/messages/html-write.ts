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
  /** Opens nothing, and knows the close tag that belongs to it. */
  leaveOut(name: Tag): void;
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
  /** The innermost part of a table that it is, or is in. */
  readonly part: Tag | undefined;
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

/** With line ends as browsers read them. */
const seen = (text: string) => text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(UNSEEN, '');

/**
 * As a browser would read it, with its tricks (`java\nscript:`) undone. Relative ones lead nowhere in a mail, and one that
 * has a name to log in with (`https://bank.example@evil.example`) seems to lead elsewhere than it does.
 */
function targetOf(href: string): string {
  const { href: target = '', username, password } = URL.parse(href) ?? {};
  const isPlain = target.length <= LONGEST_LINK && !username && !password;
  return isPlain && /^(?:https?|mailto):/.test(target) ? target : '';
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
  /** Elements that were left out, counted by how deep: their close tags must not close others. */
  const leftOut: Map<Tag, number>[] = [];
  let left = mostText;

  /** Where one has words, all around it have been told. */
  const markWords = (depth: number): void => {
    for (let index = depth - 1; index >= 0; index--) {
      const element = stack[index];
      if (element === undefined || element.hasWords) return;
      element.hasWords = true;
    }
  };

  const write = (token: Token, hasWords: boolean): void => {
    if (hasWords) markWords(stack.length);
    written.push(token);
  };

  const closeDownTo = (depth: number): void => {
    leftOut.length = Math.min(leftOut.length, depth + 1);
    for (let last = stack.at(-1); last !== undefined && stack.length > depth; last = stack.at(-1)) {
      stack.pop();
      if (last.hasWords || !isDense) written.push({ kind: 'close', name: last.name });
      else takeBack(last.name, last.at);
    }
  };

  /** A space in it counts where it stands in a line; a block still keeps apart what is before and after it. */
  const takeBack = (name: Tag, at: number): void => {
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

  const isBetweenCells = (): boolean => {
    const part = stack.at(-1)?.part;
    return part !== undefined && !CELLS.includes(part);
  };

  /** Closes what cannot have it inside, and opens the row of a cell, as browsers do. False where it cannot stand at all. */
  const makeRoom = (name: Tag): boolean => {
    const parents = PARENTS[name];
    if (parents !== undefined) {
      const index = stack.findLastIndex((element) => parents.includes(element.name) || element.name === 'table');
      const parent = stack[index]?.name ?? '';
      if (parents.includes(parent)) closeDownTo(index + 1);
      else if (parent === 'table') open('tr', new Map());
      return parents.includes(stack.at(-1)?.name ?? '');
    }
    if (isBetweenCells()) return false;
    if (name === 'li' || name === 'a') closeIfOpen(name);
    if (BLOCK.test(name)) closeIfOpen('p');
    if (HEADING.test(name) && HEADING.test(stack.at(-1)?.name ?? '')) closeDownTo(stack.length - 1);
    return true;
  };

  /** Words between cells stand before the table, where browsers would show them: a place is kept for them. */
  const foster = (words: string): void => {
    const index = stack.findLastIndex(({ name }) => name === 'table');
    const at = (stack[index]?.at ?? 0) - 1;
    const before = written[at];
    if (before?.kind === 'text') written[at] = { kind: 'text', text: before.text + words };
    markWords(index);
  };

  /** Made anew: no attribute is written but for being asked for here. */
  const vetted = (name: Tag, given: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
    const attributes = new Map<string, string>();
    for (const key of kept[name] ?? []) {
      const from = given.get(key);
      const value = from && VETTED[key](from);
      if (value) attributes.set(key, value);
    }
    if (rel !== undefined && attributes.has('href')) attributes.set('rel', rel);
    return attributes;
  };

  const open = (name: Tag, given: ReadonlyMap<string, string>): void => {
    if (!makeRoom(name) || stack.length >= deepest) {
      leaveOut(name);
      return;
    }
    const isVoid = VOID.includes(name);
    if (name === 'table') written.push({ kind: 'text', text: '' });
    write({ kind: 'open', name, attributes: vetted(name, given) }, isVoid);
    const part = name === 'table' || PARENTS[name] ? name : stack.at(-1)?.part;
    if (!isVoid) stack.push({ name, at: written.length - 1, part, hasWords: false });
  };

  const leaveOut = (name: Tag): void => {
    if (VOID.includes(name)) return;
    const counts = leftOut[stack.length] ?? new Map<Tag, number>();
    leftOut[stack.length] = counts.set(name, (counts.get(name) ?? 0) + 1);
  };

  return {
    open,
    leaveOut,
    close(name) {
      for (let depth = stack.length; depth >= 0 && stack[depth]?.name !== name; depth--) {
        const more = leftOut[depth]?.get(name) ?? 0;
        if (more > 0) {
          leftOut[depth]?.set(name, more - 1);
          return;
        }
      }
      closeIfOpen(name);
    },
    text(given) {
      const text = seen(given);
      const fitting = text.length <= left ? text : [...text].slice(0, left).join('');
      const isCut = fitting.length < text.trimEnd().length;
      const shown = isCut ? `${fitting.trimEnd()}…` : fitting;
      left -= [...fitting].length;
      const hasWords = /\S/.test(shown);
      if (hasWords && isBetweenCells()) foster(shown);
      else if (shown !== '') write({ kind: 'text', text: shown }, hasWords);
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
