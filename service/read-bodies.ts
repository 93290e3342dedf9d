/**
 * Reads the bodies of requests, a bounded number at a time. Anyone can send one slowly: the one that has been read for the
 * longest gives way to a new one. Decides nothing about the callers, who are not known yet.
 */

import { LARGE_BODIES, MAX_SLACK_BYTES } from '../manage/slack/unverified-body.ts';
import { createByteRate, type TakeBytes } from '../runtime/byte-rate.ts';

/** Undefined if there is none. */
export type RequestBody = Uint8Array<ArrayBuffer> | undefined;

/** The apps allow 256 KB, and Slack's more. What is longer is refused there by its length, and need not be read here. */
const MAX_BODY_BYTES = 256 * 1024 + 1;

export function createBodyReader(maxReading: number): (request: Request) => Promise<RequestBody | 'gave way'> {
  /** Ends the reading of each, the oldest first. */
  const reading = new Set<() => void>();
  const mayReadMore = createByteRate(LARGE_BODIES);
  return async ({ method, url, body }) => {
    if (method === 'GET' || method === 'HEAD' || body === null) return undefined;
    const { promise: gaveWay, resolve: giveWay } = Promise.withResolvers<'gave way'>();
    const end = () => giveWay('gave way');
    const [oldest] = reading.size >= maxReading ? reading : [];
    if (oldest !== undefined) {
      reading.delete(oldest);
      oldest();
    }
    reading.add(end);
    // Of all paths only this one takes more.
    const mayGrow = URL.parse(url)?.pathname === '/slack' ? mayReadMore : undefined;
    try {
      return await readUntil(body.getReader(), gaveWay, mayGrow);
    } finally {
      reading.delete(end);
    }
  };
}

/** The rest of a body that gave way is not read: the server closes its connection after the response. */
async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  gaveWay: Promise<'gave way'>,
  mayGrow?: TakeBytes,
): Promise<RequestBody | 'gave way'> {
  const chunks: Uint8Array[] = [];
  let [size, limit] = [0, MAX_BODY_BYTES];
  while (true) {
    const next = await Promise.race([reader.read(), gaveWay]);
    if (next === 'gave way') return next;
    if (next.done) break;
    chunks.push(next.value);
    size += next.value.length;
    if (size < limit) continue;
    if (mayGrow === undefined || limit > MAX_BODY_BYTES) break;
    if (!mayGrow(MAX_SLACK_BYTES)) return 'gave way';
    limit = MAX_SLACK_BYTES + 1;
  }
  return new Uint8Array(Buffer.concat(chunks));
}
