/**
 * An index of one text, in which a piece is found in a time that hardly depends on the length of the text: the filters of a key may
 * search the same text thousands of times. Knows nothing of wildcards. Pure.
 */

export interface TextIndex {
  /** The start of the first occurrence at `from` or later, or -1. */
  find(piece: string, from: number): number;
}

/** Makes a suffix array: takes as long as some tens of searches. */
export function indexText(text: string): TextIndex {
  const order = sortSuffixes(text);
  const findStart = createRangeSearch(order);
  return {
    find(piece, from) {
      const low = findBound(text, order, piece, { from: 0, isUpper: false });
      if (!text.startsWith(piece, order[low] ?? text.length)) return -1;
      const high = findBound(text, order, piece, { from: low, isUpper: true });
      return findStart(low, high, from);
    },
  };
}

/** The starts of all suffixes in their order, by prefix doubling: what is sorted by `length` characters is sorted by twice as many next. */
function sortSuffixes(text: string): Int32Array {
  const { length: size } = text;
  let ranks = new Int32Array(size);
  for (let start = 0; start < size; start++) ranks[start] = text.charCodeAt(start);
  const counts = new Int32Array(Math.max(CODES, size) + 1);
  let order = sortByRank(Int32Array.from(ranks.keys()), ranks, counts, CODES);
  let classes = 0;
  for (let length = 0; ; length = Math.max(1, 2 * length)) {
    if (length > 0) order = sortByRank(byLaterPart(order, length), ranks, counts, classes);
    [ranks, classes] = rankAll(order, ranks, length);
    if (classes === size || length >= size) return order;
  }
}

/** By what follows their first `length` characters, which is sorted already. Those with nothing come first. */
function byLaterPart(order: Int32Array, length: number): Int32Array {
  const { length: size } = order;
  const starts = new Int32Array(size);
  let count = 0;
  for (let start = Math.max(0, size - length); start < size; start++) starts[count++] = start;
  for (let place = 0; place < size; place++) {
    const start = at(order, place);
    if (start >= length) starts[count++] = start - length;
  }
  return starts;
}

/** Keeps the order of those with the same rank. @param counts as working memory */
function sortByRank(starts: Int32Array, ranks: Int32Array, counts: Int32Array, classes: number): Int32Array {
  counts.fill(0, 0, classes + 1);
  for (let start = 0; start < ranks.length; start++) {
    const next = at(ranks, start) + 1;
    counts[next] = at(counts, next) + 1;
  }
  for (let rank = 1; rank <= classes; rank++) counts[rank] = at(counts, rank) + at(counts, rank - 1);
  const sorted = new Int32Array(starts.length);
  for (let index = 0; index < starts.length; index++) {
    const start = at(starts, index);
    const rank = at(ranks, start);
    const place = at(counts, rank);
    sorted[place] = start;
    counts[rank] = place + 1;
  }
  return sorted;
}

/** The ranks by twice as many characters, and how many there are. @param length 0 for the first character alone */
function rankAll(
  order: Int32Array,
  ranks: Int32Array,
  length: number,
): [ranks: Int32Array<ArrayBuffer>, classes: number] {
  const { length: size } = order;
  const next = new Int32Array(size);
  let last = 0;
  for (let place = 1; place < size; place++) {
    const [before, start] = [at(order, place - 1), at(order, place)];
    const isSame =
      at(ranks, before) === at(ranks, start) &&
      (length === 0 ||
        (before + length < size && start + length < size && at(ranks, before + length) === at(ranks, start + length)));
    if (!isSame) last += 1;
    next[start] = last;
  }
  return [next, last + 1];
}

const CODES = 1 << 16;

const at = (numbers: Int32Array, index: number): number => numbers[index] ?? 0;

/** The place of the first suffix that is not less than the piece, or with `isUpper` of the first one after those that begin with it. */
function findBound(
  text: string,
  order: Int32Array,
  piece: string,
  { from, isUpper }: { readonly from: number; readonly isUpper: boolean },
): number {
  let [low, high] = [from, order.length];
  // Suffixes between two that begin with the same characters of the piece begin with these too.
  let [sharedLow, sharedHigh] = [0, 0];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = at(order, middle);
    let shared = Math.min(sharedLow, sharedHigh);
    while (shared < piece.length && piece.charCodeAt(shared) === text.charCodeAt(start + shared)) shared++;
    const isLess = start + shared >= text.length || text.charCodeAt(start + shared) < piece.charCodeAt(shared);
    if (shared === piece.length ? isUpper : isLess) [low, sharedLow] = [middle + 1, shared];
    else [high, sharedHigh] = [middle, shared];
  }
  return low;
}

/** The starts are also kept sorted in blocks of these sizes, so that a search looks at few of them one by one. */
const BLOCK_SIZES = [4096, 512, 64] as const;

const NONE = Number.POSITIVE_INFINITY;

/** Returns a function that finds the least start that is not less than `from`, between two places of the order. */
function createRangeSearch(order: Int32Array): (low: number, high: number, from: number) => number {
  const levels = BLOCK_SIZES.map((size) =>
    Array.from({ length: Math.floor(order.length / size) }, (_, index) =>
      order.slice(index * size, (index + 1) * size).sort(),
    ),
  );
  const findOneByOne = (low: number, high: number, from: number): number => {
    let least = NONE;
    for (let place = low; place < high; place++) {
      const start = at(order, place);
      if (start >= from && start < least) least = start;
    }
    return least;
  };
  const findLeast = (level: number, low: number, high: number, from: number): number => {
    const size = BLOCK_SIZES[level];
    if (size === undefined) return findOneByOne(low, high, from);
    const [first, end] = [Math.ceil(low / size), Math.floor(high / size)];
    if (first >= end) return findLeast(level + 1, low, high, from);
    let least = Math.min(findLeast(level + 1, low, first * size, from), findLeast(level + 1, end * size, high, from));
    for (const block of levels[level]?.slice(first, end) ?? []) least = Math.min(least, firstFrom(block, from));
    return least;
  };
  return (low, high, from) => {
    const least = findLeast(0, low, high, from);
    return least === NONE ? -1 : least;
  };
}

/** Of sorted numbers. */
function firstFrom(sorted: Int32Array, from: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(sorted, middle) < from) low = middle + 1;
    else high = middle;
  }
  return sorted[low] ?? NONE;
}
