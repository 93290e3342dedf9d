/**
 * Encrypts cursors for callers that do not see all: a position in a store counts what is before it, or says when it was recorded. No
 * other position is accepted from them, because the answers to guessed ones would show the same.
 */

import { GiveUp } from '../../../core/model/errors.ts';
import type { ApiPorts } from './api-ports.ts';
import { type Caller, seesAll } from './caller.ts';
import { decodeCursor, encodeCursor } from './read-request.ts';
import type { Route, RouteResult } from './route.ts';

type CursorPorts = Pick<ApiPorts, 'secrets'>;

/** In AWS, a position of events lists the batches of its last minute, about 14 characters each, also those that the caller does not see. */
const LENGTH_STEP = 1024;

/** Precedes the position in a sealed cursor. No position begins with it. */
const MARK = 'of ';

const ownerMark = ({ kind, id }: Caller) => `${MARK}${kind} ${id} `;

type ListRoute = Pick<Route, 'operation'>;

/** Replaces the `next` of a page by a cursor for the caller. */
export async function sealCursor(
  { secrets }: CursorPorts,
  caller: Caller,
  route: ListRoute,
  result: RouteResult,
): Promise<RouteResult> {
  const encoded = encodeCursor(route, result);
  const { body } = encoded;
  if (seesAll(caller) || encoded === result || typeof body !== 'object') return encoded;
  const plain = `${ownerMark(caller)}${Buffer.from(String(Object(body).next), 'base64url').toString()}`;
  // A longer position is a later one: its length would show how many digits it has.
  const text = plain.padEnd(Math.ceil(plain.length / LENGTH_STEP) * LENGTH_STEP);
  // A reference has colons, and a cursor has none.
  return { ...encoded, body: { ...body, next: (await secrets.seal(text)).replaceAll(':', '_') } };
}

/** Replaces `after` of a query. Throws 400 for any text that is not a cursor of this list for the caller. */
export async function openCursor(
  ports: CursorPorts,
  caller: Caller,
  route: ListRoute,
  query: unknown,
): Promise<unknown> {
  if (seesAll(caller) || typeof query !== 'object' || query === null || !('after' in query)) {
    return decodeCursor(route, query);
  }
  const sealed = await unseal(ports, String(query.after));
  // One of an earlier version has no mark: programs keep cursors for long.
  const text =
    sealed.startsWith(MARK) && !sealed.startsWith(ownerMark(caller)) ? '' : sealed.replace(ownerMark(caller), '');
  return decodeCursor(route, { ...query, after: Buffer.from(text).toString('base64url') });
}

/** Empty if it is not sealed. */
async function unseal({ secrets }: CursorPorts, after: string): Promise<string> {
  const [, fingerprint, sealed] = /^sealed_([0-9a-f]{8})_([\w-]+)$/.exec(after) ?? [];
  if (fingerprint === undefined) return '';
  try {
    return (await secrets.resolve(`sealed:${fingerprint}:${sealed}`)).trimEnd();
  } catch (error) {
    if (error instanceof GiveUp) return '';
    throw error;
  }
}
