/**
 * The `where` of a subscription: EventBridge's content filters, compiled once and matched against whole events.
 * The public entry point of the pattern files. Pure; knows nothing of subscriptions.
 */

import { TidingsError } from '../model/errors.ts';
import { explainTree, type Mismatch } from './pattern-explain.ts';
import { matchesPattern } from './pattern-match.ts';
import { type PatternProblem, type PatternTree, parsePattern } from './pattern-tree.ts';

export type { Mismatch, PatternProblem };

/** A compiled pattern. Accepts any JSON; a value that is not an object has no fields. */
export type PatternTest = (event: unknown) => boolean;

/** All problems of a pattern, so that they can be fixed at once. */
export class PatternError extends TidingsError {
  override readonly name = 'PatternError';
  readonly problems: readonly PatternProblem[];

  constructor(owner: string, problems: readonly PatternProblem[]) {
    const lines = problems.map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`);
    super('TIDINGS_PATTERN_INVALID', `${owner}: ${lines.join('; ')}`);
    this.problems = problems;
  }
}

/** Empty for a valid pattern. */
export function patternProblems(pattern: unknown): readonly PatternProblem[] {
  return parsePattern(pattern).problems;
}

/** Throws `PatternError` for a pattern with problems. */
export function compilePattern(pattern: unknown): PatternTest {
  const tree = patternTree(pattern);
  return (event) => matchesPattern(tree, event);
}

/** Why the event does not match; empty when it does. Throws `PatternError` like `compilePattern`. */
export function explainPattern(pattern: unknown, event: unknown): readonly Mismatch[] {
  return explainTree(patternTree(pattern), event);
}

/**
 * Parses a valid pattern; throws `PatternError` otherwise.
 * @param owner whose pattern it is, for the message
 */
export function patternTree(pattern: unknown, owner = 'pattern'): PatternTree {
  const { tree, problems } = parsePattern(pattern);
  if (problems.length > 0) throw new PatternError(owner, problems);
  return tree;
}
