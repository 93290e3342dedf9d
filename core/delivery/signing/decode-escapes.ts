/** Decodes the escape sequences of URLs, JSON and HTML in a text, one level deep, and keeps each character's origin. Pure. */

/** A text derived from another one: where each of its characters starts and ends in the original. */
export interface MappedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

export function mapText(text: string): MappedText {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((index) => index + 1) };
}

const ESCAPE =
  /(?:%[\da-f]{2})+|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^\da-z]|\\[nrtbf]|&#x[\da-f]{1,6};?|&#\d{1,7};?|&[a-z]{2,6};/gi;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  colon: ':',
  comma: ',',
  equals: '=',
  gt: '>',
  lt: '<',
  nbsp: ' ',
  num: '#',
  period: '.',
  plus: '+',
  quot: '"',
  semi: ';',
  sol: '/',
};

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The same object if there is nothing to decode. */
export function decodeEscapes(view: MappedText): MappedText {
  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let position = 0;
  const copyUntil = (index: number) => {
    parts.push(view.text.slice(position, index));
    for (let at = position; at < index; at++) {
      starts.push(view.starts[at] ?? 0);
      ends.push(view.ends[at] ?? 0);
    }
    position = index;
  };
  /** Adds a character that stands for `length` characters from the current position on. */
  const add = (character: string, length: number) => {
    parts.push(character);
    for (let unit = 0; unit < character.length; unit++) {
      starts.push(view.starts[position] ?? 0);
      ends.push(view.ends[position + length - 1] ?? 0);
    }
    position += length;
  };
  for (const { 0: sequence, index } of view.text.matchAll(ESCAPE)) {
    const characters = decode(sequence);
    if (characters === undefined) continue;
    copyUntil(index);
    for (const [character, length] of characters) add(character, length);
  }
  if (position === 0) return view;
  copyUntil(view.text.length);
  return { text: parts.join(''), starts, ends };
}

/** The characters of an escape sequence, each with the length of its part; undefined if it is none. */
function decode(sequence: string): readonly (readonly [string, number])[] | undefined {
  const single = (character: string | undefined) =>
    character === undefined ? undefined : [[character, sequence.length] as const];
  if (sequence.startsWith('%')) return decodePercent(sequence);
  if (sequence.startsWith('&#')) {
    const digits = sequence.replaceAll(/[^\da-f]/gi, '');
    return single(fromCodePoint(Number.parseInt(digits, /^&#x/i.test(sequence) ? 16 : 10)));
  }
  if (sequence.startsWith('&')) return single(ENTITIES[sequence.slice(1, -1).toLowerCase()]);
  if (sequence.length > 2) return single(fromCodePoint(Number.parseInt(sequence.slice(2), 16)));
  const escaped = sequence.slice(1);
  return single(CONTROLS[escaped.toLowerCase()] ?? escaped);
}

function decodePercent(run: string): readonly (readonly [string, number])[] {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  const text = bytes.toString('utf8');
  // Bytes that are not UTF-8 count as one character each.
  const isUtf8 = Buffer.from(text).equals(bytes);
  return isUtf8
    ? Array.from(text, (character) => [character, 3 * Buffer.byteLength(character)] as const)
    : Array.from(bytes, (byte) => [String.fromCharCode(byte), 3] as const);
}

function fromCodePoint(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
