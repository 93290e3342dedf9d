/**
 * Joins the short pieces of a request body that arrived together. Its reader takes as long for each of them as for a whole packet, so that
 * chunks of a byte would keep the process busy for minutes.
 */

import type { IncomingMessage } from 'node:http';
import { createPieceLimit } from '../core/model/piece-limit.ts';

/** Longer ones are passed on as they are. */
const SHORT_PIECE_BYTES = 1024;

/** Even to join them takes a microsecond each. A client that sends a body line by line stays far below. */
const LIMIT = { pieces: 4096, averageBytes: 16 } as const;

/** The parser calls `push` with each piece, and with null at the end. With too many tiny pieces the connection is closed. */
export function joinPieces(request: IncomingMessage): void {
  const push = request.push.bind(request);
  const isTooMany = createPieceLimit(LIMIT);
  let waiting: Buffer[] = [];
  const flush = () => {
    const joined = waiting;
    waiting = [];
    if (joined.length > 0) push(Buffer.concat(joined));
  };
  request.push = (piece: Buffer | null, encoding) => {
    if (piece !== null && isTooMany(piece.length)) {
      waiting = [];
      // The parser goes on with what was received before.
      if (!request.socket.destroyed) request.socket.destroy();
      return false;
    }
    if (piece !== null && piece.length < SHORT_PIECE_BYTES) {
      // Not in a microtask: these run between two calls of the parser.
      if (waiting.push(piece) === 1) setImmediate(flush);
      return true;
    }
    flush();
    return push(piece, encoding);
  };
}
