/** Shows every character of a text, so that people who decide about it do not take it for another text. */

/**
 * Characters that are not seen, that reorder the text around them or that look like a space; accents apart from their letters; a space
 * after a space, of which some clients show one; and the brackets that the others are shown in.
 */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800⟨⟩]|[\u0300-\u036f]|(?! )\p{Zs}|(?<= ) /gu;

/** Each of these characters by its code point, such as `⟨U+200E⟩`: two texts that differ in them are shown differently. */
export const showHidden = (text: string): string => text.replaceAll(HIDDEN, showCodePoint);

/** Hyphens, quotation marks and others that look like ASCII characters, and that NFKC does not make into them. */
const MARKS_LIKE_ASCII =
  /[\u00b4\u02b9-\u02bd\u02c8\u02cb\u02d7\u02dc\u0589\u05c3\u05f3\u05f4\u066d\u2010-\u2015\u2018-\u201f\u2032-\u2037\u2039\u203a\u2043\u2044\u204e\u2212\u2215\u2217\u2223\u2236\u223c\u29f8\ua78c\ua789]/u;
const LIKE_ASCII = new RegExp(`^(?:[ -~]+|${MARKS_LIKE_ASCII.source})$`, 'u');

const LATIN = /\p{Script=Latin}/gu;
/** Letters of scripts that share shapes with Latin. */
const LIKE_LATIN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/gu;

/**
 * Words of Cyrillic or Greek letters that all have the shape of a Latin one, such as U+0441 U+043E U+0440: the confusables of UTS #39 that
 * usual fonts do not tell apart. Digits may be among them.
 */
const CYRILLIC_LIKE_LATIN = 'аеорсухѕіјһԁԛԝАВЕКМНОРСТУХЅІЈԚԜ';
const GREEK_LIKE_LATIN = 'ονραικυγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ';
const LIKE_LATIN_WORD = new RegExp(
  `^\\d*(?:[${CYRILLIC_LIKE_LATIN}][${CYRILLIC_LIKE_LATIN}\\d]*|[${GREEK_LIKE_LATIN}][${GREEK_LIKE_LATIN}\\d]*)$`,
  'u',
);

/** Those of `showHidden`, and those that look like ASCII characters, or like Latin letters in a word that has some or may be taken for one. */
export const showLookalikes = (text: string): string =>
  showWords(showHidden(text)).replaceAll(/[^\p{ASCII}]/gu, (character) =>
    LIKE_ASCII.test(character.normalize('NFKC')) || MARKS_LIKE_ASCII.test(character)
      ? showCodePoint(character)
      : character,
  );

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

function showWords(text: string): string {
  const words = text.match(WORD) ?? [];
  let index = -1;
  return text.replaceAll(WORD, (word) => {
    index += 1;
    return showWord(word, [words[index - 1], words[index + 1]]);
  });
}

const isPlainlyOther = (word = '') =>
  word.match(LATIN) === null && LIKE_LATIN_WORD.test(word) === false && word.match(LIKE_LATIN) !== null;

/** Of a word in two scripts, the letters of the script that has fewer in it. One beside a word that is plainly of its script, as the Russian *with*, is no riddle. */
function showWord(word: string, beside: readonly (string | undefined)[]): string {
  const latin = word.match(LATIN)?.length ?? 0;
  const others = word.match(LIKE_LATIN)?.length ?? 0;
  if (latin === 0 && LIKE_LATIN_WORD.test(word) && !beside.some(isPlainlyOther))
    return word.replaceAll(LIKE_LATIN, showCodePoint);
  if (latin === 0 || others === 0) return word;
  return word.replaceAll(latin < others ? LATIN : LIKE_LATIN, showCodePoint);
}

export function showCodePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `⟨U+${hex.padStart(4, '0')}⟩`;
}
