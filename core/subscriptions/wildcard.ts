/**
 * Matches text against literal pieces with anything between them, in time linear in both, whatever they hold.
 * Knows wildcards, but nothing of patterns and events.
 */

/** Pieces of `a*b`: `['a', 'b']`. The first begins the text, the last ends it, those between follow in order. */
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
    // The leftmost place leaves the most room for the rest, so there is never a reason to come back.
    for (const search of between) {
      at = search(text, at, end);
      if (at === -1) return false;
    }
    return at <= end;
  };
}

/** The pieces of a wildcard: `*` is any run of characters, `\*` an asterisk, `\\` a backslash. */
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

/** What is wrong with a wildcard, if anything: the two mistakes EventBridge refuses as well. */
export function wildcardProblem(wildcard: string): string | undefined {
  const bare = wildcard.replace(/\\[*\\]/g, '_');
  if (bare.includes('\\')) return "a backslash only before '*' or another backslash";
  if (bare.includes('**')) return 'single asterisks, for one already stands for any run of characters';
  return undefined;
}

/**
 * Where the piece ends at its first occurrence within `from` and `to`, -1 where it does not occur.
 * Knuth, Morris and Pratt rather than `indexOf`, which takes text × piece steps on 'aaaa…' and 'aaa…b'.
 */
function compileSearch(piece: string): (text: string, from: number, to: number) => number {
  const fallback = fallbacks(piece);
  return (text, from, to) => {
    if (piece === '') return from;
    let matched = 0;
    for (let at = from; at < to; at++) {
      while (matched > 0 && text[at] !== piece[matched]) matched = fallback[matched - 1] ?? 0;
      if (text[at] === piece[matched]) matched++;
      if (matched === piece.length) return at + 1;
    }
    return -1;
  };
}

/** For each place, how much of the piece's own beginning ends there. */
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
