/** The last part of a name that the app gives: `-k7wd`. It tells nothing about the names of others. */

import { createHash } from 'node:crypto';

/** No vowels, so that they make no words, and nothing that looks like something else. */
const LETTERS = 'bcdfghjkmnpqrstvwxz23456789';
const LENGTH = 4;

/**
 * The same for each run of the same work.
 * @param count 1 for the first try, and more after names that are taken
 */
export type NameEnding = (draft: string, count: number) => string;

export const hashedEnding: NameEnding = (draft, count) => {
  const hash = createHash('sha256').update(`${draft} ${count}`).digest();
  return `-${[...hash.subarray(0, LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('')}`;
};
