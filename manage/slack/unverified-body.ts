/**
 * Reads the body of a request whose signature is not verified yet: the signature covers the whole body, so callers without the
 * secret decide how much is read. Small bodies, as those of nearly all requests of Slack, always pass; the others share a budget.
 */

import type { ByteRate, TakeBytes } from '../../runtime/byte-rate.ts';

/** Slack's largest payloads are views of 250 KB, which a form makes up to three times as long. */
export const MAX_SLACK_BYTES = 1024 * 1024;

/** Commands have about 1 KB, buttons in long messages about 20 KB. */
const SMALL_BYTES = 64 * 1024;

/** Several of the largest views at once. */
export const LARGE_BODIES: ByteRate = { burst: 4 * 1024 * 1024, perSecond: 1024 * 1024 };

/** Refuses by the stated length if there is one, before it reads anything. */
export async function readUnverified(
  { headers, body }: Pick<Request, 'headers' | 'body'>,
  mayRead: TakeBytes,
): Promise<{ readonly text: string } | 'too large' | 'too many'> {
  const stated = headers.get('content-length') ?? '';
  const isStated = /^\d{1,15}$/.test(stated) && !headers.has('transfer-encoding');
  if (isStated && Number(stated) > MAX_SLACK_BYTES) return 'too large';
  if (isStated && Number(stated) > SMALL_BYTES && !mayRead(Number(stated))) return 'too many';
  const chunks: Uint8Array[] = [];
  let size = 0;
  let paidBytes = isStated ? MAX_SLACK_BYTES : SMALL_BYTES;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_SLACK_BYTES) return 'too large';
    if (size > paidBytes) {
      // Without a length it may become as long as allowed.
      if (!mayRead(MAX_SLACK_BYTES)) return 'too many';
      paidBytes = MAX_SLACK_BYTES;
    }
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString() };
}
