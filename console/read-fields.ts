/** Reads the fields of a form. Anyone can send one, also without a session. */

import { parse } from 'node:querystring';
import type { Context } from 'hono';
import { Problem } from '../manage/api/http/problem.ts';

/** The longest form of the console has some hundreds. */
const MAX_FIELDS = 5000;

/**
 * All values of each field; none for a body of another type. Not `parseBody`, which takes milliseconds for a short form with many fields or
 * parts: the requests of others would wait.
 * @param maxFields further ones are left out. @default 5000
 */
export async function readFields(
  context: Context,
  maxFields: number = MAX_FIELDS,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const type = context.req.header('content-type')?.toLowerCase() ?? '';
  if (type.startsWith('multipart/'))
    throw new Problem(400, 'TIDINGS_API_MEDIA_TYPE', { detail: 'expected a form as a browser sends it' });
  if (!type.startsWith('application/x-www-form-urlencoded')) return new Map();
  const fields = parse(await context.req.text(), '&', '=', { maxKeys: maxFields });
  return new Map(Object.entries(fields).map(([key, value = []]) => [key, [value].flat()]));
}
