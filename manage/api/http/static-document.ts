/** Serves a document that is the same for everyone: built and compressed once, at its first request, with an ETag. */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import { type ByteRate, createByteRate } from '../../../runtime/byte-rate.ts';
import { Problem } from './problem.ts';

export interface StaticDocument {
  readonly text: string;
  readonly contentType: string;
  /** Further headers. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What is sent of one document in a time, to all callers together: it has up to 900 KB, and its callers have no key that would limit
 * them. A browser gets 60 KB.
 */
const SENT: ByteRate = { burst: 16_000_000, perSecond: 4_000_000 };

/** Anyone may ask for it, without a key: a request costs a lookup, not the document. */
export function serveStatic(build: () => StaticDocument | Promise<StaticDocument>) {
  const maySend = createByteRate(SENT);
  let building: ReturnType<typeof prepare> | undefined;
  return async (context: Context): Promise<Response> => {
    building ??= prepare(build);
    const { plain, compressed, headers } = await building;
    const { etag } = headers;
    const known = (context.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    if (known.includes(etag) || known.includes('*')) return context.body(null, 304, headers);
    const isCompressed = /\bgzip\b/.test(context.req.header('accept-encoding') ?? '');
    const body = isCompressed ? compressed : plain;
    if (!maySend(body.length)) {
      const detail = 'too many requests for this document: try again in a moment';
      throw new Problem(503, 'TIDINGS_API_UNAVAILABLE', { detail, headers: { 'retry-after': '1' } });
    }
    return context.body(body, 200, isCompressed ? { ...headers, 'content-encoding': 'gzip' } : headers);
  };
}

async function prepare(build: () => StaticDocument | Promise<StaticDocument>) {
  const { text, contentType, headers } = await build();
  const plain = new TextEncoder().encode(text);
  const compressed = new Uint8Array(await promisify(gzip)(plain));
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 24)}"`;
  const common = { 'content-type': contentType, 'cache-control': 'no-cache', vary: 'accept-encoding' };
  return { plain, compressed, headers: { ...headers, ...common, etag } };
}
