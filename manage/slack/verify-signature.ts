/** Verifies that a request over HTTP comes from Slack: the signature over the raw body, and its age. Pure. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Instant, MINUTE, toMillis } from '../../core/model/time.ts';

/** Slack's own recommendation. A replay within this time is found by its signature. */
export const SIGNATURE_WINDOW = 5 * MINUTE;

export interface SignedRequest {
  /** `X-Slack-Request-Timestamp`, in seconds. */
  readonly timestamp: string;
  /** `X-Slack-Signature`. */
  readonly signature: string;
  /** The body as it was received. */
  readonly body: string;
}

/** Undefined if the headers may be those of Slack; otherwise what is wrong. Then the body need not be read. */
export function findHeaderProblem(
  { timestamp, signature }: Pick<SignedRequest, 'timestamp' | 'signature'>,
  now: Instant,
): string | undefined {
  if (!/^\d{1,12}$/.test(timestamp)) return 'expected the header X-Slack-Request-Timestamp';
  if (!/^v0=[0-9a-f]{64}$/.test(signature)) return 'expected the header X-Slack-Signature';
  if (Math.abs(toMillis(now) - Number(timestamp) * 1000) > SIGNATURE_WINDOW) {
    return 'expected a request of the last 5 minutes; check the clock of this machine';
  }
  return undefined;
}

/** Undefined if the request is from Slack; otherwise what is wrong. */
export function findSignatureProblem(request: SignedRequest, secret: string, now: Instant): string | undefined {
  const problem = findHeaderProblem(request, now);
  if (problem !== undefined) return problem;
  const { timestamp, signature, body } = request;
  const expected = Buffer.from(signSlackRequest(timestamp, body, secret));
  const isSigned = timingSafeEqual(expected, Buffer.from(signature));
  return isSigned ? undefined : 'expected the signature of this body; check slack.signingSecret';
}

export function signSlackRequest(timestamp: string, body: string, secret: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}
