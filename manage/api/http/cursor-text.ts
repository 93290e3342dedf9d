/** Cursors as callers see them: opaque, and valid for the list that returned them. */

import { Problem } from './problem.ts';
import type { Route, RouteResult } from './route.ts';

/** Replaces the `next` of a page. */
export function encodeCursor({ operation }: Pick<Route, 'operation'>, result: RouteResult): RouteResult {
  const { body } = result;
  if (typeof body !== 'object' || body === null || !('next' in body) || typeof body.next !== 'string') return result;
  const next = Buffer.from(`${operation} ${body.next}`).toString('base64url');
  return { ...result, body: { ...body, next } };
}

/** Replaces `after` of a query. Throws 400 for any text that is not a cursor of this list. */
export function decodeCursor({ operation }: Pick<Route, 'operation'>, query: unknown): unknown {
  if (typeof query !== 'object' || query === null || !('after' in query)) return query;
  const text = Buffer.from(String(query.after), 'base64url').toString();
  const cursor = text.slice(operation.length + 1);
  // Positions, names, and instants with the ids of batches.
  if (text.startsWith(`${operation} `) && /^<?[\w .,:#+-]+$/.test(cursor)) return { ...query, after: cursor };
  const detail = 'expected the next of an earlier page of this list';
  throw new Problem(400, 'TIDINGS_API_QUERY', { detail: `after: ${detail}`, errors: [{ pointer: 'after', detail }] });
}
