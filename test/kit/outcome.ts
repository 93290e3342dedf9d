/** A valid request, and the result of verifying it with changes. */

import { VerifyError, type VerifyOptions, verify } from '../../kit/verify.ts';
import { SECRET } from '../samples.ts';
import { signWithOurs } from './signed.ts';

export const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
export const AT = new Date('2026-11-14T12:00:00Z');
export const BODY = '{"id":"evt_1","type":"task.closed","data":{"version":3}}';
export const headers = signWithOurs(SECRET, 'evt_1', AT, BODY);

export const good: VerifyOptions = { secret: SECRET, headers, body: BODY, now: AT };

/** The error code, or `accepted`. */
export async function outcome(change: Partial<VerifyOptions>): Promise<string> {
  try {
    await verify({ ...good, ...change });
    return 'accepted';
  } catch (error) {
    if (error instanceof VerifyError) return error.code;
    throw error;
  }
}
