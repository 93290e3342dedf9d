import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePieces, wildcardPieces, wildcardProblem } from '../../../core/filters/wildcard.ts';
import { cpuMillis } from '../../cpu-time.ts';

const isLike = (wildcard: string, text: string) => compilePieces(wildcardPieces(wildcard))(text);

/** As plain as it can be: each asterisk is tried with every run there is. */
function naive(wildcard: string, text: string): boolean {
  if (wildcard === '') return text === '';
  if (wildcard[0] === '*') {
    return naive(wildcard.slice(1), text) || (text !== '' && naive(wildcard, text.slice(1)));
  }
  const escaped = wildcard[0] === '\\';
  const literal = escaped ? wildcard[1] : wildcard[0];
  return text[0] === literal && naive(wildcard.slice(escaped ? 2 : 1), text.slice(1));
}

describe('a wildcard', () => {
  it.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'line\nbreak', true],
    ['a', 'a', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*a*b*', 'xaxbx', true],
    ['*a*b*', 'xbxax', false],
    ['ab*ba', 'aba', false],
    ['*.png', 'a.png.jpg', false],
    ['a.c', 'abc', false],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['\\\\*', '\\anything', true],
    ['*aab*', 'aaaab', true],
    ['*abab*', 'abaabab', true],
  ])('%j against %j: %s', (wildcard, text, expected) => {
    expect(isLike(wildcard, text)).toBe(expected);
  });

  it('finds a long piece after many beginnings of it, and not beyond the end', () => {
    const piece = `${'ab'.repeat(12)}c`;
    const text = `${'ab'.repeat(300)}c${'ab'.repeat(300)}`;
    expect(isLike(`*${piece}*`, text)).toBe(true);
    expect(isLike(`*${piece}*c`, `${text}c`)).toBe(true);
    expect(isLike(`*${piece}*ca*`, text)).toBe(false);
    expect(isLike(`*${piece}d*`, text)).toBe(false);
    expect(isLike(`*${piece}`, `x${piece}`)).toBe(true);
    expect(isLike(`*${piece}*b`, `x${piece}`)).toBe(false);
  });

  it('gives the same answers for a text that many look at, whatever its length', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', ' '), { minLength: 250, maxLength: 400 });
    const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'z'), minLength: 1, maxLength: 24 }), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(letters, pieces, (all, searched) => {
        const text = all.join('');
        for (const piece of [...searched, ...searched.map((_, at) => text.slice(at * 20, at * 20 + 18))])
          expect(isLike(`*${piece}*`, text)).toBe(text.includes(piece));
      }),
    );
  });

  it('gives the same answers for a text that so many search that it gets an index', () => {
    const inOrder = (pieces: readonly string[], text: string) => {
      let at = 0;
      return pieces.every((piece) => {
        const start = text.indexOf(piece, at);
        at = start + piece.length;
        return start !== -1;
      });
    };
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 20 });
    const lists = fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 150, maxLength: 150 });
    const texts = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 256, maxLength: 900 });
    fc.assert(
      fc.property(texts, lists, (text, all) => {
        for (const pieces of all) expect(isLike(`*${pieces.join('*')}*`, text)).toBe(inOrder(pieces, text));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['pieces that nearly fit everywhere', (n: number) => `*${'a'.repeat(17 + (n % 50))}b*${'a'.repeat(2 + (n % 7))}b*`],
    [
      'short pieces in a wrong order',
      (n: number) => `*${'a'.repeat(3 + (n % 13))}b*${'a'.repeat(1 + (n % 90))}*aabaab*`,
    ],
    ['long pieces', (n: number) => `*${'a'.repeat(300 + (n % 100))}b*${'a'.repeat(300 + (n % 100))}b*`],
  ])(
    'takes a fraction of a second for all that a key may have, in a text that was made for them: %s',
    (_, wildcard) => {
      const text = `aab${'a'.repeat(400)}b${'a'.repeat(39_000)}`;
      const filters = Array.from({ length: 2000 }, (_, index) => compilePieces(wildcardPieces(wildcard(index))));
      const begun = cpuMillis();
      expect(filters.some((matches) => matches(text))).toBe(false);
      expect(cpuMillis() - begun).toBeLessThan(400);
    },
  );

  it('does not search a text for what has other characters, however many filters look at it', () => {
    const text = 'ab '.repeat(20_000);
    const filters = Array.from({ length: 20_000 }, (_, index) =>
      compilePieces(wildcardPieces(`*ab ab ab ab ab z${index}*`)),
    );
    const begun = cpuMillis();
    expect(filters.some((matches) => matches(text))).toBe(false);
    expect(cpuMillis() - begun).toBeLessThan(500);
  });

  it('agrees with the plainest way to match', () => {
    const part = fc.constantFrom('a', 'b', '*', '\\*', '\\\\');
    const wildcards = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const texts = fc.array(fc.constantFrom('a', 'b', '*', '\\'), { maxLength: 10 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(wildcards, texts, (wildcard, text) => {
        expect(isLike(wildcard, text)).toBe(naive(wildcard, text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['many asterisks', '*a'.repeat(2_000), `${'a'.repeat(1_999)}b`.repeat(100)],
    ['a piece that nearly fits everywhere', `*${'a'.repeat(50_000)}b*`, 'a'.repeat(200_000)],
    ['pieces that nearly fit, again and again', `*${'ab'.repeat(5_000)}c*`.repeat(10), 'ab'.repeat(100_000)],
  ])('takes no longer than its length for %s', (_, wildcard, text) => {
    const test = compilePieces(wildcardPieces(wildcard));
    const start = cpuMillis();
    expect(test(text)).toBe(false);
    // Some ms here; trying again from every place takes minutes, and a regular expression for ever.
    expect(cpuMillis() - start).toBeLessThan(1000);
  });
});

describe('wildcardProblem', () => {
  it.each(['', '*', 'a*b*c', '\\*\\*', '\\\\*', '*\\**'])('has nothing against %j', (wildcard) => {
    expect(wildcardProblem(wildcard)).toBeUndefined();
  });

  it.each(['**', 'a**', '\\***', '\\', 'a\\b', '\\\\\\'])('refuses %j', (wildcard) => {
    expect(wildcardProblem(wildcard)).toBeDefined();
  });
});
