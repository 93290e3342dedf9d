import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showHidden } from '../../../core/messages/show-hidden.ts';

describe('showHidden', () => {
  it.each([
    ['a left-to-right mark', 'Board\u200e', 'Board⟨U+200E⟩'],
    ['an Arabic letter mark', 'Board\u061c', 'Board⟨U+061C⟩'],
    ['a zero-width space', 'Bo\u200bard', 'Bo⟨U+200B⟩ard'],
    ['a soft hyphen', 'Bo\u00adard', 'Bo⟨U+00AD⟩ard'],
    ['a line break', 'Board\nroom', 'Board⟨U+000A⟩room'],
    ['a no-break space', 'Board\u00a0room', 'Board⟨U+00A0⟩room'],
    ['a second space', 'Board   room', 'Board ⟨U+0020⟩⟨U+0020⟩room'],
    ['an accent apart from its letter', 'Cafe\u0301', 'Cafe⟨U+0301⟩'],
    ['a filler that looks like a space', 'Board\u3164room', 'Board⟨U+3164⟩room'],
    ['a tag beyond the first plane', 'Board\u{e0041}', 'Board⟨U+E0041⟩'],
    ['half a character', 'Board\ud83d', 'Board⟨U+D83D⟩'],
    ['text that looks like its result', 'Board⟨U+200E⟩', 'Board⟨U+27E8⟩U+200E⟨U+27E9⟩'],
  ])('names %s', (_, text, shown) => {
    expect(showHidden(text)).toBe(shown);
  });

  it.each(['Website relaunch', 'Café 東京 · “Q4” 🚀', 'مشروع', 'a_b*c`d`'])('leaves %s as it is', (text) => {
    expect(showHidden(text)).toBe(text);
  });

  it('shows two texts alike only if they are the same', () => {
    const read = (shown: string) =>
      shown.replaceAll(/⟨U\+([0-9A-F]+)⟩/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(read(showHidden(text))).toBe(text);
      }),
    );
  });
});
