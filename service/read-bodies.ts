/**
 * Reads the bodies of requests in turns, a few pieces in each turn of the event loop, which accepts one connection a turn. Decides nothing
 * about the callers, who are not known yet.
 */

import type { IncomingMessage } from 'node:http';
import { LARGE_BODIES, MAX_SLACK_BYTES } from '../manage/slack/unverified-body.ts';
import { createByteRate, type TakeBytes } from '../runtime/byte-rate.ts';
import { type BodyPlace, type BodyPlacesOptions, createBodyPlaces } from './body-places.ts';
import { createPieceLine } from './request-line.ts';

/** The apps allow 256 KB, and Slack's more. What is longer is refused there by its length, and need not be read here. */
const MAX_BODY_BYTES = 256 * 1024;

/** Of a caller who sends slower than this thread reads. Else as much has arrived as is read at once, usually 64 KB. */
const SHORT_PIECE_BYTES = 8 * 1024;

interface ReadBody {
  /** Of one that is too long only a part: it is refused by its length. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly length: number;
  /** To be called when the request is answered. */
  readonly free: () => void;
}

/** Undefined if there is none. */
export type BodyReader = (request: IncomingMessage, path: string) => Promise<ReadBody | 'gave way' | undefined>;

export function createBodyReader(options: BodyPlacesOptions): BodyReader {
  const places = createBodyPlaces(options);
  const inTurn = createPieceLine();
  const mayReadMore = createByteRate(LARGE_BODIES);
  return async (request, path) => {
    const { method, headers } = request;
    if (method === 'GET' || method === 'HEAD') return undefined;
    // Of all paths only this one takes more.
    const isSlack = path === '/slack';
    const isChunked = headers['transfer-encoding'] !== undefined;
    const stated = isChunked ? MAX_BODY_BYTES : Number(headers['content-length'] ?? 0);
    if (stated > (isSlack ? MAX_SLACK_BYTES : MAX_BODY_BYTES)) return refusedByLength(stated);
    if (stated === 0) return { bytes: new Uint8Array(), length: 0, free: () => {} };
    const place = await places.take(stated, () => request.destroyed);
    if (place === undefined) return 'gave way';
    const bytes = request.destroyed
      ? undefined
      : await readPieces(request, stated, place, inTurn, isSlack ? mayReadMore : undefined);
    if (bytes instanceof Uint8Array) {
      place.endReading(bytes.length);
      return { bytes, length: bytes.length, free: place.free };
    }
    place.free();
    return bytes === undefined ? 'gave way' : refusedByLength(bytes.moreThan + 1);
  };
}

const refusedByLength = (length: number): ReadBody => ({ bytes: new Uint8Array(1), length, free: () => {} });

/** Undefined if it gave way. Its rest is not read: the server closes its connection after the response. */
function readPieces(
  request: IncomingMessage,
  stated: number,
  place: BodyPlace,
  inTurn: (read: () => void) => void,
  mayGrow?: TakeBytes,
): Promise<Uint8Array<ArrayBuffer> | { readonly moreThan: number } | undefined> {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof readPieces>>>();
  const pieces: Buffer[] = [];
  let [size, limit] = [0, MAX_BODY_BYTES];
  let isOver = false;
  const readOn = () => {
    if (isOver) return;
    request.resume();
    // What is there comes in the next turn.
    setImmediate(setImmediate, () => {
      if (!request.isPaused()) place.isWaiting = true;
    });
  };
  const take = (piece: Buffer) => {
    pieces.push(piece);
    size += piece.length;
    request.pause();
    place.isWaiting = piece.length < SHORT_PIECE_BYTES && size < stated;
    if (size <= limit) inTurn(readOn);
    else if (mayGrow === undefined || limit === MAX_SLACK_BYTES) end({ moreThan: limit });
    else if (mayGrow(MAX_SLACK_BYTES)) {
      limit = MAX_SLACK_BYTES;
      inTurn(readOn);
    } else end(undefined);
  };
  const end = (read: Awaited<typeof promise>) => {
    isOver = true;
    request.off('data', take).off('end', complete).off('close', abort);
    request.pause();
    resolve(read);
  };
  const complete = () => end(new Uint8Array(Buffer.concat(pieces)));
  const abort = () => end(undefined);
  place.onGiveWay = abort;
  request.pause();
  request.on('data', take).once('end', complete).once('close', abort);
  inTurn(readOn);
  return promise;
}
