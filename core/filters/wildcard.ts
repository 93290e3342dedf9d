/**
 * Matches text against literal pieces with any text between them, in linear time for any input.
 * Knows nothing of patterns and events.
 */

import { indexText, type TextIndex } from './text-index.ts';

/** The pieces of `a*b` are `['a', 'b']`: a prefix, a suffix, and the pieces between them in order. */
export function compilePieces(pieces: readonly string[]): (text: string) => boolean {
  const [first = ''] = pieces;
  if (pieces.length <= 1) return (text) => text === first;
  const last = pieces.at(-1) ?? '';
  // One `*` after another adds nothing: `a**b` has an empty piece.
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  const between = middle.map((piece) => ({ piece, search: compileSearch(piece) }));
  const shortest = pieces.reduce((sum, { length }) => sum + length, 0);
  /** Made when a long text comes: most filters never see one. */
  let grams: Uint16Array | undefined;
  return (text) => {
    if (text.length < shortest || !text.startsWith(first) || !text.endsWith(last)) return false;
    const isLong = between.length > 0 && text.length >= MIN_INDEXED_LENGTH;
    if (isLong) grams ??= Uint16Array.from(middle.flatMap(gramsOf));
    const searched = isLong ? recallText(text) : undefined;
    if (searched !== undefined && !mayContain(searched, text, grams)) return false;
    const end = text.length - last.length;
    let at = first.length;
    // The leftmost match leaves the most room for the rest, so no backtracking is needed.
    for (const { piece, search } of between) {
      at = searched === undefined ? search(text, at, end) : searchWithin(searched, text, piece, search, at, end);
      if (at === -1) return false;
    }
    return at <= end;
  };
}

/** Splits a wildcard: `*` matches any characters, `\*` is an asterisk, `\\` a backslash. */
export function wildcardPieces(wildcard: string): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (let at = 0; at < wildcard.length; at++) {
    const char = wildcard[at];
    if (char === '*') {
      pieces.push(piece);
      piece = '';
    } else piece += char === '\\' ? (wildcard[++at] ?? '') : char;
  }
  return [...pieces, piece];
}

/** What is expected instead of an invalid wildcard. EventBridge rejects the same two mistakes. */
export function wildcardProblem(wildcard: string): string | undefined {
  const bare = wildcard.replace(/\\[*\\]/g, '_');
  if (bare.includes('\\')) return "a backslash only before '*' or another backslash";
  if (bare.includes('**')) return 'single asterisks (one already matches any characters)';
  return undefined;
}

/** `indexOf` compares at most this many characters at each position, and yet is twenty times as fast as a loop of ours. */
const MAX_NATIVE_LENGTH = 16;

/** How often the start of a longer piece may occur without the rest of it. */
const MAX_NATIVE_TRIES = 16;

/** Returns the end of the first occurrence between `from` and `to`, or -1. */
type Search = (text: string, from: number, to: number) => number;

/**
 * For long pieces Knuth-Morris-Pratt instead of `indexOf`, which is quadratic for 'aaaa…' and 'aaa…b'.
 */
function compileSearch(piece: string): Search {
  if (piece.length <= MAX_NATIVE_LENGTH) {
    return (text, from, to) => {
      const end = text.indexOf(piece, from) + piece.length;
      return end >= from + piece.length && end <= to ? end : -1;
    };
  }
  const fallback = fallbacks(piece);
  const start = piece.slice(0, MAX_NATIVE_LENGTH);
  return (text, from, to) => {
    let begin = text.indexOf(start, from);
    for (let tries = 1; begin !== -1 && tries < MAX_NATIVE_TRIES; tries++) {
      if (begin + piece.length > to) return -1;
      if (text.startsWith(piece, begin)) return begin + piece.length;
      begin = text.indexOf(start, begin + 1);
    }
    if (begin === -1) return -1;
    // A text that repeats itself.
    let matched = 0;
    for (let at = begin; at < to; at++) {
      const code = text.charCodeAt(at);
      while (matched > 0 && code !== piece.charCodeAt(matched)) matched = fallback[matched - 1] ?? 0;
      if (code === piece.charCodeAt(matched)) matched++;
      if (matched === piece.length) return at + 1;
    }
    return -1;
  };
}

