/** Signs webhooks as Standard Webhooks asks: HMAC-SHA256 over `id.timestamp.body`. Pure. */

import { createHmac } from 'node:crypto';
import { GiveUp } from '../model/errors.ts';
import { type Instant, toMillis } from '../model/time.ts';

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export function signWebhook(id: string, at: Instant, body: string, key: Buffer): SignedHeaders {
  const timestamp = String(Math.floor(toMillis(at) / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The key inside `whsec_` + base64 of 24 to 64 bytes. The error never shows the secret. */
export function signingKey(secret: string): Buffer {
  const [, encoded] = SECRET.exec(secret) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  if (key.length < 24 || key.length > 64) {
    throw new GiveUp(
      'TIDINGS_SECRET_INVALID',
      "a signing secret is 'whsec_' and the base64 of 24 to 64 random bytes; make one with: " +
        "node -p \"'whsec_' + crypto.randomBytes(32).toString('base64')\"",
    );
  }
  return key;
}
