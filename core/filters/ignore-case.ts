/**
 * Compares text with a pattern in any case, as EventBridge does: each character of the pattern accepts its lower-case and its
 * upper-case form. `ß` in the pattern accepts `SS`, but `ss` in the pattern does not accept `ß`. Linear in the text.
 */

import { memoize } from '../model/memoize.ts';

/** The accepted forms of each character of the pattern, in order. */
type Forms = readonly (readonly string[])[];

/** Greek has two lower-case forms of one letter. */
const SIGMAS = ['Σ', 'σ', 'ς'] as const;

export function equalsIgnoreCase(pattern: string): (text: string) => boolean {
  const forms = formsOf(pattern);
  const start = lowerAscii(/^[\0-\x7f]*/.exec(pattern)?.[0] ?? '');
  if (start.length === pattern.length) return (text) => lowered(text) === start;
  return (text) => lowered(text).startsWith(start) && endOfPrefix(forms, text) === text.length;
}

export function startsWithIgnoreCase(pattern: string): (text: string) => boolean {
  const forms = formsOf(pattern);
  const start = lowerAscii(/^[\0-\x7f]*/.exec(pattern)?.[0] ?? '');
  return (text) =>
    lowered(text).startsWith(start) && (start.length === pattern.length || endOfPrefix(forms, text) !== -1);
}

export function endsWithIgnoreCase(pattern: string): (text: string) => boolean {
  const forms = formsOf(pattern).toReversed();
  const tail = lowerAscii(/[\0-\x7f]*$/.exec(pattern)?.[0] ?? '');
  return (text) => {
    if (!lowered(text).endsWith(tail)) return false;
    let end = text.length;
    for (const accepted of tail.length === pattern.length ? [] : forms) {
      const form = accepted.find((one) => text.endsWith(one, end));
      if (form === undefined) return false;
      end -= form.length;
    }
    return true;
  };
}

/** What a pattern has of ASCII at its start or end is compared at once: a filter may have thousands that begin as the text does. */
const lowerAscii = (text: string) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Keeps the texts that were compared last: those of one event are compared with many patterns in a row. */
const lowered = memoize(lowerAscii, 32);

function formsOf(pattern: string): Forms {
  return Array.from(pattern, (char) => {
    if (SIGMAS.some((sigma) => sigma === char)) return SIGMAS;
    return [...new Set([char.toLowerCase(), char.toUpperCase(), char])];
  });
}

/** No form of a character begins with another one, so the first that fits is the only one. */
function endOfPrefix(forms: Forms, text: string): number {
  let end = 0;
  for (const accepted of forms) {
    const form = accepted.find((one) => text.startsWith(one, end));
    if (form === undefined) return -1;
    end += form.length;
  }
  return end;
}