/** The failure function: for each position, the length of the prefix that ends there. */
function fallbacks(piece: string): readonly number[] {
  const table = [0];
  let matched = 0;
  for (let at = 1; at < piece.length; at++) {
    while (matched > 0 && piece[at] !== piece[matched]) matched = table[matched - 1] ?? 0;
    if (piece[at] === piece[matched]) matched++;
    table.push(matched);
  }
  return table;
}

/** Characters that are looked up together. */
const GRAM_LENGTH = 3;
const GRAM_HASHES = 1 << 16;

/** Shorter texts are searched in no time. */
const MIN_INDEXED_LENGTH = 256;

/** A text that fewer filters look at is not worth an index. */
const MIN_USES = 8;

/** An index of a longer text would take too long to make. */
const MAX_INDEXED_LENGTH = 100_000;

/** After as many searches of the whole text an index of it is made: thousands of filters may search a text that was made for them. */
const MAX_SEARCHES = 40;

/** So many characters are searched as fast as an index is asked. */
const NEAR = 256;

/** An event has a few long texts. */
const MAX_INDEXED_TEXTS = 16;

interface SearchedText {
  uses: number;
  grams?: Uint8Array;
  /** Characters that searches have gone through. */
  passed: number;
  index?: TextIndex;
}

/** Of the event that is being matched: the filters of a key may search one text tens of thousands of times. */
const searchedTexts = new Map<string, SearchedText>();

function recallText(text: string): SearchedText {
  const known = searchedTexts.get(text);
  if (known !== undefined) return known;
  if (searchedTexts.size >= MAX_INDEXED_TEXTS) searchedTexts.clear();
  const searched = { uses: 0, passed: 0 };
  searchedTexts.set(text, searched);
  return searched;
}

/** False if some of these characters do not occur in the text. Most filters need no search then. */
function mayContain(searched: SearchedText, text: string, grams: Uint16Array | undefined): boolean {
  searched.uses += 1;
  if (searched.uses < MIN_USES || grams === undefined) return true;
  searched.grams ??= indexGrams(text);
  const present = searched.grams;
  return grams.every((gram) => present[gram] === 1);
}

/** Searches in the index, if there is one. */
function searchWithin(
  searched: SearchedText,
  text: string,
  piece: string,
  search: Search,
  from: number,
  to: number,
): number {
  if (searched.index !== undefined) {
    const isShort = piece.length <= MAX_NATIVE_LENGTH;
    const near = isShort ? text.slice(from, from + NEAR).indexOf(piece) : -1;
    const start = near === -1 ? searched.index.find(piece, from) : from + near;
    return start !== -1 && start + piece.length <= to ? start + piece.length : -1;
  }
  const end = search(text, from, to);
  searched.passed += (end === -1 ? to : end) - from;
  if (searched.passed > MAX_SEARCHES * text.length && text.length <= MAX_INDEXED_LENGTH)
    searched.index = indexText(text);
  return end;
}

function hashGram(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + GRAM_LENGTH; index++) hash = (hash * 31 + text.charCodeAt(index)) % GRAM_HASHES;
  return hash;
}

function gramsOf(text: string): readonly number[] {
  return Array.from({ length: Math.max(0, text.length - GRAM_LENGTH + 1) }, (_, at) => hashGram(text, at));
}

function indexGrams(text: string): Uint8Array {
  const present = new Uint8Array(GRAM_HASHES);
  for (let at = 0; at + GRAM_LENGTH <= text.length; at++) present[hashGram(text, at)] = 1;
  return present;
}
