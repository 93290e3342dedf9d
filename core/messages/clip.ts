/** Reduces external text to one line of a given length. */

/**
 * Removes control characters, which break lines and headers, and bidirectional marks, with which a title could reorder the
 * text around it.
 */
export function clip(text: string, length: number): string {
  // Enough text to fill the line even if most of it is removed. Avoids processing a title of a megabyte.
  const start = text.slice(0, length * 8);
  const line = start
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim();
  const isWhole = start.length === text.length || text.slice(start.length).trim() === '';
  if (line.length <= length && isWhole) return line;
  const cut = line.slice(0, length - 1);
  // Does not split a surrogate pair.
  return `${(cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd()}…`;
}
