/**
 * Removes secrets from a response before it is stored: some receivers echo the request, headers included. Pure; the
 * channel passes the secret values.
 */

const HIDDEN = '[hidden]';

/**
 * Shorter values are not hidden: they are too weak to be secrets and occur in any text. A replacement is never longer than
 * the secret, so the text does not grow.
 */
const MIN_SECRET_LENGTH = HIDDEN.length;

/** A secret may be cut at the end of the text: a prefix of at least this many characters there is removed. */
const MIN_CUT_LENGTH = 4;

export function hideSecrets(text: string, secrets: readonly string[]): string {
  if (text === '' || secrets.length === 0) return text;
  const forms = [...new Set(secrets.flatMap(formsOf))]
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    // Longest first: one secret may contain another.
    .toSorted((a, b) => b.length - a.length);
  const whole = forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
  const cut = Math.max(0, ...forms.map((form) => tailLength(whole, form)));
  return cut < MIN_CUT_LENGTH ? whole : whole.slice(0, -cut);
}

/** The secret itself, and as it appears in JSON, in PHP's JSON, and in a query string or form. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  // encodeURIComponent throws on lone surrogates.
  return [secret, json, json.replaceAll('/', '\\/'), encodeURIComponent(secret.toWellFormed())];
}

/** How many characters at the end of the text are the start of the secret. */
function tailLength(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= MIN_CUT_LENGTH; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
