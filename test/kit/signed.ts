/** Requests signed by our own signer, standardwebhooks, svix, and Node's crypto (Ed25519). */

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { signingKey, signWebhook } from '../../core/delivery/signing/sign.ts';
import { fromMillis } from '../../core/model/time.ts';

export type Signed = Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;

type Signer = (secret: string, id: string, at: Date, body: string) => Signed;

const headers = (id: string, at: Date, signature: string): Signed => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': signature,
});

export const signWithOurs: Signer = (secret, id, at, body) => ({
  ...signWebhook(id, fromMillis(at.getTime()), body, [signingKey(secret)]),
});

export const SIGNERS: Readonly<Record<string, Signer>> = {
  'our own signer': signWithOurs,
  standardwebhooks: (secret, id, at, body) => headers(id, at, new Standard(secret).sign(id, at, body)),
  svix: (secret, id, at, body) => headers(id, at, new Svix(secret).sign(id, at, body)),
};

/** A key pair: the private key of the sender and the public key in the receiver's format. */
export function edKeys(): { readonly privateKey: KeyObject; readonly whpk: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { privateKey, whpk: `whpk_${raw.toString('base64')}` };
}

export function signWithEd(privateKey: KeyObject, id: string, at: Date, body: string): Signed {
  const content = Buffer.from(`${id}.${Math.floor(at.getTime() / 1000)}.${body}`);
  return headers(id, at, `v1a,${sign(null, content, privateKey).toString('base64')}`);
}
