/** Signs webhooks as Standard Webhooks asks: HMAC-SHA256 over `id.timestamp.body`. Pure. */

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { GiveUp } from '../model/errors.ts';
import { type Instant, toMillis } from '../model/time.ts';

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export function signWebhook(id: string, at: Instant, body: string, key: KeyObject): SignedHeaders {
  const timestamp = String(Math.floor(toMillis(at) / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Keys made before: making one costs as much as signing with it. Forgotten all at once, for nobody has so many. */
const known = new Map<string, KeyObject>();
const MOST_KNOWN = 10_000;

/** The key inside `whsec_` + base64 of 24 to 64 bytes. The error never shows the secret. */
export function signingKey(secret: string): KeyObject {
  const made = known.get(secret);
  if (made !== undefined) return made;
  const [, encoded] = SECRET.exec(secret) ?? [];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  if (bytes.length < 24 || bytes.length > 64) {
    throw new GiveUp(
      'TIDINGS_SECRET_INVALID',
      "a signing secret is 'whsec_' and the base64 of 24 to 64 random bytes; make one with: " +
        "node -p \"'whsec_' + crypto.randomBytes(32).toString('base64')\"",
    );
  }
  // A KeyObject, not the bytes: these are taken for one first, and failing at that costs Node four signatures.
  const key = createSecretKey(bytes);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(secret, key);
  return key;
}
