/**
 * Secrets of subscriptions that are made through the management API. A signing secret is derived from the master secret, an
 * id and a generation, and is stored nowhere; other secret values are stored encrypted. So the stores never hold a usable
 * secret, and the API needs no permission to write to a secret store.
 */

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { newSigningSecret, type SigningKey } from '../../core/delivery/signing/sign.ts';
import { GiveUp } from '../../core/model/errors.ts';
import type { Secrets } from '../../core/ports/secrets.ts';

export interface MasterSecret {
  /** The reference to the signing secret of this id, generation and kind: `derived:…`. @param scheme Ed25519 is `v1a` */
  derive(id: string, generation: number, scheme?: SigningKey['scheme']): Promise<string>;
  /** The reference to a value that is encrypted in the reference itself: `sealed:…`. */
  seal(value: string): Promise<string>;
}

export interface MasterSecretOptions {
  /** The reference to the master secret that new references use. @default - none can be made */
  readonly master: () => string | undefined;
  /** References to master secrets that older references use. @default - none */
  readonly former?: readonly string[];
}

const DERIVED = /^derived:([0-9a-f]{8}):([\w-]+):(\d+)(?::(v1a))?$/;
const SEALED = /^sealed:([0-9a-f]{8}):([\w-]+)$/;

/** The fingerprint of the master secret that a reference was made with; undefined for any other reference. */
export function masterFingerprint(reference: string): string | undefined {
  return (DERIVED.exec(reference) ?? SEALED.exec(reference))?.[1];
}

/** The generation of a derived secret; 0 for any other reference. */
export function generationOf(reference: string): number {
  return Number(DERIVED.exec(reference)?.[3] ?? 0);
}

/** The same secrets, which also resolve `derived:…` and `sealed:…`. */
export function withMasterSecret<S extends Secrets>(secrets: S, options: MasterSecretOptions): S & MasterSecret {
  const { master, former = [] } = options;

  const current = async (): Promise<string> => {
    const reference = master();
    if (reference !== undefined) return secrets.resolve(reference);
    throw new GiveUp(
      'TIDINGS_SECRET_UNAVAILABLE',
      'manage.secret: expected a secret, because the API makes secrets from it',
    );
  };

  /** The master secret that a reference was made with. It names it by a fingerprint, because `manage.secret` may be replaced. */
  const findMaster = async (fingerprint: string): Promise<string> => {
    const reference = master();
    for (const one of [...(reference === undefined ? [] : [reference]), ...former]) {
      const value = await secrets.resolve(one).catch((error: unknown) => {
        // A former master secret that was never made.
        if (error instanceof GiveUp && one !== reference) return undefined;
        throw error;
      });
      if (value !== undefined && fingerprintOf(value) === fingerprint) return value;
    }
    throw new GiveUp(
      'TIDINGS_SECRET_UNAVAILABLE',
      'manage.secret was replaced: restore it, or rotate the secret of this subscription',
    );
  };

  return {
    ...secrets,

    async resolve(reference, resolveOptions) {
      const [, madeWith, id, generation, scheme] = DERIVED.exec(reference) ?? [];
      if (madeWith !== undefined) {
        const key = await findMaster(madeWith);
        return scheme === undefined
          ? newSigningSecret(hmac(key, `tidings signing secret ${id}:${generation}`))
          : newSigningSecret(hmac(key, `tidings signing key ${id}:${generation}`), 'v1a');
      }
      const [, sealedWith, sealed] = SEALED.exec(reference) ?? [];
      if (sealedWith !== undefined && sealed !== undefined) return open(await findMaster(sealedWith), sealed);
      return secrets.resolve(reference, resolveOptions);
    },

    async derive(id, generation, scheme = 'v1') {
      const kind = scheme === 'v1' ? '' : `:${scheme}`;
      return `derived:${fingerprintOf(await current())}:${id}:${generation}${kind}`;
    },

    async seal(value) {
      const secret = await current();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealingKey(secret), iv);
      const sealed = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `sealed:${fingerprintOf(secret)}:${sealed.toString('base64url')}`;
    },
  };
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

function open(secret: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', 'a stored value was changed: set it again');
  }
}

/** Each purpose has a prefix of its own, so that no result can be used for another purpose of the same secret. */
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest();
const sealingKey = (secret: string) => hmac(secret, 'tidings sealed value');
/** Names a master secret in the references that were made with it. */
export const fingerprintOf = (secret: string) => hmac(secret, 'tidings fingerprint').toString('hex').slice(0, 8);
