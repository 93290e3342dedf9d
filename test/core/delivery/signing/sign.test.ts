import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import {
  newSigningSecret,
  type SignedHeaders,
  signingKey,
  signWebhook,
} from '../../../../core/delivery/signing/sign.ts';
import { GiveUp } from '../../../../core/model/errors.ts';
import { fromMillis } from '../../../../core/model/time.ts';
import { SECRET } from '../../../samples.ts';
import { newSigningKey, publicKeyOf } from './ed-keys.ts';

const OTHER = newSigningSecret(Buffer.alloc(32, 8));
const ED = newSigningKey(Buffer.alloc(32, 9));

const now = () => fromMillis(Date.now());

/** The two libraries that most receivers use. */
const LIBRARIES = [
  ['standardwebhooks', (secret: string) => new StandardWebhook(secret)],
  ['svix', (secret: string) => new SvixWebhook(secret)],
] as const;

/** Verifies with Node's Ed25519 and only the public key. */
function verifies(publicKey: string, headers: SignedHeaders, body: string): boolean {
  const raw = Buffer.from(publicKey.slice('whpk_'.length), 'base64');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  return headers['webhook-signature']
    .split(' ')
    .filter((signature) => signature.startsWith('v1a,'))
    .some((signature) => verify(null, content, key, Buffer.from(signature.slice('v1a,'.length), 'base64')));
}

const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
const json = fc.jsonValue().map((value) => JSON.stringify({ value }));
/** The libraries reject timestamps more than five minutes from now. */
const time = fc.integer({ min: -240_000, max: 240_000 }).map((shift) => fromMillis(Date.now() + shift));
const secret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(newSigningSecret);
const edSecret = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(newSigningKey);

/** Changes one character of the text. */
const change = (text: string, at: number, to: string): string => {
  const index = at % text.length;
  return text.slice(0, index) + (text[index] === to ? (to === 'a' ? 'b' : 'a') : to) + text.slice(index + 1);
};
const changeTo = fc.stringMatching(/^[A-Za-z0-9+/]$/);

describe.each(LIBRARIES)('a v1 signature, verified by %s', (_, verifier) => {
  it('verifies for any id, time, body and secret', () => {
    fc.assert(
      fc.property(id, time, json, secret, (id, at, body, secret) => {
        const headers = signWebhook(id, at, body, [signingKey(secret)]);
        expect(() => verifier(secret).verify(body, { ...headers })).not.toThrow();
      }),
    );
  });

  it('does not verify when one character of id, time, body or signature changes', () => {
    const part = fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature', 'body');
    fc.assert(
      fc.property(id, time, json, part, fc.nat(), changeTo, (id, at, body, part, where, to) => {
        const headers = { ...signWebhook(id, at, body, [signingKey(SECRET)]) };
        const digit = String((Number(to) || 0) % 10);
        if (part === 'body') {
          expect(() => verifier(SECRET).verify(change(body, where, to), headers)).toThrow();
        } else if (part === 'webhook-timestamp') {
          const changed = change(headers[part], where, digit).replaceAll(/[ab]/g, '5');
          fc.pre(changed !== headers[part]);
          expect(() => verifier(SECRET).verify(body, { ...headers, [part]: changed })).toThrow();
        } else {
          const changed = { ...headers, [part]: change(headers[part], where, to) };
          expect(() => verifier(SECRET).verify(body, changed)).toThrow();
        }
      }),
      { numRuns: 300 },
    );
  });

  it('does not verify with another secret', () => {
    const headers = signWebhook('evt_1', now(), '{}', [signingKey(SECRET)]);
    expect(() => verifier(OTHER).verify('{}', { ...headers })).toThrow();
  });

  it('verifies with either secret during a rotation, and with no third', () => {
    const headers = { ...signWebhook('evt_1', now(), '{"a":1}', [signingKey(OTHER), signingKey(SECRET)]) };
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [SECRET, OTHER]) expect(() => verifier(secret).verify('{"a":1}', headers)).not.toThrow();
    const third = newSigningSecret(Buffer.alloc(32, 1));
    expect(() => verifier(third).verify('{"a":1}', headers)).toThrow();
  });

  it('verifies next to a v1a signature, so that a receiver can migrate', () => {
    const headers = signWebhook('evt_1', now(), '{"a":1}', [signingKey(ED), signingKey(SECRET)]);
    expect(() => verifier(SECRET).verify('{"a":1}', { ...headers })).not.toThrow();
    expect(verifies(publicKeyOf(ED) ?? '', headers, '{"a":1}')).toBe(true);
  });
});

