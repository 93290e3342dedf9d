/** Ed25519 secrets of senders, and the public keys that their receivers get. */

import { createPublicKey } from 'node:crypto';
import { signingKey } from '../../../../core/delivery/signing/sign.ts';

/** A `whsk_…` secret from 32 bytes: these and its public key, as most libraries store it. */
export function newSigningKey(seed: Uint8Array): string {
  const short = `whsk_${Buffer.from(seed).toString('base64')}`;
  const known = Buffer.from(publicKeyOf(short)?.slice('whpk_'.length) ?? '', 'base64');
  return `whsk_${Buffer.concat([seed, known]).toString('base64')}`;
}

/** The `whpk_…` of a `whsk_…` secret. Undefined for `whsec_…`. */
export function publicKeyOf(secret: string): string | undefined {
  const { scheme, key } = signingKey(secret);
  if (scheme !== 'v1a') return undefined;
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  return `whpk_${raw.toString('base64')}`;
}
