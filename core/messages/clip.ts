/** Bounds foreign text to one line of a given length. */

/**
 * Control characters would break lines and headers, and marks that change the direction of writing would let a title
 * rewrite the text around it: both are removed.
 */
export function clip(text: string, length: number): string {
  const line = text
    // Enough to fill the line even if much of it is removed; a title of a megabyte is not worth a pass over all of it.
    .slice(0, length * 8)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim();
  if (line.length <= length) return line;
  const cut = line.slice(0, length - 1);
  // Not in the middle of a surrogate pair.
  return `${(cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd()}…`;
}
