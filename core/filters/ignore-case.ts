/**
 * Compares text with a pattern in any case, as EventBridge does: each character of the pattern accepts its lower-case and its
 * upper-case form. `ß` in the pattern accepts `SS`, but `ss` in the pattern does not accept `ß`. Linear in the text.
 */

import { memoize } from '../model/memoize.ts';

/** Greek has two lower-case forms of one letter. */
const SIGMAS = ['Σ', 'σ', 'ς'] as const;

export function equalsIgnoreCase(pattern: string): (text: string) => boolean {
  const start = lowerAscii(/^[\0-\x7f]*/.exec(pattern)?.[0] ?? '');
  if (start.length === pattern.length) return (text) => lowered(text) === start;
  return (text) => lowered(text).startsWith(start) && endOfPrefix(pattern, text, start.length) === text.length;
}

export function startsWithIgnoreCase(pattern: string): (text: string) => boolean {
  const start = lowerAscii(/^[\0-\x7f]*/.exec(pattern)?.[0] ?? '');
  return (text) =>
    lowered(text).startsWith(start) &&
    (start.length === pattern.length || endOfPrefix(pattern, text, start.length) !== -1);
}

export function endsWithIgnoreCase(pattern: string): (text: string) => boolean {
  const tail = lowerAscii(/[\0-\x7f]*$/.exec(pattern)?.[0] ?? '');
  return (text) =>
    lowered(text).endsWith(tail) &&
    (tail.length === pattern.length || startOfSuffix(pattern, text, tail.length) !== -1);
}

/** What a pattern has of ASCII at its start or end is compared at once: a filter may have thousands that begin as the text does. */
const lowerAscii = (text: string) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Keeps the texts that were compared last: those of one event are compared with many patterns in a row. */
const lowered = memoize(lowerAscii, 32);

/** Of a character. Those of a whole pattern would take a hundred times as much memory as the pattern. */
const formsOf = memoize((char: string): readonly string[] => {
  if (SIGMAS.some((sigma) => sigma === char)) return SIGMAS;
  return [...new Set([char.toLowerCase(), char.toUpperCase(), char])];
}, 256);

/**
 * No form of a character begins with another one, so the first that fits is the only one.
 * @param compared what fits already
 */
function endOfPrefix(pattern: string, text: string, compared: number): number {
  let end = compared;
  for (const char of pattern.slice(compared)) {
    const form = formsOf(char).find((one) => text.startsWith(one, end));
    if (form === undefined) return -1;
    end += form.length;
  }
  return end;
}

/** The same from the end. */
function startOfSuffix(pattern: string, text: string, compared: number): number {
  let start = text.length - compared;
  for (let at = pattern.length - compared; at > 0; ) {
    const char = charBefore(pattern, at);
    const form = formsOf(char).find((one) => text.endsWith(one, start));
    if (form === undefined) return -1;
    start -= form.length;
    at -= char.length;
  }
  return start;
}

/** Some characters are two units long. */
function charBefore(text: string, end: number): string {
  const pair = text.slice(Math.max(0, end - 2), end);
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(pair) ? pair : pair.slice(-1);
}
