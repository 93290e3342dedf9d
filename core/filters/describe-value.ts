/** Describes values of patterns and events in a few words, for messages of one line. */

const MAX_CHARACTERS = 80;
const MAX_ITEMS = 10;

/** `'open'`, `300`, `null`, `a list of 3`, `a section with a, b`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return `'${shorten(value)}'`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value !== 'object' || value === null) return String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty section' : `a section with ${shorten(keys.join(', '))}`;
}

/** `'a' or 'b'`; for a long list the first items and the number of others, which are not described. */
export function joinLimited(items: readonly string[], between: string): string;
export function joinLimited<T>(items: readonly T[], between: string, describe: (item: T) => string): string;
export function joinLimited<T>(items: readonly T[], between: string, describe: (item: T) => string = String): string {
  const more = items.length - MAX_ITEMS;
  const first = items.slice(0, MAX_ITEMS).map((item) => describe(item));
  return [...first, ...(more > 0 ? [`${more} more`] : [])].join(between);
}

/** `data.record.total[0].numeric` */
export function formatPath(path: readonly (string | number)[]): string {
  return showControls(
    path.reduce<string>(
      (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
      '',
    ),
  );
}

function shorten(text: string): string {
  return showControls(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
}

/** Characters that break a line, and those that reorder it. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** As in JSON: with a line end, the value of a filter or the name of its field could pass for other lines of an answer. */
function showControls(text: string): string {
  return text.replaceAll(CONTROLS, (control) => {
    const [, escaped] = /^"(\\.+)"$/.exec(JSON.stringify(control)) ?? [];
    return escaped ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
