/** Shows every character of a text, so that people who decide about it do not take it for another text. */

/**
 * Characters that are not seen, that reorder the text around them or that look like a space; accents apart from their letters; a space
 * after a space, of which some clients show one; and the brackets that the others are shown in.
 */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800⟨⟩]|[\u0300-\u036f]|(?! )\p{Zs}|(?<= ) /gu;

/** Each of these characters by its code point, such as `⟨U+200E⟩`: two texts that differ in them are shown differently. */
export const showHidden = (text: string): string => text.replaceAll(HIDDEN, showCodePoint);

export function showCodePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `⟨U+${hex.padStart(4, '0')}⟩`;
}
