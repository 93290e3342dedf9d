import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signingKey, signWebhook } from '../../../core/delivery/sign.ts';
import { GiveUp } from '../../../core/model/errors.ts';
import { fromMillis } from '../../../core/model/time.ts';
import { SECRET } from '../../samples.ts';

describe('signWebhook', () => {
  it('is verified by the standardwebhooks package, for any body', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.uuid(), (value, id) => {
        const body = JSON.stringify({ value });
        const headers = signWebhook(id, fromMillis(Date.now()), body, signingKey(SECRET));
        expect(new Webhook(SECRET).verify(body, { ...headers })).toEqual(JSON.parse(body));
      }),
    );
  });

  it('is refused by the standardwebhooks package when a byte of the body, the id or the secret differs', () => {
    const headers = signWebhook('evt_1', fromMillis(Date.now()), '{"a":1}', signingKey(SECRET));
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    expect(() => new Webhook(SECRET).verify('{"a":2}', { ...headers })).toThrow();
    expect(() => new Webhook(SECRET).verify('{"a":1}', { ...headers, 'webhook-id': 'evt_2' })).toThrow();
    expect(() => new Webhook(other).verify('{"a":1}', { ...headers })).toThrow();
  });
});

describe('signingKey', () => {
  it.each([
    ['no prefix', Buffer.alloc(32, 7).toString('base64')],
    ['too short', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['too long', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['not base64', 'whsec_not base64 at all but long enough to be one'],
    ['empty', ''],
  ])('refuses a secret that is %s, without showing it', (_, secret) => {
    const attempt = () => signingKey(secret);
    expect(attempt).toThrow(GiveUp);
    expect(attempt).toThrow(/whsec_/);
    if (secret !== '') expect(attempt).not.toThrow(secret);
  });

  it('takes 24 to 64 bytes', () => {
    for (const size of [24, 32, 64])
      expect(signingKey(`whsec_${Buffer.alloc(size, 1).toString('base64')}`).symmetricKeySize).toBe(size);
  });
});
