/**
 * Compares text with a pattern in any case, as EventBridge does: each character of the pattern accepts its lower-case and its
 * upper-case form. `ß` in the pattern accepts `SS`, but `ss` in the pattern does not accept `ß`. Linear in the text.
 */

/** The accepted forms of each character of the pattern, in order. */
type Forms = readonly (readonly string[])[];

/** Greek has two lower-case forms of one letter. */
const SIGMAS = ['Σ', 'σ', 'ς'] as const;

export function equalsIgnoreCase(pattern: string): (text: string) => boolean {
  const forms = formsOf(pattern);
  return (text) => endOfPrefix(forms, text) === text.length;
}

export function startsWithIgnoreCase(pattern: string): (text: string) => boolean {
  const forms = formsOf(pattern);
  return (text) => endOfPrefix(forms, text) !== -1;
}

export function endsWithIgnoreCase(pattern: string): (text: string) => boolean {
  const forms = formsOf(pattern).toReversed();
  return (text) => {
    let end = text.length;
    for (const accepted of forms) {
      const form = accepted.find((one) => text.endsWith(one, end));
      if (form === undefined) return false;
      end -= form.length;
    }
    return true;
  };
}

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
