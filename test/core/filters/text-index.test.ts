import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indexText } from '../../../core/filters/text-index.ts';

const letters = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b'), maxLength }),
    fc.string({ unit: fc.constantFrom('a', 'ß', '\u0000', '\uffff'), maxLength }),
    fc.string({ unit: 'binary', maxLength }),
  );

it('finds what indexOf finds, from every place', () => {
  fc.assert(
    fc.property(letters(300), letters(6), fc.nat(300), fc.nat(300), (text, other, start, from) => {
      const { find } = indexText(text);
      for (const piece of [other, text.slice(start, start + 5), text.slice(start)].filter((one) => one !== ''))
        expect(find(piece, from)).toBe(text.indexOf(piece, from));
    }),
    { numRuns: 500 },
  );
});

it('finds what indexOf finds in long texts, among thousands of occurrences', () => {
  const texts = [`${'a'.repeat(6000)}b${'a'.repeat(6000)}`, 'xyz'.repeat(4000), `${'ab'.repeat(5000)}b`];
  for (const text of texts) {
    const { find } = indexText(text);
    for (const piece of ['a', 'aa', 'ab', 'abab', 'bb', 'zx', 'xyzxyz', 'aaab', 'baaa', text.slice(100)])
      for (let from = 0; from < text.length + 2; from += 997) expect(find(piece, from)).toBe(text.indexOf(piece, from));
  }
});