describe('a v1a signature', () => {
  it('verifies with the public key alone, for any id, time, body and key', () => {
    fc.assert(
      fc.property(id, time, fc.string({ unit: 'grapheme' }), edSecret, (id, at, body, secret) => {
        const headers = signWebhook(id, at, body, [signingKey(secret)]);
        expect(headers['webhook-signature']).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/);
        expect(verifies(publicKeyOf(secret) ?? '', headers, body)).toBe(true);
      }),
    );
  });

  it('does not verify when one character of id, time or body changes', () => {
    const publicKey = publicKeyOf(ED) ?? '';
    fc.assert(
      fc.property(id, json, fc.nat(), changeTo, (id, body, where, to) => {
        const headers = signWebhook(id, now(), body, [signingKey(ED)]);
        expect(verifies(publicKey, headers, change(body, where, to))).toBe(false);
        expect(verifies(publicKey, { ...headers, 'webhook-id': change(id, where, to) }, body)).toBe(false);
        const later = String(Number(headers['webhook-timestamp']) + 1);
        expect(verifies(publicKey, { ...headers, 'webhook-timestamp': later }, body)).toBe(false);
      }),
    );
  });

  it('does not verify with another key', () => {
    const headers = signWebhook('evt_1', now(), '{}', [signingKey(ED)]);
    expect(verifies(publicKeyOf(newSigningKey(Buffer.alloc(32, 1))) ?? '', headers, '{}')).toBe(false);
  });

  it('has the public key of the first test vector of RFC 8032', () => {
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
    const known = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
    expect(publicKeyOf(newSigningKey(seed))).toBe(`whpk_${known.toString('base64')}`);
  });

  it('is the same from the seed alone as from seed and public key', () => {
    const seed = Buffer.alloc(32, 9);
    const short = `whsk_${seed.toString('base64')}`;
    const sign = (secret: string) => signWebhook('evt_1', now(), '{}', [signingKey(secret)])['webhook-signature'];
    expect(sign(short)).toBe(sign(ED));
    expect(publicKeyOf(short)).toBe(publicKeyOf(ED));
  });

  it('accepts a key generated by another program', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const [seed = '', known = ''] = [privateKey.export({ format: 'jwk' }).d, publicKey.export({ format: 'jwk' }).x];
    const bytes = [seed, known].map((part) => Buffer.from(part, 'base64url'));
    const secret = `whsk_${Buffer.concat(bytes).toString('base64')}`;
    expect(publicKeyOf(secret)).toBe(`whpk_${bytes[1]?.toString('base64')}`);
  });
});

describe('signingKey', () => {
  it.each([
    ['without a prefix', Buffer.alloc(32, 7).toString('base64')],
    ['too short', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['too long', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['not base64', 'whsec_not base64 at all but long enough to be one'],
    ['truncated base64', `whsec_${Buffer.alloc(32, 7).toString('base64').slice(0, -3)}`],
    ['a public key', `whpk_${Buffer.alloc(32, 7).toString('base64')}`],
    ['a key of 31 bytes', `whsk_${Buffer.alloc(31, 7).toString('base64')}`],
    ['a key of 33 bytes', `whsk_${Buffer.alloc(33, 7).toString('base64')}`],
    ['a key with the public key of another', `whsk_${Buffer.alloc(64, 7).toString('base64')}`],
    ['empty', ''],
  ])('rejects a secret that is %s, without showing it', (_, secret) => {
    const attempt = () => signingKey(secret);
    expect(attempt).toThrow(GiveUp);
    expect(attempt).toThrow(/a signing (secret|key) must be 'wh(sec|sk)_'/);
    if (secret !== '') expect(attempt).not.toThrow(secret);
  });

  it('accepts 24 to 64 bytes for HMAC, with or without padding', () => {
    for (const size of [24, 32, 64]) {
      const encoded = Buffer.alloc(size, 1).toString('base64');
      for (const written of [encoded, encoded.replace(/=+$/, '')]) {
        const { scheme, key } = signingKey(`whsec_${written}`);
        expect([scheme, key.export()]).toEqual(['v1', Buffer.alloc(size, 1)]);
      }
    }
  });
});

describe('new secrets', () => {
  it('depend only on the given bytes', () => {
    expect(newSigningSecret(Buffer.alloc(32, 7))).toBe(SECRET);
    expect(newSigningKey(Buffer.alloc(32, 9))).toBe(ED);
  });

  it('cannot be made from too few bytes', () => {
    expect(() => newSigningSecret(Buffer.alloc(16))).toThrow(GiveUp);
    expect(() => newSigningKey(Buffer.alloc(16))).toThrow(GiveUp);
    expect(() => newSigningKey(Buffer.alloc(64))).toThrow(GiveUp);
  });

  it('have a public key only for Ed25519', () => {
    expect(publicKeyOf(SECRET)).toBeUndefined();
    expect(publicKeyOf(ED)).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
  });
});
