/** Escapes text for chats that parse Markdown: no markup, no mention, no link, no heading or list. */

const ZERO_WIDTH_SPACE = '\u200b';

/**
 * A zero-width space breaks what a backslash does not: URLs, which would become links, and `@`, which notifies people
 * wherever it starts a word.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_~|[\]()<>#!]/g, '\\$&')
    .replaceAll(/^([^\S\n\r\u2028\u2029]*)([-+=])/gm, '$1\\$2')
    .replaceAll(/^([^\S\n\r\u2028\u2029]*\d+)([.)])/gm, '$1\\$2')
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (start) => `${start}${ZERO_WIDTH_SPACE}`)
    .replaceAll('@', `@${ZERO_WIDTH_SPACE}`);
}
