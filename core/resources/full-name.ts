/** The full name in the record of a person. */

import type { Fields } from '../model/record.ts';

/** `Ann Vogt`; null when the record has no name. */
export function fullName({ firstname, lastname }: Fields): string | null {
  const name = [firstname, lastname].filter((part) => typeof part === 'string' && part !== '').join(' ');
  return name === '' ? null : name;
}
