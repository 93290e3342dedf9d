/** Puts the values of patterns and events into words, short enough for one line. Knows nothing of what they mean. */

const MOST_CHARACTERS = 80;
const MOST_ITEMS = 10;

/** `'open'`, `300`, `null`, `a list of 3`, `a section with a, b`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return `'${shorten(value)}'`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value !== 'object' || value === null) return String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty section' : `a section with ${shorten(keys.join(', '))}`;
}

/** `'a' or 'b'`; of a long list the first few and how many more there are. */
export function joinLimited(words: readonly string[], between: string): string {
  const more = words.length - MOST_ITEMS;
  return more <= 0 ? words.join(between) : `${words.slice(0, MOST_ITEMS).join(between)}${between}${more} more`;
}

/** `data.record.total[0].numeric` */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  );
}

function shorten(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
