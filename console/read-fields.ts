/** Reads the fields of a form. Anyone can send one, also without a session. */

import type { Context } from 'hono';
import { Problem } from '../manage/api/http/problem.ts';

/** All values of each field that are no files. Throws 400 for a body that is no form. */
export async function readFields(context: Context): Promise<ReadonlyMap<string, readonly string[]>> {
  const body = await parse(context);
  return new Map(
    Object.entries(body).map(([key, value]) => [
      key,
      (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string'),
    ]),
  );
}

async function parse(context: Context) {
  try {
    return await context.req.parseBody({ all: true });
  } catch (error) {
    // The one error of the parser. Others, such as that of a body that is too long, have their own response.
    if (!(error instanceof TypeError)) throw error;
    throw new Problem(400, 'TIDINGS_API_MEDIA_TYPE', { detail: 'expected a form as a browser sends it' });
  }
}
