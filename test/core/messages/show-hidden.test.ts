import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showHidden, showLookalikes } from '../../../core/messages/show-hidden.ts';

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

  it.each(Object.entries({ showHidden, showLookalikes }))(
    'shows two texts alike only if they are the same: %s',
    (_, show) => {
      const read = (shown: string) =>
        shown.replaceAll(/⟨U\+([0-9A-F]+)⟩/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), (text) => {
          expect(read(show(text))).toBe(text);
        }),
      );
    },
  );
});

describe('showLookalikes', () => {
  it.each([
    ['what showHidden names', 'Board\u200e', 'Board⟨U+200E⟩'],
    ['a non-breaking hyphen', 'Re\u2011organisation', 'Re⟨U+2011⟩organisation'],
    ['a minus sign', 'Re\u2212organisation', 'Re⟨U+2212⟩organisation'],
    ['an apostrophe', 'Ann\u2019s', 'Ann⟨U+2019⟩s'],
    ['a modifier letter', 'Ann\u02bcs', 'Ann⟨U+02BC⟩s'],
    ['a Greek question mark', 'A\u037e B', 'A⟨U+037E⟩ B'],
    ['another backtick', 'Board\u1fefs', 'Board⟨U+1FEF⟩s'],
    ['an acute accent', 'Board\u00b4s', 'Board⟨U+00B4⟩s'],
    ['another colon', 'A\ua789 B', 'A⟨U+A789⟩ B'],
    ['another slash', 'A\u2215B', 'A⟨U+2215⟩B'],
    ['a wide letter', '\uff22oard', '⟨U+FF22⟩oard'],
    ['a letter of mathematics', '\u{1d401}oard', '⟨U+1D401⟩oard'],
    ['a ligature', '\ufb01nance', '⟨U+FB01⟩nance'],
    ['an ellipsis', 'Board\u2026', 'Board⟨U+2026⟩'],
    ['a Cyrillic letter in a Latin word', 'B\u043eard', 'B⟨U+043E⟩ard'],
    ['a Greek letter in a Latin word', 'B\u03bfard', 'B⟨U+03BF⟩ard'],
    ['a Latin letter in a Cyrillic word', 'Прoект', 'Пр⟨U+006F⟩ект'],
    ['a Cyrillic word that looks like a Latin one', '\u0441\u043e\u0440', '⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩'],
    ['the same with a digit', '\u0410\u0421\u041c\u04152', '⟨U+0410⟩⟨U+0421⟩⟨U+041C⟩⟨U+0415⟩2'],
    ['a Cyrillic letter alone', 'Plan \u0410', 'Plan ⟨U+0410⟩'],
    ['a Greek word that looks like a Latin one', '\u039f\u03a1\u03a4', '⟨U+039F⟩⟨U+03A1⟩⟨U+03A4⟩'],
    ['the same letter before a Latin word', '\u0441 API', '⟨U+0441⟩ API'],
    ['a Cyrillic word with a letter of its own', 'Работа', 'Работа'],
    ['a Greek word with a letter of its own', 'Ομάδα'.normalize('NFC'), 'Ομάδα'.normalize('NFC')],
  ])('names %s', (_, text, shown) => {
    expect(showLookalikes(text)).toBe(shown);
  });

  it.each([
    'Website relaunch',
    'Café 東京 · 🚀',
    'مشروع',
    'Проект Board, Ω',
    'Отчёт с датой',
    'total>=500 ≥ title:"a*"',
  ])('leaves %s as it is', (text) => {
    expect(showLookalikes(text)).toBe(text);
  });
});
