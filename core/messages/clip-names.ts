/** Reduces a list of names to one line of a given length without cutting a name: half a name may be that of another person. */

import { joinNames } from '../events/facts.ts';
import { clip } from './clip.ts';

/**
 * `Ann, Ben and 3 more`. Only a first name that alone is too long is cut.
 * @param most names that are listed if there are more. @default - as many as fit
 */
export function clipNames(names: readonly string[], length: number, most = names.length): string {
  // Each takes two characters at least: a list of thousands is not joined thousands of times.
  const shown = names.slice(0, Math.min(most, Math.ceil(length / 2))).map((name) => clip(name, length));
  for (let count = shown.length; count > 0; count--) {
    const line = listFirst(shown, count, names.length);
    if (line.length <= length) return line;
  }
  const others = names.length > 1 ? ` and ${names.length - 1} more` : '';
  return `${clip(names[0] ?? '', length - others.length)}${others}`;
}

function listFirst(shown: readonly string[], count: number, all: number): string {
  return joinNames(count < all ? [...shown.slice(0, count), `${all - count} more`] : shown);
}
