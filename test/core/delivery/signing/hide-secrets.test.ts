import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../../core/delivery/signing/hide-secrets.ts';

const KEY = 'key/of+the "gateway"';

describe('hideSecrets', () => {
  it.each([
    ['unchanged', `bad key ${KEY}!`],
    ['as JSON', `{"key":${JSON.stringify(KEY)}}!`],
    ["as PHP's JSON", `{"key":${JSON.stringify(KEY).replaceAll('/', '\\/')}}!`],
    ['in a query', `?key=${encodeURIComponent(KEY)}!`],
  ])('hides a secret that is echoed %s', (_, text) => {
    const hidden = hideSecrets(text, [KEY]);
    expect(hidden).toContain('[hidden]');
    expect(hidden).toMatch(/!$/);
    expect(hidden).not.toContain('gateway');
  });

  it('hides the longer secret when one contains the other', () => {
    expect(hideSecrets('Bearer abcdefgh-ijkl', ['abcdefgh', 'Bearer abcdefgh-ijkl'])).toBe('[hidden]');
  });

  it('removes the start of a secret where the text was cut', () => {
    expect(hideSecrets('you sent abcdefgh-', ['abcdefgh-ijkl'])).toBe('you sent ');
    expect(hideSecrets('you sent abcd', ['abcdefgh-ijkl'])).toBe('you sent ');
    expect(hideSecrets('you sent abc', ['abcdefgh-ijkl'])).toBe('you sent abc');
  });

  it('does not hide short values', () => {
    expect(hideSecrets('a true story', ['true', '1', ''])).toBe('a true story');
  });

  it('never leaves a secret, never lengthens the text, and changes nothing without secrets', () => {
    const secret = fc.string({ minLength: 8, maxLength: 20 });
    fc.assert(
      fc.property(fc.string(), fc.array(secret, { maxLength: 3 }), fc.string(), (before, secrets, after) => {
        const text = `${before}${secrets.join(' ')}${after}`;
        const hidden = hideSecrets(text, secrets);
        expect(hidden.length).toBeLessThanOrEqual(text.length);
        if (secrets.length === 0) expect(hidden).toBe(text);
        for (const one of secrets.filter((one) => !'[hidden]'.includes(one))) expect(hidden).not.toContain(one);
      }),
    );
  });
});
