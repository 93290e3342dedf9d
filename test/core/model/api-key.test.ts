import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hashToken,
  hasScope,
  isTokenOf,
  keyIdOf,
  makeToken,
  SCOPES,
  TOKEN_BYTES,
} from '../../../core/model/api-key.ts';

const randomBytes = fc.uint8Array({ minLength: TOKEN_BYTES, maxLength: TOKEN_BYTES });

describe('a token', () => {
  it('contains the id of its key, and matches its hash alone', () => {
    fc.assert(
      fc.property(randomBytes, randomBytes, (first, second) => {
        const { id, token } = makeToken(first);
        expect(token).toMatch(/^tdk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
        expect(keyIdOf(token)).toBe(id);
        expect(isTokenOf({ hash: hashToken(token) }, token)).toBe(true);
        const other = makeToken(second).token;
        expect(isTokenOf({ hash: hashToken(token) }, other)).toBe(other === token);
      }),
    );
  });

  it('is not any other text', () => {
    const { token } = makeToken(new Uint8Array(TOKEN_BYTES));
    for (const text of ['', 'tdk_', token.slice(1), `${token}x`, token.replace('_', '-')]) {
      expect(keyIdOf(text)).toBeUndefined();
    }
    expect(isTokenOf({ hash: '' }, token)).toBe(false);
  });
});

describe('scopes', () => {
  it('include those below them', () => {
    const included = SCOPES.map((scope) => SCOPES.filter((wanted) => hasScope([scope], wanted)).join(' '));
    expect(included).toEqual(['read', 'subscribe', 'read subscribe operate', 'read subscribe operate admin']);
    expect(hasScope([], 'read')).toBe(false);
    expect(hasScope(['read', 'subscribe'], 'operate')).toBe(false);
  });
});
