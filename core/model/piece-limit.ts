/**
 * Tells whether a body comes in too many short pieces. Each takes the time of a whole one, so that a sender of single bytes would keep
 * the process busy: 256 KB of them for seconds. Pure.
 */

export interface PieceLimit {
  /** A body may have this many, however short they are. */
  readonly pieces: number;
  /** The pieces of a body with more of them have this many bytes on average. */
  readonly averageBytes: number;
}

/** Returns a function that counts a piece of so many bytes, and returns whether there are too many. */
export function createPieceLimit({ pieces: most, averageBytes }: PieceLimit): (bytes: number) => boolean {
  let [pieces, total] = [0, 0];
  return (bytes) => {
    pieces += 1;
    total += bytes;
    return pieces > most && total < pieces * averageBytes;
  };
}
