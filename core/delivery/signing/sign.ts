/**
 * Signs webhooks according to Standard Webhooks: over `id.timestamp.body`, with HMAC-SHA256 (`v1`) or Ed25519 (`v1a`),
 * depending on the prefix of the secret. Pure: the caller resolves and rotates secrets.
 */

import { createHmac, createPrivateKey, createPublicKey, createSecretKey, type KeyObject, sign } from 'node:crypto';
import { GiveUp } from '../../model/errors.ts';
import { type Instant, toMillis } from '../../model/time.ts';

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export interface SigningKey {
  readonly scheme: 'v1' | 'v1a';
  readonly key: KeyObject;
}

/** Signs with every key in one header: during a rotation, a receiver may hold either secret. */
export function signWebhook(
  id: string,
  at: Instant,
  body: string,
  keys: readonly [SigningKey, ...SigningKey[]],
): SignedHeaders {
  const timestamp = String(Math.floor(toMillis(at) / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `${key.scheme},${computeSignature(content, key)}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

function computeSignature(content: string, { scheme, key }: SigningKey): string {
  return scheme === 'v1'
    ? createHmac('sha256', key).update(content).digest('base64')
    : sign(null, Buffer.from(content), key).toString('base64');
}

const SECRET = /^(whsec|whsk)_([A-Za-z0-9+/]+={0,2})$/;

/** Caches parsed keys, because parsing takes as long as signing. */
const cache = new Map<string, SigningKey>();
const MAX_CACHED_KEYS = 10_000;

/** Parses a secret. The error explains how to generate a valid one and never contains the secret. */
export function signingKey(secret: string): SigningKey {
  const key = cache.get(secret) ?? parseKey(secret);
  if (cache.size >= MAX_CACHED_KEYS) cache.clear();
  cache.set(secret, key);
  return key;
}

function parseKey(secret: string): SigningKey {
  const [, prefix, encoded = ''] = SECRET.exec(secret) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips characters that are not base64; the receiver's library may reject them or derive another key.
  const isValidBase64 = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (prefix === 'whsk' && isValidBase64) return { scheme: 'v1a', key: parsePrivateKey(bytes) };
  if (prefix !== 'whsec' || bytes.length < 24 || bytes.length > 64 || !isValidBase64) {
    throw new GiveUp(
      'TIDINGS_SECRET_INVALID',
      "a signing secret must be 'whsec_' and 24 to 64 random bytes in base64, or 'whsk_' and an Ed25519 key in base64; " +
        "generate one with: node -p \"'whsec_' + crypto.randomBytes(32).toString('base64')\"",
    );
  }
  // createHmac is several times slower with a buffer: Node first tries to read it as a KeyObject.
  return { scheme: 'v1', key: createSecretKey(bytes) };
}

/** The DER header before the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;

/** Accepts the seed alone, or the seed followed by its public key, the form most libraries store. */
function parsePrivateKey(bytes: Buffer): KeyObject {
  const key =
    bytes.length === SEED_BYTES || bytes.length === 2 * SEED_BYTES
      ? createPrivateKey({
          key: Buffer.concat([PKCS8_HEADER, bytes.subarray(0, SEED_BYTES)]),
          format: 'der',
          type: 'pkcs8',
        })
      : undefined;
  if (key === undefined || !(bytes.length === SEED_BYTES || publicBytes(key).equals(bytes.subarray(SEED_BYTES)))) {
    throw new GiveUp(
      'TIDINGS_SECRET_INVALID',
      "a signing key must be 'whsk_' and an Ed25519 key in base64: its 32 bytes, or these and the 32 bytes of its public key",
    );
  }
  return key;
}

function publicBytes(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
}

/** Makes a secret of this kind from random bytes: 24 to 64 for HMAC, 32 for Ed25519. */
export function newSigningSecret(random: Uint8Array, scheme: SigningKey['scheme'] = 'v1'): string {
  const secret = `${scheme === 'v1' ? 'whsec' : 'whsk'}_${Buffer.from(random).toString('base64')}`;
  signingKey(secret);
  return secret;
}

/** What the receiver verifies with: the secret itself, or the public key of an Ed25519 key (`whpk_…`). */
export function receiverSecretOf(secret: string): string {
  const { scheme, key } = signingKey(secret);
  return scheme === 'v1' ? secret : `whpk_${publicBytes(key).toString('base64')}`;
}
