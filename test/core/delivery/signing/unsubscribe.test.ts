import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEALTHY } from '../../../../core/delivery/receivers/health.ts';
import {
  isMuted,
  mute,
  readUnsubscribeToken,
  unsubscribeLink,
  unsubscribeToken,
} from '../../../../core/delivery/signing/unsubscribe.ts';

const SECRET = 'sixteen characters or more';
const reader = { subscription: 'morning', address: 'ann@example.com' };

describe('unsubscribe tokens', () => {
  it('decode to the subscription and address they were made from', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 64 }),
        fc.string({ unit: 'grapheme', maxLength: 100 }),
        (subscription, address) => {
          const token = unsubscribeToken({ subscription, address }, SECRET);
          expect(token).toMatch(/^[A-Za-z0-9_.-]+$/);
          expect(readUnsubscribeToken(token, SECRET)).toEqual({ subscription, address });
        },
      ),
    );
  });

  it('are invalid under another secret or with one character changed', () => {
    const token = unsubscribeToken(reader, SECRET);
    expect(readUnsubscribeToken(token, `${SECRET}.`)).toBeUndefined();
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'AZaz09-_.'), (at, letter) => {
        const changed = `${token.slice(0, at)}${letter}${token.slice(at + 1)}`;
        // The last character of base64 has unused bits.
        fc.pre(changed !== token && at < token.length - 1);
        expect(readUnsubscribeToken(changed, SECRET)).toBeUndefined();
      }),
    );
  });

  it.each(['', '.', 'a.b', 'a'.repeat(5000), `.${'A'.repeat(43)}`, '../../etc/passwd', '%00'])(
    'are invalid for %.20j',
    (token) => {
      expect(readUnsubscribeToken(token, SECRET)).toBeUndefined();
    },
  );

  it('are part of a link below the URL of the service', () => {
    const token = unsubscribeToken(reader, SECRET);
    expect(unsubscribeLink('https://t.example.com', reader, SECRET)).toBe(`https://t.example.com/unsubscribe/${token}`);
    expect(unsubscribeLink('https://t.example.com/mail/', reader, SECRET)).toBe(
      `https://t.example.com/mail/unsubscribe/${token}`,
    );
  });
});

describe('mute', () => {
  it('adds and removes an address once', () => {
    const out = mute(HEALTHY, 'ann@example.com', false);
    expect(out.muted).toEqual(['ann@example.com']);
    expect(mute(out, 'Ann@Example.com', false)).toBe(out);
    expect(mute(mute(out, 'ben@example.com', false), 'ANN@example.com', true).muted).toEqual(['ben@example.com']);
    expect(mute(HEALTHY, 'ann@example.com', true)).toBe(HEALTHY);
  });

  it('ignores the case of an address', () => {
    expect(isMuted(['Ann@example.com'], 'ann@Example.com')).toBe(true);
    expect(isMuted(['ann@example.com'], 'ben@example.com')).toBe(false);
  });
});
