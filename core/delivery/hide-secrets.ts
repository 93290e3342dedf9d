/**
 * Takes secrets out of what a receiver answered before it is kept: some repeat all they are sent, headers included.
 * Pure; which values are secret is for the channel to say.
 */

const HIDDEN = '[hidden]';

/** Shorter ones guard nothing, and would be found in any text. Never longer than the secret, so the text never grows. */
const SHORTEST = HIDDEN.length;

/** The start of a secret at the very end of the text is hidden from so many characters on: the text may have been cut there. */
const TAIL = 4;

export function hideSecrets(text: string, secrets: readonly string[]): string {
  if (text === '' || secrets.length === 0) return text;
  const forms = [...new Set(secrets.flatMap(formsOf))]
    .filter(({ length }) => length >= SHORTEST)
    // One may hold another.
    .toSorted((a, b) => b.length - a.length);
  const whole = forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
  const cut = Math.max(0, ...forms.map((form) => tailLength(whole, form)));
  return cut < TAIL ? whole : whole.slice(0, -cut);
}

/** As it is, and as JSON, PHP's JSON, a query and a form would repeat it. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  // A query cannot hold half a character.
  return [secret, json, json.replaceAll('/', '\\/'), encodeURIComponent(secret.toWellFormed())];
}

/** How many characters at the end of the text are the start of the secret. */
function tailLength(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= TAIL; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
