import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../../core/delivery/signing/hide-secrets.ts';
import { cpuMillis } from '../../../cpu-time.ts';

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

  it('removes the longest start of a secret that repeats itself, however it was cut', () => {
    const letters = fc.array(fc.constantFrom('a', 'b'), { minLength: 12, maxLength: 30 }).map((all) => all.join(''));
    fc.assert(
      fc.property(letters, letters, fc.nat(11), (secret, before, length) => {
        const text = `${before}${secret.slice(0, length)}`;
        const cuts = Array.from({ length: secret.length - 1 }, (_, index) => secret.length - 1 - index);
        const cut = cuts.find((count) => count >= 4 && text.endsWith(secret.slice(0, count))) ?? 0;
        if (!text.includes(secret)) expect(hideSecrets(text, [secret])).toBe(text.slice(0, text.length - cut));
      }),
    );
  });

  it('takes milliseconds, whatever headers the subscriber gave: beyond 200 words or 16 KB nothing is shown', () => {
    const body = 'ab%25%32%35&amp;amp;'.repeat(200);
    const words = (count: number, size: number) =>
      Array.from({ length: count }, (_, index) => String(index).padStart(size, 'z'));
    const lists = [words(20_000, 10), words(50, 4000), ['a'.repeat(200_000)], words(200, 80)];
    const begun = cpuMillis();
    const shown = lists.map((secrets) => hideSecrets(body, secrets));
    expect(cpuMillis() - begun).toBeLessThan(120);
    expect(shown).toEqual(['[hidden]', '[hidden]', '[hidden]', body]);
    expect(hideSecrets('x', words(201, 10))).toBe('');
  });

  it('takes milliseconds for headers and a response that were made to be searched for long, and shows nothing then', () => {
    const secrets = Array.from({ length: 32 }, (_, n) => `${'a'.repeat(50)}b${'a'.repeat(430 + n)}`);
    const body = `%25252541${'a'.repeat(2040)}`.repeat(2);
    const begun = cpuMillis();
    const shown = [1, 2, 3].map((n) => hideSecrets(body, secrets.slice(n)));
    expect(cpuMillis() - begun).toBeLessThan(100);
    expect(new Set(shown)).toEqual(new Set(['[hidden]']));
  });

  it('takes milliseconds for words that occur at every place of a response', () => {
    const words = Array.from({ length: 80 }, (_, n) => 'a'.repeat(8 + n));
    const body = 'a'.repeat(4096);
    const begun = cpuMillis();
    const shown = [1, 2, 3, 4, 5].map((n) => hideSecrets(body, words.slice(n)));
    expect(cpuMillis() - begun).toBeLessThan(200);
    expect(new Set(shown)).toEqual(new Set(['[hidden]']));
  });

  it('hides a secret that overlaps itself', () => {
    expect(hideSecrets('<abcabcabcab>', ['abcabcab'])).toBe('<[hidden]>');
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
