/**
 * Signs webhooks as Standard Webhooks asks, over `id.timestamp.body`: HMAC-SHA256 (`v1`) or Ed25519 (`v1a`), as the
 * secret's prefix says. Pure: where secrets are found and how long they count is decided elsewhere.
 */

import { createHmac, createPrivateKey, createPublicKey, createSecretKey, type KeyObject, sign } from 'node:crypto';
import { GiveUp } from '../model/errors.ts';
import { type Instant, toMillis } from '../model/time.ts';

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export interface SigningKey {
  readonly scheme: 'v1' | 'v1a';
  readonly key: KeyObject;
}

/** One signature for each key, in one header: while a secret changes, a receiver may hold either. */
export function signWebhook(
  id: string,
  at: Instant,
  body: string,
  keys: readonly [SigningKey, ...SigningKey[]],
): SignedHeaders {
  const timestamp = String(Math.floor(toMillis(at) / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `${key.scheme},${signatureOf(content, key)}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

function signatureOf(content: string, { scheme, key }: SigningKey): string {
  return scheme === 'v1'
    ? createHmac('sha256', key).update(content).digest('base64')
    : sign(null, Buffer.from(content), key).toString('base64');
}

const SECRET = /^(whsec|whsk)_([A-Za-z0-9+/]+={0,2})$/;

/** Keys made before: making one costs as much as signing with it. Forgotten all at once, for nobody has so many. */
const known = new Map<string, SigningKey>();
const MOST_KNOWN = 10_000;

/** The key inside a secret. The error says how to make a good one, and never shows this one. */
export function signingKey(secret: string): SigningKey {
  const made = known.get(secret) ?? makeKey(secret);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(secret, made);
  return made;
}

function makeKey(secret: string): SigningKey {
  const [, prefix, encoded = ''] = SECRET.exec(secret) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (prefix === 'whsk' && isWhole) return { scheme: 'v1a', key: privateKeyOf(bytes) };
  // Node reads over what is not base64; a receiver's library would not, and hold another key than we.
  if (prefix !== 'whsec' || bytes.length < 24 || bytes.length > 64 || !isWhole) {
    throw new GiveUp(
      'TIDINGS_SECRET_INVALID',
      "a signing secret is 'whsec_' and the base64 of 24 to 64 random bytes, or 'whsk_' and that of an Ed25519 key; " +
        "make one with: node -p \"'whsec_' + crypto.randomBytes(32).toString('base64')\"",
    );
  }
  // A KeyObject, not the bytes: these are taken for one first, and failing at that costs Node four signatures.
  return { scheme: 'v1', key: createSecretKey(bytes) };
}

/** What stands before the 32 bytes of a key in DER, always the same for Ed25519 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED = 32;

/** From the seed alone, or from seed and public key, as most libraries keep it: then they must belong together. */
function privateKeyOf(bytes: Buffer): KeyObject {
  const key =
    bytes.length === SEED || bytes.length === 2 * SEED
      ? createPrivateKey({ key: Buffer.concat([PKCS8, bytes.subarray(0, SEED)]), format: 'der', type: 'pkcs8' })
      : undefined;
  if (key === undefined || !(bytes.length === SEED || publicBytes(key).equals(bytes.subarray(SEED)))) {
    throw new GiveUp(
      'TIDINGS_SECRET_INVALID',
      "a signing key is 'whsk_' and the base64 of an Ed25519 key: its 32 bytes, or these and the 32 of its public key",
    );
  }
  return key;
}

function publicBytes(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED);
}

/** A secret for HMAC from 24 to 64 random bytes: the receiver holds the same. */
export function newSigningSecret(random: Uint8Array): string {
  const secret = `whsec_${Buffer.from(random).toString('base64')}`;
  signingKey(secret);
  return secret;
}

/** A secret for Ed25519 from 32 random bytes: the receiver holds only what `publicKeyOf` gives. */
export function newSigningKey(random: Uint8Array): string {
  const seed = Buffer.from(random);
  return `whsk_${Buffer.concat([seed, publicBytes(privateKeyOf(seed))]).toString('base64')}`;
}

/** `whpk_…`: what the receiver of a `whsk_…` verifies with. It is no secret. Undefined for `whsec_…`, which has none. */
export function publicKeyOf(secret: string): string | undefined {
  const { scheme, key } = signingKey(secret);
  return scheme === 'v1a' ? `whpk_${publicBytes(key).toString('base64')}` : undefined;
}
