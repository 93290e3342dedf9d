/**
 * Matches text against literal pieces with any text between them, in linear time for any input.
 * Knows nothing of patterns and events.
 */

/** The pieces of `a*b` are `['a', 'b']`: a prefix, a suffix, and the pieces between them in order. */
export function compilePieces(pieces: readonly string[]): (text: string) => boolean {
  const [first = ''] = pieces;
  if (pieces.length <= 1) return (text) => text === first;
  const last = pieces.at(-1) ?? '';
  // One `*` after another adds nothing: `a**b` has an empty piece.
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  const between = middle.map(compileSearch);
  const shortest = pieces.reduce((sum, { length }) => sum + length, 0);
  /** Made when a long text comes: most filters never see one. */
  let grams: Uint16Array | undefined;
  return (text) => {
    if (text.length < shortest || !text.startsWith(first) || !text.endsWith(last)) return false;
    const isLong = between.length > 0 && text.length >= MIN_INDEXED_LENGTH;
    if (isLong) grams ??= Uint16Array.from(middle.flatMap(gramsOf));
    if (grams !== undefined && isLong && !mayContain(text, grams)) return false;
    const end = text.length - last.length;
    let at = first.length;
    // The leftmost match leaves the most room for the rest, so no backtracking is needed.
    for (const search of between) {
      at = search(text, at, end);
      if (at === -1) return false;
    }
    return at <= end;
  };
}

/** Splits a wildcard: `*` matches any characters, `\*` is an asterisk, `\\` a backslash. */
export function wildcardPieces(wildcard: string): readonly string[] {
  const pieces: string[][] = [[]];
  for (const [part] of wildcard.matchAll(/[^*\\]+|\\.?|\*/gs)) {
    if (part === '*') pieces.push([]);
    else pieces.at(-1)?.push(part.startsWith('\\') ? part.slice(1) : part);
  }
  return pieces.map((parts) => parts.join(''));
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

/**
 * Returns the end of the first occurrence between `from` and `to`, or -1.
 * For long pieces Knuth-Morris-Pratt instead of `indexOf`, which is quadratic for 'aaaa…' and 'aaa…b'.
 */
function compileSearch(piece: string): (text: string, from: number, to: number) => number {
  if (piece.length <= MAX_NATIVE_LENGTH) {
    return (text, from, to) => {
      const end = text.indexOf(piece, from) + piece.length;
      return end >= from + piece.length && end <= to ? end : -1;
    };
  }
  /** Made when a text needs it: few do. */
  let fallback: Uint32Array | undefined;
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
    fallback ??= fallbacks(piece);
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
function fallbacks(piece: string): Uint32Array {
  const table = new Uint32Array(piece.length);
  let matched = 0;
  for (let at = 1; at < piece.length; at++) {
    while (matched > 0 && piece[at] !== piece[matched]) matched = table[matched - 1] ?? 0;
    if (piece[at] === piece[matched]) matched++;
    table[at] = matched;
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

/** An event has a few long texts. */
const MAX_INDEXED_TEXTS = 16;

interface IndexedText {
  uses: number;
  grams?: Uint8Array;
}

/** Of the event that is being matched: the filters of a key may search one text tens of thousands of times. */
const indexed = new Map<string, IndexedText>();

/** False if some of these characters do not occur in the text. Most filters need no search then. */
function mayContain(text: string, grams: Uint16Array): boolean {
  let known = indexed.get(text);
  if (known === undefined) {
    if (indexed.size >= MAX_INDEXED_TEXTS) indexed.clear();
    known = { uses: 0 };
    indexed.set(text, known);
  }
  known.uses += 1;
  if (known.uses < MIN_USES) return true;
  known.grams ??= indexGrams(text);
  const present = known.grams;
  return grams.every((gram) => present[gram] === 1);
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
