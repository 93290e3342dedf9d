/**
 * The `where` of a subscription: EventBridge's content filters, compiled once and matched against whole events.
 * The door to the files beside it; pure, and knows nothing of subscriptions.
 */

import { TidingsError } from '../model/errors.ts';
import { explainTree, type Mismatch } from './pattern-explain.ts';
import { matchesPattern } from './pattern-match.ts';
import { type PatternProblem, parsePattern, type Section } from './pattern-tree.ts';

export type { Mismatch, PatternProblem };

/** A pattern ready for events. Takes any JSON; what is not an object has no fields. */
export type PatternTest = (event: unknown) => boolean;

/** Everything wrong with a pattern at once, so that it is mended in one go. */
export class PatternError extends TidingsError {
  override readonly name = 'PatternError';
  readonly problems: readonly PatternProblem[];

  constructor(owner: string, problems: readonly PatternProblem[]) {
    const told = problems.map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`);
    super('TIDINGS_PATTERN_INVALID', `${owner}: ${told.join('; ')}`);
    this.problems = problems;
  }
}

/** Empty for a pattern that can be compiled. */
export function patternProblems(pattern: unknown): readonly PatternProblem[] {
  return parsePattern(pattern).problems;
}

/** Throws `PatternError` for a pattern with problems. */
export function compilePattern(pattern: unknown): PatternTest {
  const tree = patternTree(pattern);
  return (event) => matchesPattern(tree, event);
}

/** Why the event does not match, in words; empty exactly when it does. Throws `PatternError` as `compilePattern` does. */
export function explainPattern(pattern: unknown, event: unknown): readonly Mismatch[] {
  return explainTree(patternTree(pattern), event);
}

/**
 * The tree of a good pattern; throws `PatternError` for any other.
 * @param owner whose pattern it is, for the message
 */
export function patternTree(pattern: unknown, owner = 'pattern'): Section {
  const { tree, problems } = parsePattern(pattern);
  if (problems.length > 0) throw new PatternError(owner, problems);
  return tree;
}
