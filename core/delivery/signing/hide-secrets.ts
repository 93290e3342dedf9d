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

/**
 * A receiver with more than that shows nothing of its responses: the subscriber chooses the headers, and their search must not
 * keep others waiting. Servers take 8 to 16 KB of headers.
 */
const MAX_SECRETS = 200;
const MAX_SECRETS_LENGTH = 16 * 1024;

/**
 * Characters that are compared, in a few milliseconds. The receiver chooses the text, and with the secrets of a subscriber it may make each
 * of them be searched: then nothing is shown either.
 */
const MAX_COMPARED = 400_000;

export function hideSecrets(text: string, secrets: readonly string[]): string {
  if (text === '' || secrets.length === 0) return text;
  const given = new Set(secrets);
  const length = given.values().reduce((sum, secret) => sum + secret.length, 0);
  if (given.size > MAX_SECRETS || length > MAX_SECRETS_LENGTH) return showNothing(text);
  const forms = [...new Set([...given].flatMap(formsOf).map(fold))].filter(({ length }) => length >= MIN_SECRET_LENGTH);
  if (forms.length === 0) return text;
  // The end of the longest secret that begins at a place. A list of all found would be long: the receiver chooses how often each occurs.
  const ends = new Int32Array(text.length);
  let cutAt = text.length;
  let left = MAX_COMPARED;
  for (let level = 0, view = mapText(fold(text)); level <= MAX_ESCAPE_LEVELS; level++) {
    const mayHaveStart = indexStarts(view.text);
    for (const form of forms.filter(mayHaveStart)) {
      left -= 2 * (form.length + view.text.length);
      if (left < 0) return showNothing(text);
      const search = createSearch(form);
      markOccurrences(search, view, ends);
      cutAt = Math.min(cutAt, startOfCutForm(search, view, text.length));
    }
    const decoded = decodeEscapes(view);
    if (decoded === view) break;
    view = { ...decoded, text: fold(decoded.text) };
  }
  return replaceMarked(text, ends, cutAt);
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

/** Not longer than the text. */
const showNothing = (text: string) => (text.length < HIDDEN.length ? '' : HIDDEN);

/** Searches for a form in linear time (Knuth, Morris, Pratt). `indexOf` takes the product of both lengths for some texts. */
interface Search {
  readonly form: string;
  /** For each start of the form, the longest shorter one that it ends with. */
  readonly shorter: Int32Array;
}

function createSearch(form: string): Search {
  const search: Search = { form, shorter: new Int32Array(form.length) };
  for (let at = 1; at < form.length; at++)
    search.shorter[at] = extend(search, search.shorter[at - 1] ?? 0, form.charCodeAt(at));
  return search;
}

/** How many characters of the form match the end of a text with this character, if so many matched before it. */
function extend({ form, shorter }: Search, matched: number, code: number): number {
  let length = matched === form.length ? (shorter[matched - 1] ?? 0) : matched;
  while (length > 0 && form.charCodeAt(length) !== code) length = shorter[length - 1] ?? 0;
  return form.charCodeAt(length) === code ? length + 1 : length;
}

/** Also those that overlap. */
function markOccurrences(search: Search, { text, starts, ends }: MappedText, marks: Int32Array): void {
  for (let at = 0, matched = 0; at < text.length; at++) {
    matched = extend(search, matched, text.charCodeAt(at));
    if (matched !== search.form.length) continue;
    const start = starts[at - matched + 1] ?? 0;
    marks[start] = Math.max(marks[start] ?? 0, ends[at] ?? 0);
  }
}

/** An escape sequence that is cut at the end of the text. */
const CUT_ESCAPE = /(?:%[\da-f]?|\\u?[\da-f]{0,3}|\\x[\da-f]?|&#?x?[\da-z]{0,7})$/;

/** Where the start of a secret begins that is cut at the end of the text; the end of the text if there is none. */
function startOfCutForm(search: Search, { text, starts }: MappedText, end: number): number {
  const tail = text.slice(-search.form.length - 10);
  for (const shown of [tail, tail.replace(CUT_ESCAPE, '')]) {
    const length = longestStart(search, shown);
    if (length >= MIN_CUT_LENGTH) return starts[text.length - tail.length + shown.length - length] ?? end;
  }
  return end;
}

/** How many characters at the end of a text are the start of a form, but not all of it. */
function longestStart(search: Search, text: string): number {
  let matched = 0;
  for (let at = Math.max(0, text.length - search.form.length + 1); at < text.length; at++)
    matched = extend(search, matched, text.charCodeAt(at));
  return matched;
}

const HASHES = 1 << 16;

/** Whether the text may contain the first characters of a form. Most forms need no search then. */
function indexStarts(text: string): (form: string) => boolean {
  const hashAt = (from: string, at: number) => {
    let hash = 0;
    for (let index = at; index < at + MIN_CUT_LENGTH; index++) hash = (hash * 31 + from.charCodeAt(index)) % HASHES;
    return hash;
  };
  const known = new Uint8Array(HASHES);
  for (let at = 0; at + MIN_CUT_LENGTH <= text.length; at++) known[hashAt(text, at)] = 1;
  return (form) => known[hashAt(form, 0)] === 1;
}

function replaceMarked(text: string, ends: Int32Array, cutAt: number): string {
  let result = '';
  let position = 0;
  for (const [start, end] of ends.entries()) {
    if (end === 0) continue;
    if (start >= cutAt) break;
    if (start >= position) result += text.slice(position, start) + HIDDEN;
    position = Math.max(position, end);
  }
  return result + text.slice(position, Math.max(position, cutAt));
}
