/** Reduces external text to one line of a given length. */

/**
 * Removes control characters, which break lines and headers, and bidirectional marks, with which a title could reorder the
 * text around it.
 */
export function clip(text: string, length: number): string {
  const line = text
    // Enough text to fill the line even if most of it is removed. Avoids processing a title of a megabyte.
    .slice(0, length * 8)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim();
  if (line.length <= length) return line;
  const cut = line.slice(0, length - 1);
  // Does not split a surrogate pair.
  return `${(cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd()}…`;
}
