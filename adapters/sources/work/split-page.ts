/** Finds the rows of a page in its bytes without parsing them. Returns undefined whenever the result is not certain. */

import { hash } from 'node:crypto';
import type { WireRow } from '../../../core/ports/source-api.ts';

/** The rows of a page as offsets into its body, and the rest of the page. */
export interface PageSplit {
  /** The envelope, with the list of rows emptied. */
  readonly envelope: WireRow;
  readonly ids: readonly string[];
  /** Start of each row, then the end of the list plus one: row i is [cuts[i], cuts[i + 1] - 1). */
  readonly cuts: readonly number[];
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const ROW_START = Buffer.from('{"id":');

/**
 * Splits `…"task":[{"id":…},{"id":…}]…`. Why this is correct for every valid JSON text, although nothing is parsed:
 *
 * 1. Inside a string a quote is escaped, so in `{"id":` the quote is either the end of a string, and then no `i` could
 *    follow, or the start of a key. So the brace before it is structural, and so is the `},` before that: the bytes
 *    `},{"id":` never occur inside a string, whatever a title says.
 * 2. An object right after a comma is an element of a list. If the rows hold no list, and nothing after them does, that
 *    list can only be the list of rows. `holdsList` finds every such list, and some text that only looks like one.
 * 3. A structural brace is followed by a quote or a closing brace. One that follows a comma and does not start a row in
 *    the expected form starts a row of another form: `splitRows` finds every one, and some text that only looks like one.
 * 4. The text before and after the list must parse with an empty list. A tail that starts inside a string would have
 *    an odd number of quotes, so a wrong end of the list does not parse.
 *
 * Not detected here: a row with two `id` keys. `PageRow.parse` compares the id.
 */
export function splitPage(body: Buffer, resource: string): PageSplit | undefined {
  const key = `"${resource}":[`;
  const keyAt = body.indexOf(key, 0, 'latin1');
  if (keyAt === -1) return undefined;
  const start = keyAt + key.length;
  const end = body.lastIndexOf(CLOSE_LIST);
  if (end < start || holdsList(body, start)) return undefined;
  const envelope = parseShell(body.toString('utf8', 0, start) + body.toString('utf8', end), resource);
  const rows = envelope && splitRows(body, start, end);
  return envelope && rows && { envelope, ...rows };
}

function splitRows(body: Buffer, start: number, end: number): Pick<PageSplit, 'ids' | 'cuts'> | undefined {
  const ids: string[] = [];
  const cuts: number[] = [];
  if (start === end) return { ids, cuts };
  if (body[start] !== OPEN || body[end - 1] !== CLOSE) return undefined;
  // One native search for one byte. Text rarely contains a brace, so nearly every hit is a row.
  for (let at = start; at !== -1 && at < end; at = body.indexOf(OPEN as number, at + 1)) {
    const clean = at === start || (body[at - 1] === COMMA && body[at - 2] === CLOSE);
    if (clean && startsRow(body, at)) {
      const id = idAt(body, at + ROW_START.length);
      if (id === undefined) return undefined;
      ids.push(id);
      cuts.push(at);
    } else if (at === start || mayStartRow(body, at)) {
      return undefined;
    }
  }
  cuts.push(end + 1);
  return { ids, cuts };
}

function startsRow(body: Buffer, at: number): boolean {
  for (let i = 1; i < ROW_START.length; i++) if (body[at + i] !== ROW_START[i]) return false;
  return true;
}

/** Whether this may be a structural brace after a comma. In `,{\"id\":` the backslash shows that it is text. */
function mayStartRow(body: Buffer, at: number): boolean {
  const next = body[after(body, at + 1)];
  return (next === QUOTE || next === CLOSE) && body[before(body, at - 1)] === COMMA;
}

/** Whether a list may follow. Nested lists need no check: the outermost list of a row is the value of a key. */
function holdsList(body: Buffer, start: number): boolean {
  for (let at = body.indexOf(OPEN_LIST as number, start); at !== -1; at = body.indexOf(OPEN_LIST as number, at + 1)) {
    const colon = before(body, at - 1);
    if (body[colon] === COLON && endsString(body, before(body, colon - 1))) return true;
  }
  return false;
}

/** Whether this is an unescaped quote. JSON pasted into a text field has escaped ones: `\"tags\":[`. */
function endsString(body: Buffer, at: number): boolean {
  if (body[at] !== QUOTE) return false;
  let backslashes = 0;
  while (body[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 0;
}

/** Index of the nearest non-whitespace byte, backwards from here. */
function before(body: Buffer, from: number): number {
  let at = from;
  while (at > 0 && isSpace(body[at])) at--;
  return at;
}

function after(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && isSpace(body[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Digits, quoted or not, and the end of the value. Longer ids go to the slow path: a number may not hold them. */
function idAt(body: Buffer, from: number): string | undefined {
  const quoted = body[from] === QUOTE;
  const start = quoted ? from + 1 : from;
  let at = start;
  while (isDigit(body[at])) at++;
  if (at === start || at - start > 15 || (quoted && body[at] !== QUOTE)) return undefined;
  const end = body[quoted ? at + 1 : at];
  return end === COMMA || end === CLOSE ? body.toString('latin1', start, at) : undefined;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function parseShell(text: string, resource: string): WireRow | undefined {
  try {
    const envelope: unknown = JSON.parse(text);
    if (typeof envelope !== 'object' || envelope === null) return undefined;
    const rows: unknown = (envelope as WireRow)[resource];
    return Array.isArray(rows) && rows.length === 0 ? (envelope as WireRow) : undefined;
  } catch {
    return undefined;
  }
}

const scratch = Buffer.alloc(8);

/** 64 bits of SHA-1. Via a binary string, because a Buffer per hash adds 50 % to the time. */
export function fingerprint(bytes: Buffer | string): bigint {
  scratch.write(hash('sha1', bytes, 'binary'), 0, 8, 'latin1');
  return scratch.readBigUInt64BE(0);
}
