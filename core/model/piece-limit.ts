/**
 * Tells whether a body comes in too many short pieces. Each takes the time of a whole one, so that a sender of single bytes would keep
 * the process busy: 256 KB of them for seconds. Packets, and the chunks of clients and servers, are longer. Pure.
 */

const MAX_SHORT_PIECES = 256;

/** The pieces of a body with more of them have this many bytes on average. */
const MIN_PIECE_BYTES = 512;

/** Returns a function that counts a piece of so many bytes, and returns whether there are too many. */
export function createPieceLimit(): (bytes: number) => boolean {
  let [pieces, total] = [0, 0];
  return (bytes) => {
    pieces += 1;
    total += bytes;
    return pieces > MAX_SHORT_PIECES && total < pieces * MIN_PIECE_BYTES;
  };
}
