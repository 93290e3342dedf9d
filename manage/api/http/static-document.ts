/** Serves a document that is the same for everyone: built and compressed once, at its first request, with an ETag. */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';

export interface StaticDocument {
  readonly text: string;
  readonly contentType: string;
  /** Further headers. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Anyone may ask for it, without a key: a request costs a lookup, not the document. */
export function serveStatic(build: () => StaticDocument | Promise<StaticDocument>) {
  let building: ReturnType<typeof prepare> | undefined;
  return async (context: Context): Promise<Response> => {
    building ??= prepare(build);
    const { text, compressed, headers } = await building;
    const { etag } = headers;
    const known = (context.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    if (known.includes(etag) || known.includes('*')) return context.body(null, 304, headers);
    if (!/\bgzip\b/.test(context.req.header('accept-encoding') ?? '')) return context.body(text, 200, headers);
    return context.body(compressed, 200, { ...headers, 'content-encoding': 'gzip' });
  };
}

async function prepare(build: () => StaticDocument | Promise<StaticDocument>) {
  const { text, contentType, headers } = await build();
  const compressed = new Uint8Array(await promisify(gzip)(text));
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 24)}"`;
  const common = { 'content-type': contentType, 'cache-control': 'no-cache', vary: 'accept-encoding' };
  return { text, compressed, headers: { ...headers, ...common, etag } };
}
