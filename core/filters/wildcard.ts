/**
 * Matches text against literal pieces with any text between them, in linear time for any input.
 * Knows nothing of patterns and events.
 */

/** The pieces of `a*b` are `['a', 'b']`: a prefix, a suffix, and the pieces between them in order. */
export function compilePieces(pieces: readonly string[]): (text: string) => boolean {
  const [first = ''] = pieces;
  if (pieces.length <= 1) return (text) => text === first;
  const last = pieces.at(-1) ?? '';
  const between = pieces.slice(1, -1).map(compileSearch);
  const shortest = pieces.reduce((sum, { length }) => sum + length, 0);
  return (text) => {
    if (text.length < shortest || !text.startsWith(first) || !text.endsWith(last)) return false;
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
  const fallback = fallbacks(piece);
  return (text, from, to) => {
    let matched = 0;
    for (let at = from; at < to; at++) {
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
