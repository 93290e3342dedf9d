/** Finds the known word that a misspelled one was probably meant to be. */

import { closestMatch } from 'leven';

/** A longer word is no misspelling, and comparing it takes time. */
export const MAX_WORD_LENGTH = 60;

/** Undefined if none is similar: up to a third of the letters may differ. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  return closestMatch(word, candidates, { maxDistance: Math.max(2, Math.floor(word.length / 3)) });
}

/** `did you mean 'daily'?`, or all known words. */
export function suggestWord(word: string, candidates: readonly string[]): string {
  const nearest = nearestWord(word, candidates);
  return nearest === undefined ? `expected one of ${candidates.join(', ')}` : `did you mean '${nearest}'?`;
}
