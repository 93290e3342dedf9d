/**
 * Removes secrets from a text before it is stored or logged: some receivers echo the request, headers included. Finds a
 * secret in any case, escaped for JSON, HTML or a URL, in base64 and in hex. Pure; the channel passes the secret values.
 */

import { decodeEscapes, type MappedText, mapText } from './decode-escapes.ts';

const HIDDEN = '[hidden]';

/** Shorter values are not hidden: they are too weak to be secrets and occur in any text. */
const MIN_SECRET_LENGTH = HIDDEN.length;

/** A secret may be cut at the end of the text: a prefix of at least this many characters there is removed. */
const MIN_CUT_LENGTH = 4;

/** A text may be escaped several times: JSON in a form, in a page. */
const MAX_ESCAPE_LEVELS = 3;

interface Range {
  readonly start: number;
  readonly end: number;
}

export function hideSecrets(text: string, secrets: readonly string[]): string {
  if (text === '' || secrets.length === 0) return text;
  const forms = [...new Set(secrets.flatMap(formsOf).map(fold))].filter(({ length }) => length >= MIN_SECRET_LENGTH);
  if (forms.length === 0) return text;
  const ranges: Range[] = [];
  let cutAt = text.length;
  for (let level = 0, view = mapText(fold(text)); level <= MAX_ESCAPE_LEVELS; level++) {
    for (const form of forms) ranges.push(...occurrencesOf(form, view));
    cutAt = Math.min(cutAt, ...forms.map((form) => startOfCutForm(form, view, text.length)));
    const decoded = decodeEscapes(view);
    if (decoded === view) break;
    view = { ...decoded, text: fold(decoded.text) };
  }
  return replaceRanges(text, ranges, cutAt);
}

/** The secret itself, in hex, and in base64 at each position within a longer text. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Only the characters that no byte before or after the secret affects.
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const forUrls = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [secret, bytes.toString('hex'), ...base64, ...forUrls];
}

/** Makes spellings equal that a receiver may change: case, and `+` for a space. Keeps the length. */
function fold(text: string): string {
  // Lower case of a few characters is longer than one.
  const lower = text.toLowerCase();
  const same = lower.length === text.length ? lower : text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return same.replaceAll('+', ' ');
}

function* occurrencesOf(form: string, { text, starts, ends }: MappedText): Iterable<Range> {
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
    yield { start: starts[at] ?? 0, end: ends[at + form.length - 1] ?? 0 };
  }
}

/** An escape sequence that is cut at the end of the text. */
const CUT_ESCAPE = /(?:%[\da-f]?|\\u?[\da-f]{0,3}|\\x[\da-f]?|&#?x?[\da-z]{0,7})$/;

/** Where the start of a secret begins that is cut at the end of the text; the end of the text if there is none. */
function startOfCutForm(form: string, { text, starts }: MappedText, end: number): number {
  const tail = text.slice(-form.length - 10);
  for (const shown of [tail, tail.replace(CUT_ESCAPE, '')]) {
    for (let length = Math.min(form.length - 1, shown.length); length >= MIN_CUT_LENGTH; length -= 1) {
      if (!shown.endsWith(form.slice(0, length))) continue;
      return starts[text.length - tail.length + shown.length - length] ?? end;
    }
  }
  return end;
}

function replaceRanges(text: string, ranges: readonly Range[], cutAt: number): string {
  let result = '';
  let position = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= cutAt) break;
    if (start >= position) result += text.slice(position, start) + HIDDEN;
    position = Math.max(position, end);
  }
  return result + text.slice(position, Math.max(position, cutAt));
}
