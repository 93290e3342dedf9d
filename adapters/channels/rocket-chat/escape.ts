/** Escapes text for Rocket.Chat, whose parser knows a backslash only before a few characters. */

const ZERO_WIDTH_SPACE = '\u200b';

/** A zero-width space breaks what a backslash does not: links, quotes, lists and mentions. */
export function escapeRocketChat(text: string): string {
  return text
    .replaceAll(/[*_~`#]/g, '\\$&')
    .replaceAll(/[[\]<@]/g, `$&${ZERO_WIDTH_SPACE}`)
    .replaceAll(/^(?=[^\S\n\r\u2028\u2029]*(?:[-+>]|\d+[.)]))/gm, ZERO_WIDTH_SPACE)
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (start) => `${start}${ZERO_WIDTH_SPACE}`);
}
